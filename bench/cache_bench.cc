// What one sampled run of the simulated cache costs, on one core: 2 tasks x 2 operations over two blocks, every oracle and the
// race detector on, for each locking strategy.
//
// "runs/s" counts executions, "steps/run" visible operations. The lock-free strategy is to reach 0.5 M runs/s.
#include <string>

#include <benchmark/benchmark.h>

#include <kvrace/cache/simulation.h>
#include <kvrace/kvrace.h>

namespace {

using kvrace::cache::prompt;

prompt prompt_of(const char* tokens) {
  prompt result{.owner = {.model = "m", .adapter = "", .adapter_version = 0, .tenant = ""}, .tokens = {}};
  for (; *tokens != 0; ++tokens) result.tokens.push_back(static_cast<kvrace::cache::token>(*tokens));
  return result;
}

// Two full blocks of two tokens in all: with `evicting`, three prompts compete for them.
void two_tasks_two_operations(benchmark::State& state, const std::string& locking, bool evicting) {
  constexpr std::uint64_t runs = 20'000;
  kvrace::cache::simulation_options options;
  options.configuration = {.locking = locking, .capacity_blocks = 2, .tokens_per_block = 2, .hash_bits = 64, .flaws = {}};
  const prompt a = prompt_of("AA.");
  const prompt b = prompt_of("BB.");
  const prompt c = prompt_of("CC.");
  const kvrace::program program = [&](kvrace::run& run) {
    const auto simulation = kvrace::cache::make_simulation(run, options);
    run.spawn("a", [&, cache = simulation.get()] {
      cache->serve(a);
      if (evicting)
        cache->serve(c);
      else
        cache->lookup(a);
    });
    run.spawn("b", [&, cache = simulation.get()] {
      cache->serve(b);
      cache->lookup(a);
    });
    run.join_all();
    simulation->finish();
  };
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    const kvrace::result found =
        kvrace::check({.seed = ++seed, .runs = runs, .metrics = kvrace::cache::metric_names()}, program);
    if (!found.passed()) state.SkipWithError("the cache violates an oracle");
    executions += found.counts.runs;
    steps += found.counts.steps;
  }
  state.counters["runs/s"] = benchmark::Counter(static_cast<double>(executions), benchmark::Counter::kIsRate);
  state.counters["steps/run"] = static_cast<double>(steps) / static_cast<double>(executions);
}

[[maybe_unused]] const bool registered = [] {
  for (const kvrace::cache::locking_description& each : kvrace::cache::locking_strategies()) {
    for (const bool evicting : {false, true}) {
      const std::string locking(each.name);
      benchmark::RegisterBenchmark(("cache/" + locking + (evicting ? "/evicting" : "/hitting")).c_str(),
                                   [locking, evicting](benchmark::State& state) { two_tasks_two_operations(state, locking, evicting); })
          ->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
