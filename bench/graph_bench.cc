// What proofs by execution graphs cost, on one core: complete graphs/s of programs whose numbers of graphs are known.
#include <array>
#include <list>
#include <unordered_map>
#include <utility>

#include <benchmark/benchmark.h>

#include <kvrace/kvrace.h>

#include "bench/epoch_stack.h"

namespace {

using kvrace::atomic;
using kvrace::memory_model;

void prove(benchmark::State& state, memory_model model, std::uint64_t graphs, const kvrace::program& program) {
  std::uint64_t complete = 0;
  for (auto _ : state) {
    const kvrace::result found = kvrace::prove({.memory_model = model, .engine = kvrace::proof_engine::graphs}, program);
    if (found.verdict != kvrace::verdict::proved || found.counts.executions_distinct != graphs)
      state.SkipWithError("another verdict, or another number of graphs");
    complete += found.counts.executions_distinct;
  }
  state.counters["graphs/s"] = benchmark::Counter(static_cast<double>(complete), benchmark::Counter::kIsRate);
}

template <int Tasks>
void lock_increments(kvrace::run& run) {
  kvrace::mutex lock;
  kvrace::var<int> sum;
  for (int task = 0; task < Tasks; ++task)
    run.spawn("task", [&] {
      for (int i = 0; i < 2; ++i) {
        const kvrace::lock_guard guard(lock);
        sum = sum + 1;
      }
    });
  run.join_all();
}

// An LRU cache of two entries, of containers of std that nobody checks for races.
class lru_cache {
 public:
  lru_cache() { put(0, 100), put(1, 101); }
  int get(int key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return -1;
    order_.splice(order_.begin(), order_, found->second);
    return found->second->second;
  }
  void put(int key, int value) {
    if (const auto found = index_.find(key); found != index_.end()) {
      found->second->second = value;
      order_.splice(order_.begin(), order_, found->second);
      return;
    }
    if (index_.size() == 2) {
      index_.erase(order_.back().first);
      order_.pop_back();
    }
    order_.emplace_front(key, value);
    index_[key] = order_.begin();
  }

 private:
  std::list<std::pair<int, int>> order_;
  std::unordered_map<int, std::list<std::pair<int, int>>::iterator> index_;
};

void lru(kvrace::run& run) {
  lru_cache cache;
  kvrace::mutex lock;
  for (int task = 0; task < 4; ++task)
    run.spawn("task", [&, task] {
      {
        const kvrace::lock_guard guard(lock);
        (void)cache.get(task % 2);
      }
      const kvrace::lock_guard guard(lock);
      cache.put((2 + task) % 4, task);
    });
  run.join_all();
}

// readers, lastzero and indexer of GenMC's test suite (tests/correct/synthetic).
void readers(kvrace::run& run) {
  constexpr std::size_t count = 15;
  std::array<atomic<int>, count + 1> at{};
  run.spawn("writer", [&at] { at[0].store(1); });
  for (std::size_t i = 1; i <= count; ++i) run.spawn("reader", [&at, i] { at[i].store(at[0].load() + 1); });
  run.join_all();
}

void lastzero(kvrace::run& run) {
  constexpr std::size_t count = 12;
  std::array<atomic<int>, count + 1> at{};
  run.spawn("reader", [&at] {
    for (std::size_t i = count; at[i].load() != 0; --i) {
    }
  });
  for (std::size_t i = 1; i <= count; ++i) run.spawn("writer", [&at, i] { at[i].store(at[i - 1].load() + 1); });
  run.join_all();
}

void indexer(kvrace::run& run) {
  constexpr std::size_t size = 128;
  std::array<atomic<int>, size> table{};
  for (int task = 0; task < 15; ++task)
    run.spawn("task", [&table, task] {
      for (int i = 0; i < 4; ++i) {
        const int word = i * 11 + task;
        auto at = static_cast<std::size_t>(word * 7) % size;
        for (int expected = 0; !table[at].compare_exchange_strong(expected, word); expected = 0) at = (at + 1) % size;
      }
    });
  run.join_all();
}

// Each of two tasks pushes, pops and collects `Rounds` times, and once more at the end.
template <int Rounds>
void epoch_stack(kvrace::run& run) {
  using kvrace::bench::epoch_stack;
  epoch_stack stack;
  std::array<std::array<epoch_stack::node, Rounds>, 2> nodes;
  for (std::size_t task = 0; task < 2; ++task)
    run.spawn("task", [&, task] {
      for (epoch_stack::node& node : nodes[task]) {
        stack.push(node);
        run.require(stack.pop(task), "a node that is reached has not been freed");
        stack.collect(task);
      }
      stack.collect(task);
    });
  run.join_all();
}

void graphs_lock_increments_3(benchmark::State& state) { prove(state, memory_model::sc, 90, lock_increments<3>); }
void graphs_lock_increments_4(benchmark::State& state) { prove(state, memory_model::sc, 2'520, lock_increments<4>); }
void graphs_lock_increments_5(benchmark::State& state) { prove(state, memory_model::sc, 113'400, lock_increments<5>); }
void graphs_lru(benchmark::State& state) { prove(state, memory_model::sc, 2'520, lru); }
void graphs_readers(benchmark::State& state) { prove(state, memory_model::sc, 32'768, readers); }
void graphs_lastzero(benchmark::State& state) { prove(state, memory_model::sc, 15'360, lastzero); }
void graphs_indexer(benchmark::State& state) { prove(state, memory_model::sc, 4'096, indexer); }
void graphs_epoch_stack_1_sc(benchmark::State& state) { prove(state, memory_model::sc, 5'520, epoch_stack<1>); }
void graphs_epoch_stack_1(benchmark::State& state) { prove(state, memory_model::rc11, 5'620, epoch_stack<1>); }
void graphs_epoch_stack_2(benchmark::State& state) { prove(state, memory_model::rc11, 17'393'524, epoch_stack<2>); }

BENCHMARK(graphs_lock_increments_3)->Unit(benchmark::kMillisecond);
BENCHMARK(graphs_lock_increments_4)->Unit(benchmark::kMillisecond);
BENCHMARK(graphs_lock_increments_5)->Unit(benchmark::kMillisecond);
BENCHMARK(graphs_lru)->Unit(benchmark::kMillisecond);
BENCHMARK(graphs_readers)->Unit(benchmark::kMillisecond);
BENCHMARK(graphs_lastzero)->Unit(benchmark::kMillisecond);
BENCHMARK(graphs_indexer)->Unit(benchmark::kMillisecond);
BENCHMARK(graphs_epoch_stack_1_sc)->Unit(benchmark::kMillisecond);
BENCHMARK(graphs_epoch_stack_1)->Unit(benchmark::kMillisecond);
BENCHMARK(graphs_epoch_stack_2)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
