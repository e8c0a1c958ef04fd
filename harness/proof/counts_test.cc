// Proofs count what an independent explorer and brute-force enumeration count: complete executions under each memory model, and
// under sequential consistency those reachable with at most 0, 1, 2, ... preemptions. Programs and figures are the small ones of
// GenMC's public test suite (tests/correct/litmus and synthetic).
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <kvrace/kvrace.h>

namespace {

using kvrace::atomic;
constexpr auto rlx = std::memory_order_relaxed;
constexpr auto acq = std::memory_order_acquire;
constexpr auto rel = std::memory_order_release;
constexpr auto seq = std::memory_order_seq_cst;

struct memory {
  std::array<atomic<int>, 8> at{};
  kvrace::run& run;
  explicit memory(kvrace::run& its_run) : run(its_run) {}
};
using task = std::function<void(memory&)>;

struct graphs {
  std::uint64_t sc, genmc, rc11;
};
struct row {
  std::string program;
  graphs complete;
  std::vector<std::uint64_t> by_bound;  // under sc; empty where it is not known
  std::vector<task> tasks;
};

constexpr std::size_t x = 0;
constexpr std::size_t y = 1;

task store(std::size_t at, int value, std::memory_order order = rlx) {
  return [=](memory& m) { m.at[at].store(value, order); };
}
task load(std::size_t at, std::memory_order order = rlx) {
  return [=](memory& m) { (void)m.at[at].load(order); };
}
task add(std::size_t at, std::memory_order order = rlx) {
  return [=](memory& m) { m.at[at].fetch_add(1, order); };
}
task fence() {
  return [](memory&) { kvrace::atomic_thread_fence(seq); };
}
task exchange_if(std::size_t at, int expected, int desired) {
  return [=](memory& m) {
    int value = expected;
    (void)m.at[at].compare_exchange_strong(value, desired, rlx, rlx);
  };
}
task in_order(std::vector<task> parts) {
  return [parts](memory& m) {
    for (const task& part : parts) part(m);
  };
}
task message_received() {
  return [](memory& m) {
    if (m.at[y].load(acq) != 0) (void)m.at[x].load(rlx);
  };
}
task increment(int amount) {
  return [=](memory& m) {
    const int value = m.at[x].load(rlx);
    m.at[x].store(value + amount, rel);
  };
}
task last_zero_reader(std::size_t n) {
  return [=](memory& m) {
    for (std::size_t i = n; m.at[i].load(acq) != 0 && i > 0; --i) {
    }
  };
}
task last_zero_writer(std::size_t i) {
  return [=](memory& m) { m.at[i].store(m.at[i - 1].load(acq) + 1, rel); };
}
// Peterson's lock with a critical section of one store and one load; waiting is an assumption.
task peterson(std::size_t me, std::size_t other, int turn_set, int turn_checked, int value) {
  constexpr std::size_t turn = 2;
  constexpr std::size_t shared = 3;
  return [=](memory& m) {
    m.at[me].store(1, rel);
    m.at[turn].store(turn_set, rel);
    if (m.at[other].load(acq) == 1) m.run.assume(m.at[turn].load(acq) != turn_checked);
    m.at[shared].store(value, rel);
    (void)m.at[shared].load(acq);
    m.at[me].store(0, rel);
  };
}
std::vector<task> repeated(std::size_t count, const std::function<task(int)>& make) {
  std::vector<task> tasks;
  for (std::size_t i = 0; i < count; ++i) tasks.push_back(make(static_cast<int>(i)));
  return tasks;
}
std::vector<task> with(task first, std::vector<task> rest) {
  rest.insert(rest.begin(), std::move(first));
  return rest;
}

std::vector<row> rows() {
  const auto add_one = [](int) { return add(x); };
  const auto rotate = [](int i) { return exchange_if(x, i, i + 1); };
  const auto exchange_then_store = [](int i) { return in_order({exchange_if(x, 0, 1), store(x, i + 3, rel)}); };
  const auto load_then_store = [](int i) { return in_order({load(x), store(x, 10 + i, rel)}); };
  const auto increment_bit = [](int i) { return increment(1 << i); };
  const auto read_twice = in_order({load(x, acq), load(x, acq)});
  return {
      {"litmus/SB", {3, 4, 4}, {2, 3}, {in_order({store(x, 1, rel), load(y, acq)}), in_order({store(y, 1, rel), load(x, acq)})}},
      {"litmus/SB+scfs",
       {3, 3, 3},
       {2, 3},
       {in_order({store(x, 1), fence(), load(y)}), in_order({store(y, 1), fence(), load(x)})}},
      {"litmus/SB+4sc",
       {3, 3, 3},
       {2, 3},
       {in_order({store(x, 1, seq), load(y, seq)}), in_order({store(y, 1, seq), load(x, seq)})}},
      {"litmus/SB+3sc+acq",
       {3, 4, 4},
       {2, 3},
       {in_order({store(x, 1, seq), load(y, seq)}), in_order({store(y, 1, seq), load(x, acq)})}},
      {"litmus/2+2W",
       {3, 4, 4},
       {2, 3},
       {in_order({store(x, 1, rel), store(y, 2, rel)}), in_order({store(y, 1, rel), store(x, 2, rel)})}},
      {"litmus/2+2W+4sc",
       {3, 3, 3},
       {2, 3},
       {in_order({store(x, 1, seq), store(y, 2, seq)}), in_order({store(y, 1, seq), store(x, 2, seq)})}},
      {"litmus/LB", {3, 3, 3}, {2, 3}, {in_order({load(y, acq), store(x, 1, rel)}), in_order({load(x, acq), store(y, 1, rel)})}},
      {"litmus/MP", {3, 3, 3}, {2, 3}, {in_order({store(x, 1, rel), store(y, 1, rel)}), in_order({load(y, acq), load(x, acq)})}},
      {"litmus/MP+rels+acq", {3, 4, 4}, {2, 3}, {in_order({store(x, 1), store(y, 0, rel), store(y, 1)}), message_received()}},
      {"litmus/MP+rel+acq", {2, 2, 2}, {2}, {in_order({store(x, 1), store(y, 1, rel)}), message_received()}},
      {"litmus/IRIW-acq-sc",
       {15, 16, 16},
       {14, 15},
       {store(x, 1, seq), in_order({load(x, acq), load(y, seq)}), in_order({load(y, acq), load(x, seq)}), store(y, 1, seq)}},
      {"litmus/CoRR", {6, 6, 6}, {2, 4, 6}, {in_order({store(x, 1, rel), store(x, 2, rel)}), read_twice}},
      {"litmus/CoRR2", {72, 72, 72}, {18, 54, 72}, {store(x, 1, rel), store(x, 2, rel), read_twice, read_twice}},
      {"litmus/S", {3, 4, 4}, {2, 3}, {in_order({store(x, 2), store(y, 1)}), in_order({load(y), store(x, 1)})}},
      {"litmus/Z6.U",
       {18, 22, 24},
       {6, 15, 18},
       {in_order({store(x, 1, seq), store(y, 1, rel)}), in_order({add(y, seq), load(y)}),
        in_order({store(y, 3, seq), load(x, seq)})}},
      {"litmus/rinc+wr", {3, 3, 3}, {2, 3}, {add(x), in_order({store(x, 2), load(x)})}},
      {"litmus/wrw N=2", {22, 22, 22}, {6, 18, 22}, with(store(x, 1, rel), repeated(2, load_then_store))},
      {"litmus/wrw N=3", {300, 300, 300}, {24, 132, 264, 300}, with(store(x, 1, rel), repeated(3, load_then_store))},
      {"synthetic/ainc N=2", {2, 2, 2}, {2}, repeated(2, add_one)},
      {"synthetic/ainc N=3", {6, 6, 6}, {6}, repeated(3, add_one)},
      {"synthetic/ainc N=4", {24, 24, 24}, {24}, repeated(4, add_one)},
      {"synthetic/ainc N=5", {120, 120, 120}, {120}, repeated(5, add_one)},
      {"synthetic/casrot N=2", {2, 2, 2}, {2}, repeated(2, rotate)},
      {"synthetic/casrot N=3", {5, 5, 5}, {5}, repeated(3, rotate)},
      {"synthetic/casrot N=4", {14, 14, 14}, {14}, repeated(4, rotate)},
      {"synthetic/casrot N=6", {144, 144, 144}, {144}, repeated(6, rotate)},
      {"synthetic/casw N=2", {6, 6, 6}, {2, 4, 6}, repeated(2, exchange_then_store)},
      {"synthetic/casw N=3", {66, 66, 66}, {6, 24, 54, 66}, repeated(3, exchange_then_store)},
      {"synthetic/readers N=2", {4, 4, 4}, {4}, with(store(x, 42, rel), repeated(2, [](int) { return load(x, acq); }))},
      {"synthetic/readers N=8", {256, 256, 256}, {}, with(store(x, 42, rel), repeated(8, [](int) { return load(x, acq); }))},
      {"synthetic/lastzero N=5",
       {64, 64, 64},
       {64},
       {last_zero_reader(5), last_zero_writer(1), last_zero_writer(2), last_zero_writer(3), last_zero_writer(4),
        last_zero_writer(5)}},
      {"synthetic/inc N=2", {4, 4, 4}, {2, 4}, repeated(2, increment_bit)},
      {"synthetic/inc N=3", {36, 36, 36}, {6, 24, 36}, repeated(3, increment_bit)},
      {"synthetic/peterson", {4, 22, 22}, {2, 2, 4}, {peterson(0, 1, 1, 1, 0), peterson(1, 0, 0, 0, 1)}},
  };
}

kvrace::result explore(const std::vector<task>& tasks, const kvrace::prove_options& options = {}) {
  return kvrace::prove(options, [&tasks](kvrace::run& run) {
    memory m(run);
    for (const task& each : tasks) run.spawn("task", [&each, &m] { each(m); });
    run.join_all();
  });
}

}  // namespace

