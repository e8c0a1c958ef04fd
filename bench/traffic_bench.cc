// What traffic costs on one core, with races and oracles on: 800 requests a second are to be replayed at 300 times real time,
// that is 240,000 requests a second.
#include <benchmark/benchmark.h>

#include <string>
#include <variant>

#include "scenarios/loader.h"
#include "scenarios/program.h"

namespace {

// The cache and the traffic of scenario 50, but for locking, load and workers.
void replay(benchmark::State& state, const std::string& locking, unsigned qps, unsigned workers) {
  constexpr std::uint64_t requests = 100'000;
  const std::string text = R"({ "name": "bench",
    "cache": { "locking": ")" +
                           locking + R"(", "capacity_blocks": )" + (qps > 1'000 ? "512" : "256") + R"(, "tokens_per_block": 16 },
    "traffic": { "seed": 7, "qps": )" +
                           std::to_string(qps) + R"(, "requests": )" + std::to_string(requests) + R"(, "workers": )" +
                           std::to_string(workers) + R"(, "window_s": 5,
      "keys": { "distribution": "zipf", "exponent": 1 }, "tenants": 4, "prefix_tree": { "depth": 4, "fanout": 8 } },
    "search": { "strategy": "random" }, "expect": { "verdict": "not_found" } })";
  auto parsed = kvrace::scenarios::parse_scenario(text, "bench");
  auto* const scenario = std::get_if<kvrace::scenarios::scenario>(&parsed);
  if (scenario == nullptr) return state.SkipWithError("the scenario is refused");
  double virtual_s = 0;
  std::uint64_t served = 0;
  for (auto _ : state) {
    ++scenario->search.seed;
    kvrace::scenarios::traffic_account account(*scenario->traffic);
    if (!search_for_violations(*scenario, nullptr, &account).passed()) return state.SkipWithError("an oracle failed");
    const kvrace::reports::traffic_facts facts = account.facts();
    virtual_s += facts.total.length_s;
    served += facts.total.completed;
  }
  state.counters["requests/s"] = benchmark::Counter(static_cast<double>(served), benchmark::Counter::kIsRate);
  state.counters["times real time"] = benchmark::Counter(virtual_s, benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(replay, mutex, "mutex", 800, 64)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, rwlock, "rwlock", 800, 64)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, epoch, "epoch", 800, 64)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, mutex_2000_qps, "mutex", 2'000, 64)->Unit(benchmark::kMillisecond);

}  // namespace
