// What may go wrong although nobody is to blame: chosen by the strategy, within a budget that the claim states.
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::var;

namespace {

// Without a loop, as if weak were strong.
void set_once(kvrace::run& run) {
  atomic<int> value(0);
  int expected = 0;
  run.require(value.compare_exchange_weak(expected, 1), "nobody else writes");
}

void wait_without_loop(kvrace::run& run) {
  kvrace::mutex m;
  kvrace::condition_variable ready;
  var<bool> is_ready(false);
  both(
      run,
      [&] {
        kvrace::unique_lock lock(m);
        if (!is_ready) ready.wait(lock);
        run.require(is_ready, "the only notification comes after it is set");
      },
      [&] {
        const kvrace::lock_guard lock(m);
        is_ready = true;
        ready.notify_one();
      });
}

kvrace::program insert(bool cleans_up) {
  return [cleans_up](kvrace::run&) {
    struct node {
      int value;
    };
    try {
      node* first = kvrace::sync::make<node>(1);
      try {
        kvrace::sync::destroy(kvrace::sync::make<node>(2));
      } catch (const std::bad_alloc&) {
        if (cleans_up) kvrace::sync::destroy(first);
        return;
      }
      kvrace::sync::destroy(first);
    } catch (const std::bad_alloc&) {
    }
  };
}

// Memory of one int, as a container under test gets it.
struct from_allocator {
  static int* get() { return kvrace::allocator<int>().allocate(1); }
  static void give_back(int* memory) { kvrace::allocator<int>().deallocate(memory, 1); }
};
struct from_make {
  static int* get() { return kvrace::sync::make<int>(0); }
  static void give_back(int* memory) { kvrace::sync::destroy(memory); }
};

// Whether a pointer that compares equal still stands for the same object: one task replaces it twice, the other only looks.
template <class Memory>
kvrace::program compare_pointers(bool audited) {
  return [audited](kvrace::run& run) {
    int* const first = Memory::get();
    atomic<int*> current(first);
    atomic<int> replaced(0);
    if (audited) run.at_quiescence([] {});
    both(
        run,
        [&] {
          int* expected = first;
          int* const second = Memory::get();
          if (!current.compare_exchange_strong(expected, second)) return Memory::give_back(second);
          replaced = 1;
          Memory::give_back(first);
          current = Memory::get();
          Memory::give_back(second);
        },
        [&] {
          int* expected = first;
          const bool same = current.compare_exchange_strong(expected, first);
          run.require(!same || replaced == 0 || current.load() != first, "equal pointers, the same object");
        });
    Memory::give_back(current);
  };
}

// What one task gives back, another never gets.
void pass_memory_on(kvrace::run& run) {
  int* const first = from_allocator::get();
  kvrace::mutex m;
  var<bool> given_back(false);
  both(
      run,
      [&] {
        const kvrace::lock_guard lock(m);
        from_allocator::give_back(first);
        given_back = true;
      },
      [&] {
        const kvrace::lock_guard lock(m);
        run.require(from_allocator::get() != first, "its giver's");
      });
}

void pass_points(kvrace::run& run, std::set<int>& reached) {
  int points = 0;
  run.spawn("passes", [&] {
    try {
      for (; points < 3; ++points) kvrace::cancellation_point();
    } catch (const kvrace::cancelled&) {
    }
  });
  run.join_all();
  reached.insert(points);
}

}  // namespace

TEST_CASE("compare_exchange_weak fails spuriously only within the budget") {
  CHECK(outcome(explore(set_once)) == "PROVED");
  CHECK(outcome(explore(set_once, {.faults = {.weak_failures = 1}})) == "requirement");
  const kvrace::result looped = explore(
      [](kvrace::run& run) {
        atomic<int> value(0);
        const auto add = [&] {
          int expected = value.load();
          while (!value.compare_exchange_weak(expected, expected + 1)) {
          }
        };
        both(run, add, add);
        run.require(value.load() == 2, "both");
      },
      {.faults = {.weak_failures = 2}});
  INFO(looped);
  CHECK(looped.verdict == kvrace::verdict::proved);
  CHECK(contains(looped.claim, "at most 2 spurious failures a task and no other"));
}

TEST_CASE("each task has a budget of its own, whoever comes first") {
  std::set<int> failed;
  const kvrace::result found = kvrace::prove({.limits = {.faults = {.weak_failures = 1}}}, [&](kvrace::run& run) {
    atomic<int> a(0);
    atomic<int> b(0);
    int fails = 0;
    const auto task = [&fails](atomic<int>& value) {
      int expected = 0;
      while (!value.compare_exchange_weak(expected, 1)) ++fails;
    };
    both(run, [&] { task(a); }, [&] { task(b); });
    failed.insert(fails);
  });
  INFO(found);
  CHECK(found.verdict == kvrace::verdict::proved);
  CHECK(failed == std::set<int>{0, 1, 2});
}

