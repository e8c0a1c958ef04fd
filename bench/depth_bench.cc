// How soon each strategy finds a bug of known depth: the mean number of runs up to the first that fails, over a hundred seeds.
//
// Two tasks take `depth + 1` steps in strict alternation, or not: `depth` orders between them must hold for the bug. With "among"
// two more tasks take steps that have nothing to do with it.
#include <benchmark/benchmark.h>

#include <string>

#include <kvrace/kvrace.h>

namespace {

constexpr std::uint64_t seeds = 100;
constexpr std::uint64_t runs_max = 1'000'000;

kvrace::program alternating(unsigned depth, unsigned others) {
  return [=](kvrace::run& run) {
    kvrace::atomic<int> noise(0);
    kvrace::atomic<unsigned> turn(0);
    bool alternate = true;
    for (unsigned other = 0; other < others; ++other)
      run.spawn("other", [&noise] {
        for (int step = 0; step < 10; ++step) noise.fetch_add(1);
      });
    for (unsigned task = 0; task < 2; ++task)
      run.spawn("task", [&, task] {
        for (unsigned step = task; step <= depth; step += 2) alternate = turn.fetch_add(1) == step && alternate;
      });
    run.join_all();
    run.require(!alternate, "alternating");
  };
}

void runs_to_find(benchmark::State& state, const kvrace::strategy_choice& strategy, unsigned depth, unsigned others) {
  std::uint64_t runs = 0;
  std::uint64_t missed = 0;
  std::uint64_t searches = 0;
  for (auto _ : state)
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const kvrace::result found =
          kvrace::check({.strategy = strategy, .seed = seed, .runs = runs_max}, alternating(depth, others));
      ++searches;
      runs += found.counts.runs;
      missed += found.verdict == kvrace::verdict::violation ? 0 : 1;
    }
  state.counters["runs to find"] = static_cast<double>(runs) / static_cast<double>(searches);
  state.counters["not found"] = static_cast<double>(missed) / static_cast<double>(searches);
}

const bool registered = [] {
  for (const unsigned others : {0U, 2U})
    for (unsigned depth = 1; depth <= 5; ++depth) {
      const std::uint64_t decisions_max = depth + 3 + others * 11;
      const std::pair<const char*, kvrace::strategy_choice> strategies[] = {
          {"random_walk", kvrace::random_walk()},
          {"pct", kvrace::pct({.depth = depth, .decisions_max = decisions_max})},
          {"pos", kvrace::pos()},
          {"surw", kvrace::surw()},
          {"portfolio", kvrace::portfolio(decisions_max)}};
      for (const auto& [name, strategy] : strategies)
        benchmark::RegisterBenchmark(
            ("depth/" + std::to_string(depth) + (others == 0 ? "/" : "/among/") + name).c_str(),
            [chosen = strategy, depth, others](benchmark::State& state) { runs_to_find(state, chosen, depth, others); })
            ->Iterations(1)
            ->Unit(benchmark::kMillisecond);
    }
  return true;
}();

}  // namespace
