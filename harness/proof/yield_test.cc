// Loops that spin until another task has done something, in a proof.
#include <cstdint>
#include <set>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;

TEST_CASE("a task that spins for another is no livelock, and the claim says how often it gave way") {
  const kvrace::result found = explore([](kvrace::run& run) {
    atomic<bool> ready(false);
    both(
        run, [&] { ready.store(true); },
        [&] {
          while (!ready.load()) kvrace::yield();
        });
  });
  INFO(found);
  CHECK(found.verdict == kvrace::verdict::proved);
  CHECK(found.yields_bound == 3);
  CHECK(contains(found.claim, "a task that has given way 3 times waits"));
}

TEST_CASE("two tasks that spin for a third do not keep it from running") {
  const kvrace::result found = explore([](kvrace::run& run) {
    atomic<int> ready(0);
    for (int i = 0; i < 2; ++i)
      run.spawn("spinner", [&] {
        while (ready.load() != 1) kvrace::yield();
      });
    run.spawn("worker", [&] { ready.store(1); });
    run.join_all();
  });
  INFO(found);
  CHECK(found.verdict == kvrace::verdict::proved);
}

TEST_CASE("a task that spins for what never comes is a livelock") {
  const kvrace::result found = explore(
      [](kvrace::run& run) {
        atomic<bool> ready(false);
        both(
            run, [&] { ready.store(false); },
            [&] {
              while (!ready.load()) kvrace::yield();
            });
      },
      {.steps_max = 1'000});
  CHECK(outcome(found) == "step_bound");
}

TEST_CASE("up to the bound, giving way excludes no interleaving, and the claim does not mention it") {
  std::set<int> seen;
  const kvrace::result found = kvrace::prove({}, [&](kvrace::run& run) {
    atomic<int> value(0);
    both(
        run,
        [&] {
          for (int i = 0; i < 3; ++i) {
            value.fetch_add(1);
            kvrace::yield();
          }
        },
        [&] { seen.insert(value.load()); });
  });
  CHECK(found.verdict == kvrace::verdict::proved);
  CHECK(found.yields_bound == 0);
  CHECK(seen == std::set<int>{0, 1, 2, 3});
}
