#include "scenarios/rollout_traffic.h"

#include <utility>

namespace kvrace::scenarios {

using std::chrono::nanoseconds;

std::uint32_t draw_of(std::uint64_t seed, std::uint64_t number) {
  // splitmix64, as published by Vigna
  std::uint64_t mixed = seed + (number + 1) * 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebu;
  mixed ^= mixed >> 31U;
  return static_cast<std::uint32_t>((mixed >> 32U) * cache::traffic_split::whole >> 32U);
}

rollout_traffic::rollout_traffic(const scenario& from)
    : caches_(caches_of(from)), seed_(from.traffic->seed), watch_(*from.rollout) {
  caches_.stable.keeps_text = caches_.candidate.keeps_text = true;
}

std::unique_ptr<cache::simulation> rollout_traffic::begin_run(kvrace::run& run) {
  std::unique_ptr<cache::rollout> routed = cache::make_rollout(run, caches_);
  routed_ = routed.get();
  steering_ = std::construct_at(kvrace::allocator<sync::mutex>().allocate(1));
  sync::name(*steering_, "controller");
  over_ = false;
  watch_.begin_run();
  run.spawn("controller", [this] { control(); });
  return routed;
}

void rollout_traffic::ended(const traffic_account::ended_request& request) {
  if (request.what == arrival::kind::invalidate) return;
  watch_.count(routed_->served_by(), request, routed_->text());
}

void rollout_traffic::after(const traffic_account::ended_request& request) {
  if (request.outcome.broke_isolation && routed_->served_by() == cache::population::candidate)
    steer([this](nanoseconds now) { return watch_.isolation_violated(now); });
}

void rollout_traffic::end_run() {
  over_ = true;
  watch_.end_run();
  if (!kvrace::run::repeated()) facts_ = watch_.facts();
}

nanoseconds rollout_traffic::early_for_next_look() const {
  const kvrace::bookkeeping scope;
  return watch_.next_look() - kvrace::run::now();
}

bool rollout_traffic::is_over() const {
  const kvrace::bookkeeping scope;
  return over_;
}

template <class Decide>
void rollout_traffic::steer(Decide decide) {
  const sync::lock_guard<sync::mutex> lock(*steering_);
  rollout_watch::order order;
  {
    const kvrace::bookkeeping scope;
    order = decide(kvrace::run::now());
  }
  switch (order.what) {
    case rollout_watch::order::kind::none: return;
    case rollout_watch::order::kind::route: routed_->route(order.split); return;
    case rollout_watch::order::kind::roll_back: routed_->roll_back(); return;
  }
}

void rollout_traffic::control() {
  for (;;) {
    if (const nanoseconds early = early_for_next_look(); early.count() > 0) sync::sleep_for(early);
    if (is_over()) return;
    steer([this](nanoseconds now) { return watch_.look(now); });
  }
}

released_traffic::released_traffic(const scenario& from, std::vector<silent_release::span> spans)
    : caches_(caches_of(from)), seed_(from.traffic->seed), begins_(from.rollout->begins.front()), served_(std::move(spans)) {}

std::unique_ptr<cache::simulation> released_traffic::begin_run(kvrace::run& run) {
  std::unique_ptr<cache::rollout> routed = cache::make_rollout(run, caches_);
  routed_ = routed.get();
  run.spawn("controller", [this] {
    if (begins_.count() != 0) sync::sleep_for(begins_);
    routed_->route({.candidate = cache::traffic_split::whole});
  });
  return routed;
}

void released_traffic::ended(const traffic_account::ended_request& request) {
  if (request.what != arrival::kind::invalidate) served_.count(kvrace::run::now(), request);
}

}  // namespace kvrace::scenarios