TEST_CASE("cumulative counts by preemption bound equal the published ones") {
  for (const row& expected : rows()) {
    if (expected.by_bound.empty()) continue;
    INFO(expected.program);
    const kvrace::result found = explore(expected.tasks);
    REQUIRE(found.verdict == kvrace::verdict::proved);
    std::vector<std::uint64_t> padded = expected.by_bound;
    // The proof may need further bounds to close the set of states; they must add nothing.
    while (padded.size() < found.executions_by_bound.size()) padded.push_back(padded.back());
    CHECK(found.executions_by_bound == padded);
  }
}

TEST_CASE("execution graphs are as many as published under each memory model, each met once") {
  using kvrace::memory_model;
  for (const row& expected : rows()) {
    const auto [sc, genmc, rc11] = expected.complete;
    for (const auto& [model, count] :
         {std::pair(memory_model::sc, sc), std::pair(memory_model::rc11_genmc, genmc), std::pair(memory_model::rc11, rc11)}) {
      INFO(expected.program << " under " << to_string(model));
      const kvrace::result found =
          explore(expected.tasks, {.memory_model = model, .engine = kvrace::proof_engine::graphs, .count_distinct = true});
      CHECK(found.verdict == kvrace::verdict::proved);
      CHECK(found.counts.executions_distinct == count);
      CHECK(found.counts.graphs_duplicate == 0);
    }
  }
}

TEST_CASE("a raised bound that adds nothing is no proof") {
  const kvrace::result at_one = kvrace::prove({.preemptions_max = 1}, [](kvrace::run& run) {
    memory m(run);
    run.spawn("first", [&m] { peterson(0, 1, 1, 1, 0)(m); });
    run.spawn("second", [&m] { peterson(1, 0, 0, 0, 1)(m); });
    run.join_all();
  });
  CHECK(at_one.executions_by_bound == std::vector<std::uint64_t>{2, 2});
  CHECK(at_one.verdict == kvrace::verdict::exhausted);
  CHECK(at_one.preemptions_bound == 1);
  CHECK(at_one.counts.states_open > 0);
}
