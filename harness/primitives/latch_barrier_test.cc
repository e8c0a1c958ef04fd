// latch and barrier.
#include <set>
#include <utility>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::var;

TEST_CASE("who has waited for a latch sees what was done before each arrival") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::latch ready(2);
          var<int> first(0);
          var<int> second(0);
          run.spawn("first", [&] {
            first = 1;
            ready.count_down();
          });
          run.spawn("second", [&] {
            second = 1;
            ready.arrive_and_wait();
            run.require(first == 1, "the first has arrived");
          });
          run.spawn("reader", [&] {
            ready.wait();
            run.require(first + second == 2, "both have arrived");
          });
          run.join_all();
        })) == "PROVED");
}

TEST_CASE("a latch that is counted down after the work of one only does not cover the other's") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::latch ready(1);
          var<int> data(0);
          both(
              run,
              [&] {
                ready.count_down();
                data = 1;
              },
              [&] {
                ready.wait();
                (void)data.load();
              });
        })) == "data_race");
}

TEST_CASE("try_wait tells whether all have arrived, and then sees what they did") {
  CHECK(reached<bool>([](kvrace::run& run) {
          kvrace::latch ready(1);
          var<int> data(0);
          bool arrived = false;
          both(
              run,
              [&] {
                data = 1;
                ready.count_down();
              },
              [&] {
                arrived = ready.try_wait();
                if (arrived) run.require(data == 1, "seen");
              });
          return arrived;
        }) == std::set<bool>{false, true});
}

TEST_CASE("a latch with one participant too few is a deadlock that names it") {
  const kvrace::result found = explore([](kvrace::run& run) {
    kvrace::latch ready(3);
    kvrace::sync::name(ready, "ready");
    const auto task = [&] { ready.arrive_and_wait(); };
    both(run, task, task);
  });
  CHECK(outcome(found) == "deadlock");
  CHECK(contains(message(found), "waits for latch 'ready'"));
}

TEST_CASE("counting a latch down below zero is a misuse") {
  CHECK(outcome(run_once([](kvrace::run&) {
          kvrace::latch ready(1);
          ready.count_down(2);
        })) == "latch_misuse");
}

TEST_CASE("a barrier separates phases, each of which runs its completion once") {
  CHECK(outcome(explore([](kvrace::run& run) {
          int completed = 0;
          const auto completion = [&completed]() noexcept { ++completed; };
          kvrace::barrier<decltype(completion)> phases(2, completion);
          var<int> left(0);
          var<int> right(0);
          both(
              run,
              [&] {
                left = 1;
                phases.arrive_and_wait();
                run.require(right == 1, "written in the first phase");
                phases.arrive_and_wait();
                right = 2;
              },
              [&] {
                right = 1;
                phases.arrive_and_wait();
                run.require(left == 1, "written in the first phase");
                run.require(completed >= 1, "completed before anybody goes on");
                phases.arrive_and_wait();
                left = 2;
              });
          run.require(completed == 2, "once each");
        })) == "PROVED");
}

TEST_CASE("what is done after a barrier is not ordered with what another does after it") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::barrier<> phases(2);
          var<int> data(0);
          const auto task = [&] {
            phases.arrive_and_wait();
            data = 1;
          };
          both(run, task, task);
        })) == "data_race");
}

TEST_CASE("who leaves a phase late does not see arrivals of the next") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::barrier<> phases(2);
          var<int> data(0);
          both(
              run,
              [&] {
                phases.arrive_and_wait();
                data = 1;
                (void)phases.arrive();
              },
              [&] {
                phases.arrive_and_wait();
                (void)data.load();  // before its own second arrival: nothing orders it
                phases.arrive_and_wait();
              });
        })) == "data_race");
}

TEST_CASE("a barrier with one participant too few is a deadlock, unless that one has dropped out") {
  const auto phases = [](bool drops) {
    return outcome(explore([drops](kvrace::run& run) {
      kvrace::barrier<> barrier(3);
      if (drops) barrier.arrive_and_drop();
      const auto task = [&] {
        barrier.arrive_and_wait();
        barrier.arrive_and_wait();
      };
      both(run, task, task);
    }));
  };
  CHECK(phases(false) == "deadlock");
  CHECK(phases(true) == "PROVED");
}

TEST_CASE("one arrival more than a barrier expects is a misuse") {
  CHECK(outcome(run_once([](kvrace::run&) {
          kvrace::barrier<> phases(1);
          (void)phases.arrive(2);
        })) == "barrier_misuse");
}
