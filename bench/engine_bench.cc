// What one execution and one decision of the engine cost, on one core.
//
// "runs/s" counts executions; for the decision benchmarks "decision" is the time per decision. Relacy's figures for the same
// programs on the same kind of machine, for comparison: 1.57 M, 0.49 M and 0.29 M executions/s; 61-79 ns per decision.
#include <benchmark/benchmark.h>

#include <kvrace/kvrace.h>

#include "bench/small_lru.h"

namespace {

constexpr std::uint64_t runs_per_iteration = 20'000;

// Samples `program` and reports rates. An oracle that fails would make the figures meaningless.
void sample(benchmark::State& state, const kvrace::strategy_choice& strategy, const kvrace::program& program,
            std::uint64_t runs = runs_per_iteration) {
  std::uint64_t executions = 0;
  std::uint64_t decisions = 0;
  std::uint64_t switches = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    const kvrace::result found = kvrace::check({.strategy = strategy, .seed = ++seed, .runs = runs}, program);
    if (!found.passed()) state.SkipWithError("the program violates an oracle");
    executions += found.counts.runs;
    decisions += found.counts.decisions;
    switches += found.counts.switches;
  }
  state.counters["runs/s"] = benchmark::Counter(static_cast<double>(executions), benchmark::Counter::kIsRate);
  state.counters["decision"] =
      benchmark::Counter(static_cast<double>(decisions), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["switches/run"] = static_cast<double>(switches) / static_cast<double>(executions);
}

void two_tasks_two_fetch_add(kvrace::run& run) {
  kvrace::atomic<int> x{0};
  for (int task = 0; task < 2; ++task)
    run.spawn("task", [&x] {
      x.fetch_add(1);
      x.fetch_add(1);
    });
  run.join_all();
}

void three_tasks_lock_increment(kvrace::run& run) {
  kvrace::mutex mutex;
  kvrace::var<int> x;
  for (int task = 0; task < 3; ++task)
    run.spawn("task", [&] {
      for (int i = 0; i < 2; ++i) {
        mutex.lock();
        x.store(x.load() + 1);
        mutex.unlock();
      }
    });
  run.join_all();
}

void two_tasks_lru(kvrace::run& run) {
  small_lru cache;
  for (int task = 0; task < 2; ++task)
    run.spawn("task", [&cache, task] {
      (void)cache.get(task);
      cache.put(task + 1, task);
    });
  run.join_all();
}

template <int Tasks>
void loads(kvrace::run& run) {
  kvrace::atomic<int> x{0};
  for (int task = 0; task < Tasks; ++task)
    run.spawn("task", [&x] {
      for (int i = 0; i < 1'000; ++i) (void)x.load(std::memory_order_relaxed);
    });
  run.join_all();
}

void fetch_add(benchmark::State& state) { sample(state, kvrace::random_walk(0.5), two_tasks_two_fetch_add); }
void fetch_add_pct(benchmark::State& state) { sample(state, kvrace::pct({.depth = 3, .decisions_max = 10}), two_tasks_two_fetch_add); }
void lock_increment(benchmark::State& state) { sample(state, kvrace::random_walk(0.5), three_tasks_lock_increment); }
void lru(benchmark::State& state) { sample(state, kvrace::random_walk(0.5), two_tasks_lru); }
void decision_without_switch(benchmark::State& state) { sample(state, kvrace::random_walk(1e-6), loads<8>, 50); }
void decision_with_switch_2(benchmark::State& state) { sample(state, kvrace::random_walk(1), loads<2>, 200); }
void decision_with_switch_8(benchmark::State& state) { sample(state, kvrace::random_walk(1), loads<8>, 50); }

// The exhaustive search: runs/s counts re-executions, "complete" the executions up to happens-before equivalence.
void prove_three_tasks_lock_increment(benchmark::State& state) {
  std::uint64_t runs = 0;
  std::uint64_t states = 0;
  for (auto _ : state) {
    const kvrace::result found = kvrace::prove({}, three_tasks_lock_increment);
    if (found.verdict != kvrace::verdict::proved || found.counts.executions_distinct != 90)
      state.SkipWithError("3 tasks x 2 increments have 90 executions");
    runs += found.counts.runs;
    states += found.counts.states_distinct;
  }
  state.counters["runs/s"] = benchmark::Counter(static_cast<double>(runs), benchmark::Counter::kIsRate);
  state.counters["states/s"] = benchmark::Counter(static_cast<double>(states), benchmark::Counter::kIsRate);
}

BENCHMARK(fetch_add)->Unit(benchmark::kMillisecond);
BENCHMARK(fetch_add_pct)->Unit(benchmark::kMillisecond);
BENCHMARK(lock_increment)->Unit(benchmark::kMillisecond);
BENCHMARK(lru)->Unit(benchmark::kMillisecond);
BENCHMARK(decision_without_switch)->Unit(benchmark::kMillisecond);
BENCHMARK(decision_with_switch_2)->Unit(benchmark::kMillisecond);
BENCHMARK(decision_with_switch_8)->Unit(benchmark::kMillisecond);
BENCHMARK(prove_three_tasks_lock_increment)->Unit(benchmark::kMillisecond);

}  // namespace
