// Loops that give way, along execution graphs: they are not unrolled, hide nothing, and end by themselves where nobody else can
// go on.
#include <kvrace/kvrace.h>

#include "proof/graph_test_support.h"
#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::memory_model;
using kvrace::verdict;

namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;

void wait_for(const atomic<int>& flag) {
  while (flag.load(acquire) == 0) kvrace::yield();
}

// The same by every engine and model.
std::string outcome_of(const kvrace::program& tested) {
  const std::string by_interleavings = outcome(explore(tested));
  for (const memory_model model : {memory_model::sc, memory_model::rc11}) {
    const kvrace::result found = prove_graphs(model, tested);
    INFO(found);
    CHECK(outcome(found) == by_interleavings);
    CHECK(found.counts.graphs_duplicate == 0);
  }
  return by_interleavings;
}

}  // namespace

TEST_CASE("a loop that waits is blocked, not unrolled") {
  const kvrace::result found = prove_graphs(memory_model::rc11, [](kvrace::run& run) {
    kvrace::var<int> data(0);
    atomic<int> flag(0);
    both(
        run, [&] { data = 1, flag.store(1, release); },
        [&] {
          while (flag.load(acquire) == 0) kvrace::yield();
          run.require(data == 1, "seen too early");
        });
  });
  INFO(found);
  CHECK(found.verdict == verdict::proved);
  CHECK(found.yields_bound == 3);
  CHECK(found.counts.executions_distinct == 3);  // the flag is seen by the first load, the second or the third
  CHECK(found.counts.blocked == 1);
}

TEST_CASE("a loop that waits hides no deadlock of others") {
  CHECK(outcome_of([](kvrace::run& run) {
          kvrace::mutex a;
          kvrace::mutex b;
          atomic<int> done(0);
          run.spawn("forwards", [&] {
            {
              const kvrace::lock_guard first(a);
              const kvrace::lock_guard second(b);
            }
            done = 1;
          });
          run.spawn("backwards", [&] {
            const kvrace::lock_guard first(b);
            const kvrace::lock_guard second(a);
          });
          run.spawn("waits", [&] { wait_for(done); });
          run.join_all();
        }) == "deadlock");
}

TEST_CASE("a loop that waits hides no lost notification and no semaphore that is never released") {
  CHECK(outcome_of([](kvrace::run& run) {
          atomic<int> value(0);
          atomic<int> done(0);
          run.spawn("waiter", [&] {
            value.wait(0);
            done = 1;
          });
          run.spawn("setter", [&] { value = 1; });
          run.spawn("waits", [&] { wait_for(done); });
          run.join_all();
        }) != "PROVED");
  CHECK(outcome_of([](kvrace::run& run) {
          kvrace::counting_semaphore<> free(0);
          atomic<int> done(0);
          run.spawn("taker", [&] {
            free.acquire();
            done = 1;
          });
          run.spawn("waits", [&] { wait_for(done); });
          run.join_all();
        }) != "PROVED");
}

TEST_CASE("a loop that may wait for ever is found") {
  CHECK(outcome_of([](kvrace::run& run) {
          atomic<int> flag(0);
          run.spawn("waits", [&] { wait_for(flag); });
          run.join_all();
        }) == "step_bound");
  CHECK(outcome_of([](kvrace::run& run) {
          atomic<int> flag(0);
          both(
              run, [&] { wait_for(flag); },
              [&] {
                flag = 1;
                flag = 0;
              });
        }) == "step_bound");
  CHECK(outcome_of([](kvrace::run& run) {
          atomic<int> flag(0);
          atomic<int> asked(0);
          run.spawn("waits", [&] { wait_for(flag); });
          run.spawn("sets", [&] {
            if (asked != 0) flag = 1;
          });
          run.spawn("asks", [&] { asked = 1; });
          run.join_all();
        }) == "step_bound");
  CHECK(outcome_of([](kvrace::run& run) {
          kvrace::mutex m;
          atomic<int> flag(0);
          both(
              run,
              [&] {
                const kvrace::lock_guard lock(m);
                wait_for(flag);
              },
              [&] {
                const kvrace::lock_guard lock(m);
                flag = 1;
              });
        }) == "step_bound");
}

TEST_CASE("a loop that gives up where nobody else can go on is followed to what it does then") {
  const auto retry = [](bool required) {
    return [required](kvrace::run& run) {
      atomic<int> flag(0);
      atomic<int> asked(0);
      run.spawn("tries", [&, required] {
        bool got = false;
        for (int i = 0; i < 5 && !got; ++i) {
          got = flag.load() != 0;
          kvrace::yield();
        }
        if (required) run.require(got, "gave up");
      });
      run.spawn("sets", [&] {
        if (asked != 0) flag = 1;
      });
      run.spawn("asks", [&] { asked = 1; });
      run.join_all();
    };
  };
  CHECK(outcome_of(retry(true)) == "requirement");
  CHECK(outcome_of(retry(false)) == "PROVED");
  CHECK(outcome_of([](kvrace::run& run) {
          atomic<int> flag(0);
          run.spawn("task", [&] {
            for (int i = 0; i < 4; ++i) {
              (void)flag.load();
              kvrace::yield();
            }
            run.require(false, "reached");
          });
          run.join_all();
        }) == "requirement");
}

TEST_CASE("what a loop does beyond loads after it gave up is refused by name") {
  const kvrace::result found = prove_graphs(memory_model::sc, [](kvrace::run& run) {
    atomic<int> flag(0);
    run.spawn("task", [&] {
      for (int i = 0; i < 9; ++i) {
        (void)flag.load();
        kvrace::yield();
      }
      flag = 1;
    });
    run.join_all();
  });
  CHECK(found.verdict == verdict::incomplete);
  CHECK(contains(found.refusal, "a loop that gives way"));
}

TEST_CASE("fences in a loop do not keep it from being one") {
  const kvrace::result found = prove_graphs(memory_model::rc11, [](kvrace::run& run) {
    kvrace::var<int> data(0);
    atomic<int> flag(0);
    both(
        run, [&] { data = 1, flag.store(1, release); },
        [&] {
          for (;;) {
            const bool set = flag.load(relaxed) != 0;
            kvrace::atomic_thread_fence(acquire);
            if (set) break;
            kvrace::yield();
          }
          run.require(data == 1, "seen too early");
        });
  });
  INFO(found);
  CHECK(found.verdict == verdict::proved);
  CHECK(found.counts.executions_distinct == 3);
}

TEST_CASE("a program with another number of tasks in each execution is not deterministic, and that is said") {
  for (const unsigned most : {2U, 3U}) {
    unsigned executions = 0;
    const kvrace::result found = prove_graphs(memory_model::sc, [&](kvrace::run& run) {
      atomic<int> value(0);
      for (unsigned task = 0; task < most - executions % most; ++task) run.spawn("task", [&] { value.fetch_add(1); });
      ++executions;
      run.join_all();
    });
    INFO(found);
    CHECK(found.verdict == verdict::unsound);
  }
}
