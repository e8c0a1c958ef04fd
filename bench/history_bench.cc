// What recording the calls of a run and checking that they are linearizable costs.
//
// Each program runs bare and with a history and an audit at every quiescent point. After the first few runs, all of their
// histories have been seen before. "history" is the time per execution that the pair adds, of the same schedules.
#include <benchmark/benchmark.h>

#include <vector>

#include <kvrace/kvrace.h>
#include <kvrace/specs.h>

#include "bench/small_lru.h"

namespace {

constexpr std::uint64_t runs_per_iteration = 20'000;

struct counter {
  struct fetch_add {};
  using calls = std::variant<fetch_add>;
  int value = 0;
  int apply(const fetch_add&) { return value++; }
  bool operator==(const counter&) const = default;
};
using lru = kvrace::specs::lru_cache<int, int>;

// Stands in for a history where there is none.
struct no_history {
  template <class Call>
  struct open_call {
    template <class... Result>
    void returns(const Result&...) {}
  };
  template <class Call>
  open_call<Call> call(const Call&) {
    return {};
  }
};
template <class Spec, bool Checked>
struct watched;
template <class Spec>
struct watched<Spec, true> {
  template <class Audit>
  watched(kvrace::run& run, const Spec& initial, Audit audit) : history(run, initial) {
    run.at_quiescence(audit);
  }
  kvrace::history<Spec> history;
};
template <class Spec>
struct watched<Spec, false> {
  template <class Audit>
  watched(kvrace::run&, const Spec&, Audit) {}
  no_history history;
};

template <bool Checked>
void fetch_add(kvrace::run& run) {
  int audits = 0;
  watched<counter, Checked> watch(run, {}, [&audits] { benchmark::DoNotOptimize(++audits); });
  kvrace::atomic<int> x{0};
  for (int task = 0; task < 2; ++task)
    run.spawn("task", [&] {
      for (int i = 0; i < 2; ++i) {
        auto call = watch.history.call(counter::fetch_add{});
        call.returns(x.fetch_add(1));
      }
    });
  run.join_all();
}

template <bool Checked>
void lock_increment(kvrace::run& run) {
  int audits = 0;
  watched<counter, Checked> watch(run, {}, [&audits] { benchmark::DoNotOptimize(++audits); });
  kvrace::mutex mutex;
  kvrace::var<int> x;
  for (int task = 0; task < 3; ++task)
    run.spawn("task", [&] {
      for (int i = 0; i < 2; ++i) {
        auto call = watch.history.call(counter::fetch_add{});
        mutex.lock();
        const int before = x.load();
        x.store(before + 1);
        mutex.unlock();
        call.returns(before);
      }
    });
  run.join_all();
}

template <bool Checked>
void two_tasks_lru(kvrace::run& run) {
  small_lru cache;
  watched<lru, Checked> watch(run, {.capacity = 2}, [&] { benchmark::DoNotOptimize(cache); });
  for (int task = 0; task < 2; ++task)
    run.spawn("task", [&, task] {
      {
        auto call = watch.history.call(lru::get{task});
        const int found = cache.get(task);
        call.returns(found < 0 ? std::nullopt : std::optional(found));
      }
      auto call = watch.history.call(lru::put{task + 1, task});
      cache.put(task + 1, task);
      call.returns();
    });
  run.join_all();
}

void sample(benchmark::State& state, const kvrace::program& program) {
  std::uint64_t executions = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    const kvrace::result found =
        kvrace::check({.strategy = kvrace::random_walk(0.5), .seed = ++seed, .runs = runs_per_iteration}, program);
    if (!found.passed()) state.SkipWithError("the program violates an oracle");
    executions += found.counts.runs;
  }
  state.counters["runs/s"] = benchmark::Counter(static_cast<double>(executions), benchmark::Counter::kIsRate);
  state.counters["run"] =
      benchmark::Counter(static_cast<double>(executions), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void fetch_add_bare(benchmark::State& state) { sample(state, fetch_add<false>); }
void fetch_add_checked(benchmark::State& state) { sample(state, fetch_add<true>); }
void lock_increment_bare(benchmark::State& state) { sample(state, lock_increment<false>); }
void lock_increment_checked(benchmark::State& state) { sample(state, lock_increment<true>); }
void lru_bare(benchmark::State& state) { sample(state, two_tasks_lru<false>); }
void lru_checked(benchmark::State& state) { sample(state, two_tasks_lru<true>); }

// A history that has not been seen: 12 calls of 3 tasks on one variable, each concurrent with two others.
void check_unseen_history(benchmark::State& state) {
  using variable = kvrace::specs::variable<int>;
  std::vector<kvrace::timed_call<variable>> calls;
  for (int i = 0; i < 12; ++i) {
    const auto time = static_cast<std::uint32_t>(i);
    calls.push_back(i % 2 == 0 ? kvrace::completed_call<variable>(variable::write{i}, {}, time, time + 2)
                               : kvrace::completed_call<variable>(variable::read{}, i - 1, time, time + 2));
  }
  kvrace::detail::history_checker<variable> checker;
  for (auto _ : state)
    if (checker.check(calls, {}, kvrace::linearization_steps_max, false) != kvrace::linearizability::linearizable)
      state.SkipWithError("the history is linearizable");
}

BENCHMARK(fetch_add_bare)->Unit(benchmark::kMillisecond);
BENCHMARK(fetch_add_checked)->Unit(benchmark::kMillisecond);
BENCHMARK(lock_increment_bare)->Unit(benchmark::kMillisecond);
BENCHMARK(lock_increment_checked)->Unit(benchmark::kMillisecond);
BENCHMARK(lru_bare)->Unit(benchmark::kMillisecond);
BENCHMARK(lru_checked)->Unit(benchmark::kMillisecond);
BENCHMARK(check_unseen_history);

}  // namespace
