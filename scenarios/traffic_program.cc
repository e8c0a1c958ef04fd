#include "scenarios/traffic_program.h"

#include <memory>
#include <string>

#include <kvrace/detail/instrumentation.h>
#include <kvrace/sync.h>

#include "scenarios/rollout_traffic.h"

namespace kvrace::scenarios {
namespace {

using std::chrono::nanoseconds;

// Everything a run needs, kept from run to run: what it owns is not lost when a run is cut short.
class replayed_traffic {
 public:
  replayed_traffic(const scenario& scenario, traffic_account* account, request_log* log, traffic_router* router)
      : cache_(scenario.cache),
        shape_(*scenario.traffic),
        stream_(shape_, scenario.cache.configuration.tokens_per_block),
        own_account_(shape_),
        account_(account != nullptr ? *account : own_account_),
        log_(log),
        own_router_(scenario.rollout && router == nullptr ? std::make_unique<rollout_traffic>(scenario) : nullptr),
        router_(own_router_ ? own_router_.get() : router),
        arrivals_(shape_.workers) {
    cache_.deferral = shape_.times.deferral();
    if (shape_.trace)
      scale_ = {.trace_tokens = shape_.trace->tokens_per_block(), .cache_tokens = cache_.configuration.tokens_per_block};
    prefill_ns_per_token_ = shape_.times.prefill_us_per_token * 1'000;
    times_.prefill_per_token =
        nanoseconds(static_cast<std::int64_t>(prefill_ns_per_token_ * scale_.trace_tokens / scale_.cache_tokens));
    times_.tick = shape_.tick;
  }

  void operator()(kvrace::run& run) {
    const std::unique_ptr<cache::simulation> simulation =
        router_ != nullptr ? router_->begin_run(run) : cache::make_simulation(run, cache_);
    stream_.restart();
    taken_ = 0;
    working_ = shape_.workers;
    account_.begin_run(!kvrace::run::repeated());
    if (log_ != nullptr) log_->begin_run();
    for (unsigned worker = 0; worker < shape_.workers; ++worker)
      run.spawn("worker-" + std::to_string(worker + 1),
                [this, simulation = simulation.get(), &mine = arrivals_[worker]] { work(*simulation, mine); });
    run.join_all();
    account_.audited(simulation->finish());
  }

 private:
  // What the workers share beside the cache is not under test: a sanitizer is not to look at it.
  using aside = kvrace::detail::instrumentation::aside;

  // Workers take arrivals in order of time, those in the future too: an idle worker has the next one for itself.
  void work(cache::simulation& simulation, arrival& mine) {
    while (take(mine)) {
      if (const nanoseconds early = mine.time - kvrace::run::now(); early.count() > 0) sync::sleep_for(early);
      start(simulation, mine);
      serve(simulation, mine);
      kvrace::run::poll();
    }
    const aside scope;
    if (--working_ != 0) return;
    account_.end_run(kvrace::run::now());
    if (router_ != nullptr) router_->end_run();
  }

  bool take(arrival& mine) {
    const aside scope;
    if (!stream_.next(mine)) return false;
    account_.taken(kvrace::run::now());
    if (router_ != nullptr) router_->begins(taken_);
    ++taken_;
    return true;
  }

  void start(cache::simulation& simulation, const arrival& mine) {
    const aside scope;
    account_.started(kvrace::run::now());
    if (account_.audit_due()) audit(simulation);
    if (log_ != nullptr) log_->begins(kvrace::run::task(), kvrace::run::step(), mine);
  }

  void serve(cache::simulation& simulation, const arrival& mine) {
    traffic_account::ended_request ended{.what = mine.what};
    switch (mine.what) {
      case arrival::kind::invalidate: simulation.invalidate(); break;
      case arrival::kind::lookup: ended.tokens_hit = simulation.lookup(mine.prompt); break;
      case arrival::kind::serve: {
        cache::service_times times = times_;
        times.decode = mine.decode;
        if (shape_.trace) times.prefill_correction = prefill_correction(mine);
        ended.tokens_hit = simulation.serve(mine.prompt, mine.cancel, times);
        ended.cancelled = mine.cancel != cache::cancel_point::none;
        break;
      }
    }
    if (mine.what != arrival::kind::invalidate) {
      ended.outcome = simulation.outcome();
      ended.tokens_queried = shape_.trace ? mine.recorded_tokens : mine.prompt.tokens.size();
      ended.tokens_hit = ended.tokens_hit * scale_.trace_tokens / scale_.cache_tokens;
    }
    {
      const aside scope;
      ended.latency = kvrace::run::now() - mine.time;
      account_.ended(kvrace::run::now(), ended);
      if (router_ != nullptr) router_->ended(ended);
    }
    if (router_ != nullptr) router_->after(ended);
  }

  // The open end of a recorded prompt has fewer tokens than those that stand for it.
  [[nodiscard]] nanoseconds prefill_correction(const arrival& mine) const {
    const std::uint32_t open = mine.recorded_tokens % scale_.trace_tokens;
    const auto counted = static_cast<std::int64_t>(open_end(open, scale_)) * times_.prefill_per_token;
    return nanoseconds(static_cast<std::int64_t>(prefill_ns_per_token_ * open)) - counted;
  }

  void audit(cache::simulation& simulation) {
    if (const auto counts = simulation.audit()) account_.audited(*counts);
  }

  cache::simulation_options cache_;
  traffic shape_;
  cache::service_times times_;
  double prefill_ns_per_token_ = 0;
  block_scale scale_{.trace_tokens = 1, .cache_tokens = 1};
  arrival_stream stream_;
  traffic_account own_account_;  // where nobody asks: a replay must audit where the run it repeats has audited
  traffic_account& account_;
  request_log* log_;
  std::unique_ptr<traffic_router> own_router_;
  traffic_router* router_;
  std::uint64_t taken_ = 0;  // arrivals, in this run
  unsigned working_ = 0;     // workers that may take more of them
  std::vector<arrival> arrivals_;  // by worker
};

}  // namespace

kvrace::program make_traffic_program(const scenario& scenario, traffic_account* account, request_log* log,
                                     traffic_router* router) {
  return [replayed = std::make_shared<replayed_traffic>(scenario, account, log, router)](kvrace::run& run) { (*replayed)(run); };
}

std::uint64_t traffic_steps_max(const traffic& shape) {
  constexpr std::uint64_t steps_per_request = 100;
  constexpr std::uint64_t steps_per_block = 100;
  return 100'000 + 2 * (shape.requests_expected() * steps_per_request + shape.blocks_expected() * steps_per_block);
}

}  // namespace kvrace::scenarios
