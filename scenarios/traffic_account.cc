#include "scenarios/traffic_account.h"

#include <algorithm>

namespace kvrace::scenarios {

using std::chrono::nanoseconds;

traffic_account::traffic_account(const traffic& shape) : shape_(shape), ahead_(shape) {}

void traffic_account::begin_run(bool counted) {
  end_cut_run();
  running_ = true;
  counted_ = counted;
  ahead_ = arrival_times(shape_);
  nanoseconds first{};
  next_arrival_ = ahead_.next(first) ? std::optional(first) : std::nullopt;
  window_ = 0;
  now_ = {};
  arrived_ = taken_ = in_flight_ = requests_ended_ = 0;
  audit_due_ = false;
}

void traffic_account::taken(nanoseconds now) {
  advance(now);
  ++taken_;
}

void traffic_account::started(nanoseconds now) {
  advance(now);
  ++in_flight_;
}

void traffic_account::ended(nanoseconds now, const ended_request& request) {
  advance(now);
  --in_flight_;
  ++requests_ended_;
  open_.tokens_queried += request.tokens_queried;
  open_.tokens_hit += request.tokens_hit;
  open_.starved += request.outcome.starved ? 1 : 0;
  if (request.what == arrival::kind::invalidate) {
    ++open_.invalidations;
  } else if (request.cancelled) {
    ++open_.cancelled;
  } else {
    ++open_.completed;
    open_.polluted += request.outcome.polluted ? 1 : 0;
    open_.stale += request.outcome.stale ? 1 : 0;
    latencies_.record(request.latency.count());
  }
}

void traffic_account::audited(const cache::audit_counts& counts) {
  audit_due_ = false;
  if (!counted_ || window_ == 0) return;
  sums& audited = windows_[window_ - 1];
  audited.blocks += counts.blocks;
  audited.ghosts += counts.ghosts;
}

void traffic_account::end_run(nanoseconds now) {
  advance(now);
  close_window();
  running_ = false;
  audit_due_ = true;
}

void traffic_account::end_cut_run() {
  if (running_) close_window();
  running_ = false;
}

void traffic_account::advance(nanoseconds now) {
  while (next_arrival_ && *next_arrival_ <= now) {
    pass(*next_arrival_);
    ++arrived_;
    ++open_.arrivals;
    nanoseconds following{};
    next_arrival_ = ahead_.next(following) ? std::optional(following) : std::nullopt;
  }
  pass(now);
}

// The window of the last arrival stays open until the end.
void traffic_account::pass(nanoseconds until) {
  while (next_arrival_ && until >= shape_.window * static_cast<std::int64_t>(window_ + 1)) {
    integrate(shape_.window * static_cast<std::int64_t>(window_ + 1));
    close_window();
    audit_due_ = true;
  }
  integrate(until);
}

void traffic_account::integrate(nanoseconds until) {
  const auto length_ns = static_cast<std::uint64_t>((until - now_).count());
  if (length_ns == 0) return;
  const std::uint64_t queued = arrived_ > taken_ ? arrived_ - taken_ : 0;
  open_.length_ns += length_ns;
  if (next_arrival_) open_.arriving_ns += length_ns;
  open_.in_flight_ns += static_cast<wide>(in_flight_) * length_ns;
  open_.queued_ns += static_cast<wide>(queued) * length_ns;
  open_.in_flight_max = std::max(open_.in_flight_max, in_flight_);
  open_.queued_max = std::max(open_.queued_max, queued);
  now_ = until;
}

void traffic_account::close_window() {
  open_.latencies = latencies_.take();
  if (counted_) {
    open_.runs = 1;
    if (windows_.size() <= window_) windows_.resize(window_ + 1);
    windows_[window_].add(open_);
  }
  ++window_;
  open_ = {};
}

void traffic_account::sums::add(const sums& other) {
  runs += other.runs;
  length_ns += other.length_ns;
  arriving_ns += other.arriving_ns;
  arrivals += other.arrivals;
  completed += other.completed;
  cancelled += other.cancelled;
  invalidations += other.invalidations;
  starved += other.starved;
  polluted += other.polluted;
  stale += other.stale;
  tokens_queried += other.tokens_queried;
  tokens_hit += other.tokens_hit;
  blocks += other.blocks;
  ghosts += other.ghosts;
  in_flight_ns += other.in_flight_ns;
  queued_ns += other.queued_ns;
  in_flight_max = std::max(in_flight_max, other.in_flight_max);
  queued_max = std::max(queued_max, other.queued_max);
  latencies.add(other.latencies);
}

reports::traffic_window traffic_account::describe(const sums& of, nanoseconds start) {
  const auto per = [](double amount, double by) { return by > 0 ? amount / by : 0.0; };
  const auto length_ns = static_cast<double>(of.length_ns);
  const auto to_ms = [](std::int64_t ns) { return static_cast<double>(ns) / 1e6; };
  const std::uint64_t ended = of.completed + of.cancelled + of.invalidations;
  return {.start_s = static_cast<double>(start.count()) / 1e9,
          .length_s = per(length_ns, static_cast<double>(of.runs)) / 1e9,
          .arrivals = of.arrivals,
          .completed = of.completed,
          .cancelled = of.cancelled,
          .invalidations = of.invalidations,
          .starved = of.starved,
          .qps_offered = per(static_cast<double>(of.arrivals) * 1e9, static_cast<double>(of.arriving_ns)),
          .qps_reached = per(static_cast<double>(ended) * 1e9, length_ns),
          .in_flight = {per(static_cast<double>(of.in_flight_ns), length_ns), of.in_flight_max},
          .queued = {per(static_cast<double>(of.queued_ns), length_ns), of.queued_max},
          .latency_ms = {.p50 = to_ms(of.latencies.quantile_ns(500)),
                         .p90 = to_ms(of.latencies.quantile_ns(900)),
                         .p99 = to_ms(of.latencies.quantile_ns(990)),
                         .max = to_ms(of.latencies.max_ns)},
          .rates = {{"pollution", of.polluted, of.completed},
                    {"ghost", of.ghosts, of.blocks},
                    {"stale", of.stale, of.completed},
                    {"hit", of.tokens_hit, of.tokens_queried}}};
}

reports::traffic_facts traffic_account::facts() {
  end_cut_run();
  reports::traffic_facts facts;
  sums total;
  for (std::size_t index = 0; index < windows_.size(); ++index) {
    facts.windows.push_back(describe(windows_[index], shape_.window * static_cast<std::int64_t>(index)));
    total.add(windows_[index]);
  }
  total.runs = windows_.empty() ? 0 : windows_.front().runs;
  facts.total = describe(total, {});
  return facts;
}

}  // namespace kvrace::scenarios
