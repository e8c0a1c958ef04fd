#include "scenarios/program.h"

#include <memory>

#include <kvrace/sync.h>

#include "scenarios/commands.h"
#include "scenarios/outcome.h"
#include "scenarios/traffic_program.h"

namespace kvrace::scenarios {
namespace {

// Telling schedules apart takes memory for each of them.
constexpr std::uint64_t distinct_runs_max = 10'000'000;

// What a scenario's tasks call: one cache, or those among which a rollout routes.
struct service {
  std::unique_ptr<cache::rollout> routed;
  std::unique_ptr<cache::simulation> one;
  cache::simulation& all() { return routed ? *routed : *one; }
};

void perform(service& service, const operation& call) {
  cache::simulation& simulation = service.all();
  switch (call.what) {
    case operation::kind::lookup: simulation.lookup(call.prompt); return;
    case operation::kind::serve: simulation.serve(call.prompt, call.cancel, call.times); return;
    case operation::kind::invalidate: simulation.invalidate(); return;
    case operation::kind::expect_match: simulation.expect_match(call.prompt, call.expected_tokens); return;
    case operation::kind::wait: kvrace::sync::sleep_for(call.duration); return;
    case operation::kind::promise: simulation.promise(call.prompt); return;
    case operation::kind::retrieve: simulation.retrieve(); return;
    case operation::kind::follow_evictions: simulation.follow_evictions(call.count); return;
    case operation::kind::load: simulation.parts().load(call.key); return;
    case operation::kind::update: simulation.parts().update(call.key); return;
    case operation::kind::fetch: simulation.parts().fetch(call.key); return;
    case operation::kind::put: simulation.parts().put(call.key); return;
    case operation::kind::maintain: simulation.parts().maintain(); return;
    case operation::kind::admit: simulation.parts().admit(); return;
    case operation::kind::device_step: simulation.parts().device_step(); return;
    case operation::kind::roll_out: service.routed->route({.candidate = cache::traffic_split::whole}); return;
    case operation::kind::roll_back: service.routed->roll_back(); return;
  }
}

kvrace::strategy_choice strategy_of(const search& search, search::kind kind) {
  switch (kind) {
    case search::kind::pct: return kvrace::pct({.depth = search.depth, .decisions_max = search.decisions_max});
    case search::kind::pos: return kvrace::pos();
    case search::kind::surw: return kvrace::surw({.sets = search.sets});
    case search::kind::round_robin: return kvrace::round_robin(search.quantum);
    case search::kind::portfolio: return kvrace::portfolio(search.decisions_max);
    case search::kind::replay_then: return kvrace::replay_then(search.schedule, strategy_of(search, search.then));
    default: return kvrace::random_walk(search.switch_probability);
  }
}

bool takes_time(const operation& call) { return call.what == operation::kind::wait || !call.times.none(); }

}  // namespace

bool scenario::needs_time() const {
  if (traffic || cache.configuration.lease.count() != 0 || cache.configuration.compression.scrub.count() != 0) return true;
  for (const task& each : tasks)
    for (const operation& call : each.operations)
      if (takes_time(call)) return true;
  return false;
}

kvrace::limits limits_of(const scenario& scenario) {
  return {.steps_max = scenario.steps_max,
          .call_steps_max = scenario.call_steps_max,
          .lock_order = scenario.lock_order,
          .faults = {.cancellations = scenario.cancellations}};
}

kvrace::program make_program(const scenario& scenario) {
  if (scenario.traffic) return make_traffic_program(scenario, nullptr);
  struct prepared {
    cache::simulation_options cache;
    std::optional<cache::rollout_options> rollout;
    std::vector<task> tasks;
  };
  const auto fixed = std::make_shared<const prepared>(
      prepared{scenario.cache, scenario.rollout ? std::optional(caches_of(scenario)) : std::nullopt, scenario.tasks});
  return [fixed](kvrace::run& run) {
    service served;
    if (fixed->rollout)
      served.routed = cache::make_rollout(run, *fixed->rollout);
    else
      served.one = cache::make_simulation(run, fixed->cache);
    for (const task& client : fixed->tasks) {
      run.spawn(client.name, [&served, &client] {
        for (const operation& call : client.operations) perform(served, call);
      });
    }
    run.join_all();
    served.all().finish();
  };
}

kvrace::check_options sampling_options(const scenario& scenario) {
  const search& search = scenario.search;
  const std::uint64_t default_runs = scenario.traffic ? 1 : search::default_runs;
  const std::uint64_t runs = search.sampling() ? search.runs.value_or(default_runs) : default_runs;
  return {.strategy = strategy_of(search, search.strategy),
          .seed = search.seed,
          .runs = runs,
          .time_s = search.time_s,
          .stop_at_violation = search.stop_at_violation,
          .count_distinct = runs <= distinct_runs_max,
          .memory_model = search.memory_model,
          .limits = limits_of(scenario),
          .metrics = cache::metric_names()};
}

kvrace::result search_for_violations(const scenario& scenario, kvrace::search_observer* observer, traffic_account* account,
                                     unsigned jobs, const continuation& resumed, traffic_router* router) {
  const search& search = scenario.search;
  const kvrace::program tested =
      scenario.traffic ? make_traffic_program(scenario, account, nullptr, router) : make_program(scenario);
  if (search.sampling()) {
    kvrace::check_options options = sampling_options(scenario);
    options.observer = observer;
    if (!scenario.traffic) options.jobs = jobs;
    return kvrace::check(options, tested);
  }
  kvrace::prove_options options{.runs = search.runs.value_or(0),
                                .states_max = search.states_max,
                                .time_s = search.time_s,
                                .memory_bytes_max = search.memory_bytes_max,
                                .limits = limits_of(scenario),
                                .metrics = cache::metric_names(),
                                .observer = observer};
  if (search.strategy == search::kind::graphs) {
    options.engine = kvrace::proof_engine::graphs;
    options.memory_model = search.memory_model;
    options.jobs = jobs;
    options.checkpoint = resumed.save;
    options.resume = resumed.from;
    options.program_name = resumed.program_name;
    return kvrace::prove(options, tested);
  }
  if (search.preemptions_max) options.preemptions_max = *search.preemptions_max;
  options.jobs = jobs;
  return kvrace::prove(options, tested);
}

kvrace::result follow(const scenario& scenario, const kvrace::schedule& schedule) {
  if (schedule.set_up == kvrace::schedule::setting::graph)
    throw usage_error(
        "expected a schedule of an interleaving: this finding was made along an execution graph, and none is like it; 'kvrace "
        "prove " +
        shell_quoted(scenario.source.path) + " --memory-model rc11' shows it again");
  return kvrace::replay({.limits = limits_of(scenario), .metrics = cache::metric_names()}, schedule, make_program(scenario));
}

}  // namespace kvrace::scenarios