TEST_CASE("a wait without a loop is broken by one spurious wakeup, and found by sampling too") {
  CHECK(outcome(explore(wait_without_loop)) == "PROVED");
  CHECK(outcome(explore(wait_without_loop, {.faults = {.spurious_wakeups = 1}})) == "requirement");
  const kvrace::result sampled = kvrace::check({.runs = 1'000, .limits = {.faults = {.spurious_wakeups = 1}}}, wait_without_loop);
  REQUIRE(outcome(sampled) == "requirement");
  const auto again =
      kvrace::replay({.limits = {.faults = {.spurious_wakeups = 1}}}, sampled.findings.front().schedule, wait_without_loop);
  CHECK(outcome(again) == "requirement");
}

TEST_CASE("allocations fail where the budget allows it, and a caller that does not clean up is found") {
  CHECK(outcome(explore(insert(false))) == "PROVED");
  CHECK(outcome(explore(insert(false), {.faults = {.allocation_failures = 1}})) == "leak");
  CHECK(outcome(explore(insert(true), {.faults = {.allocation_failures = 1}})) == "PROVED");
}

TEMPLATE_TEST_CASE("an address is used again where the budget allows it, and pointers that compare equal are told apart", "",
                   from_allocator, from_make) {
  const kvrace::limits reuses{.faults = {.address_reuses = 1}};
  for (const bool audited : {false, true}) {
    const kvrace::program tested = compare_pointers<TestType>(audited);
    for (const auto& [how, under] : {std::pair(kvrace::proof_engine::interleavings, kvrace::memory_model::sc),
                                     std::pair(kvrace::proof_engine::graphs, kvrace::memory_model::sc),
                                     std::pair(kvrace::proof_engine::graphs, kvrace::memory_model::rc11)}) {
      const auto proof = [&, engine = how, model = under](const kvrace::limits& limits) {
        return kvrace::prove({.memory_model = model, .engine = engine, .limits = limits}, tested);
      };
      const kvrace::result fresh = proof({});
      INFO(fresh);
      CHECK(outcome(fresh) == "PROVED");
      CHECK(contains(fresh.claim, "no address of a destroyed object is reused"));
      const kvrace::result reused = proof(reuses);
      INFO(reused);
      REQUIRE(outcome(reused) == "requirement");
      CHECK(outcome(kvrace::replay({.limits = reuses}, reused.findings.front().schedule, tested)) == "requirement");
    }
  }
}

TEST_CASE("an address is used again by the task that gave it back only, and the claim says so") {
  const kvrace::result found = explore(pass_memory_on, {.faults = {.address_reuses = 2}});
  INFO(found);
  CHECK(outcome(found) == "PROVED");
  CHECK(contains(found.claim, "an address is reused by the task that gave it back only, at most 2 times by each"));
}

TEST_CASE("graphs know the same faults") {
  const auto by_graphs = [](const kvrace::program& tested, kvrace::fault_budget faults) {
    return kvrace::prove({.memory_model = kvrace::memory_model::rc11, .limits = {.faults = faults}}, tested);
  };
  CHECK(outcome(by_graphs(set_once, {})) == "PROVED");
  CHECK(outcome(by_graphs(set_once, {.weak_failures = 1})) == "requirement");
  CHECK(outcome(by_graphs(wait_without_loop, {})) == "PROVED");
  const kvrace::result woken = by_graphs(wait_without_loop, {.spurious_wakeups = 1});
  INFO(woken);
  REQUIRE(outcome(woken) == "requirement");
  const auto again =
      kvrace::replay({.limits = {.faults = {.spurious_wakeups = 1}}}, woken.findings.front().schedule, wait_without_loop);
  CHECK(outcome(again) == "requirement");
  CHECK(outcome(by_graphs(insert(false), {.allocation_failures = 1})) == "leak");
  const kvrace::result clean = by_graphs(insert(true), {.allocation_failures = 1});
  INFO(clean);
  CHECK(clean.verdict == kvrace::verdict::proved);
  CHECK(contains(clean.claim, "at most 1 allocation failure a task and no other"));
  std::set<int> reached_points;
  const kvrace::result cancelled = by_graphs([&](kvrace::run& run) { pass_points(run, reached_points); }, {.cancellations = 1});
  INFO(cancelled);
  CHECK(cancelled.counts.executions_distinct == 4);
  CHECK(reached_points == std::set<int>{0, 1, 2, 3});
}

TEST_CASE("a cancellation point throws within the budget, in each place where it may") {
  std::set<int> reached_points;
  const kvrace::result found =
      kvrace::prove({.limits = {.faults = {.cancellations = 1}}}, [&](kvrace::run& run) { pass_points(run, reached_points); });
  CHECK(found.verdict == kvrace::verdict::proved);
  CHECK(reached_points == std::set<int>{0, 1, 2, 3});
}
