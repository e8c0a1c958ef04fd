// Proofs by execution graphs of what waits for values: semaphores, latches, barriers, futures, call_once, atomics.
#include <chrono>
#include <string>

#include <kvrace/kvrace.h>

#include "proof/graph_test_support.h"
#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::memory_model;
using kvrace::var;
using kvrace::verdict;

namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;

// "PROVED" or the oracle of the finding, the same under both models.
std::string outcome_of(const kvrace::program& tested) {
  const kvrace::result sc = prove_graphs(memory_model::sc, tested);
  const kvrace::result rc11 = prove_graphs(memory_model::rc11, tested);
  INFO(sc << rc11);
  CHECK(sc.counts.graphs_duplicate + rc11.counts.graphs_duplicate == 0);
  CHECK(outcome(sc) == outcome(rc11));
  return outcome(rc11);
}
std::string refusal_of(const kvrace::program& tested) {
  const kvrace::result found = prove_graphs(memory_model::rc11, tested);
  CHECK(found.verdict == verdict::incomplete);
  return found.refusal;
}

}  // namespace

TEST_CASE("N tasks under a binary semaphore have N! complete graphs") {
  std::uint64_t factorial = 2;
  for (unsigned tasks = 2; tasks <= 5; factorial *= ++tasks) {
    const kvrace::result found = prove_graphs(memory_model::rc11, [tasks](kvrace::run& run) {
      kvrace::binary_semaphore one(1);
      var<unsigned> sum(0);
      for (unsigned i = 0; i < tasks; ++i)
        run.spawn("task", [&] {
          one.acquire();
          sum = sum + 1;
          one.release();
        });
      run.join_all();
      run.require(sum == tasks, "an increment was lost");
    });
    INFO(found);
    CHECK(found.verdict == verdict::proved);
    CHECK(found.counts.executions_distinct == factorial);
    CHECK(found.counts.graphs_duplicate == 0);
  }
}

TEST_CASE("a semaphore that nobody releases is a deadlock that an interleaving shows") {
  const kvrace::result found = prove_graphs(memory_model::rc11, [](kvrace::run& run) {
    kvrace::counting_semaphore<> permits(1);
    kvrace::sync::name(permits, "permits");
    both(run, [&] { permits.acquire(); }, [&] { permits.acquire(); });
  });
  REQUIRE(outcome(found) == "deadlock");
  CHECK(contains(message(found), "permits"));
  CHECK(found.findings.front().schedule.set_up == kvrace::schedule::setting::search);
}

TEST_CASE("a failed try orders nothing, a successful one does") {
  const auto with = [](bool reads_anyway) {
    return outcome_of([reads_anyway](kvrace::run& run) {
      kvrace::latch ready(1);
      kvrace::counting_semaphore<> permits(0);
      var<int> first(0);
      var<int> second(0);
      both(
          run,
          [&] {
            first = 1;
            ready.count_down();
            second = 1;
            permits.release();
          },
          [&] {
            if (ready.try_wait() || reads_anyway) (void)first.load();
            if (permits.try_acquire()) (void)second.load();
          });
    });
  };
  CHECK(with(false) == "PROVED");
  CHECK(with(true) == "data_race");
}

TEST_CASE("a latch lets go when all have arrived, and passes on what they wrote") {
  const auto with = [](int expected) {
    return outcome_of([expected](kvrace::run& run) {
      kvrace::latch arrivals(expected);
      var<int> a(0);
      var<int> b(0);
      run.spawn("a", [&] {
        a = 1;
        arrivals.count_down();
      });
      run.spawn("b", [&] {
        b = 1;
        arrivals.count_down();
      });
      run.spawn("waits", [&] {
        arrivals.wait();
        run.require(a == 1 && b == 1, "an arrival was not seen");
      });
      run.join_all();
    });
  };
  CHECK(with(2) == "PROVED");
  CHECK(with(1) == "latch_misuse");
  CHECK(with(3) == "deadlock");
}

TEST_CASE("a barrier separates phases, and completes each before anybody goes on") {
  const auto with = [](int participants) {
    return outcome_of([participants](kvrace::run& run) {
      var<int> completed(0);
      const auto complete = [&]() noexcept { completed = completed + 1; };
      kvrace::barrier meeting(participants, complete);
      var<int> left(0);
      var<int> right(0);
      both(
          run,
          [&] {
            left = 1;
            meeting.arrive_and_wait();
            run.require(right == 1 && completed == 1, "the other's first phase was not seen");
            meeting.arrive_and_wait();
          },
          [&] {
            right = 1;
            meeting.arrive_and_wait();
            run.require(left == 1, "the other's first phase was not seen");
            meeting.arrive_and_wait();
          });
      run.require(completed == 2, "two phases");
    });
  };
  CHECK(with(2) == "PROVED");
  CHECK(with(3) == "deadlock");
}

TEST_CASE("a future gets what its promise was given, or that it broke") {
  CHECK(outcome_of([](kvrace::run& run) {
          kvrace::promise<int> given;
          kvrace::future<int> taken = given.get_future();
          var<int> beside(0);
          both(
              run,
              [&] {
                beside = 2;
                given.set_value(1);
              },
              [&] { run.require(taken.get() + beside == 3, "the value, and what was written before it"); });
        }) == "PROVED");
  CHECK(outcome_of([](kvrace::run& run) {
          auto given = std::make_unique<kvrace::promise<void>>();
          kvrace::future<void> taken = given->get_future();
          both(
              run, [&] { given.reset(); },
              [&] {
                try {
                  taken.get();
                  run.require(false, "a broken promise has no value");
                } catch (const std::future_error&) {
                }
              });
        }) == "PROVED");
  CHECK(outcome_of([](kvrace::run& run) {
          kvrace::promise<int> given;
          kvrace::future<int> taken = given.get_future();
          atomic<int> refused(0);
          const auto give = [&](int value) {
            try {
              given.set_value(value);
            } catch (const std::future_error&) {
              ++refused;
            }
          };
          both(run, [&] { give(1); }, [&] { give(2); });
          run.require(refused == 1, "one of two is refused");
          run.require(taken.get() != 0, "the other's value is there");
        }) == "PROVED");
  CHECK(outcome_of([](kvrace::run& run) {
          kvrace::promise<int> given;
          kvrace::future<int> taken = given.get_future();
          run.spawn("waits", [&] { (void)taken.get(); });
          run.join_all();
        }) == "deadlock");
}

TEST_CASE("call_once runs once, and again after an exception") {
  CHECK(outcome_of([](kvrace::run& run) {
          kvrace::once_flag flag;
          var<int> made(0);
          const auto use = [&] {
            kvrace::call_once(flag, [&] { made = made + 1; });
            run.require(made == 1, "made once, and seen by everybody");
          };
          for (int i = 0; i < 3; ++i) run.spawn("user", use);
          run.join_all();
        }) == "PROVED");
  CHECK(outcome_of([](kvrace::run& run) {
          kvrace::once_flag flag;
          var<int> tried(0);
          const auto use = [&] {
            try {
              kvrace::call_once(flag, [&] {
                tried = tried + 1;
                if (tried == 1) throw 1;
              });
            } catch (int) {
            }
          };
          both(run, use, use);
          run.require(tried == 2, "the second call tried again");
        }) == "PROVED");
}

TEST_CASE("waiting for an atomic ends with a notification after the change") {
  const auto with = [](std::memory_order stores, bool notifies, bool before) {
    return [=](kvrace::run& run) {
      atomic<int> ready(0);
      var<int> data(0);
      both(
          run,
          [&] {
            data = 1;
            if (notifies && before) ready.notify_all();
            ready.store(1, stores);
            if (notifies && !before) ready.notify_all();
          },
          [&] {
            ready.wait(0, acquire);
            run.require(data == 1, "what was written before the change");
          });
    };
  };
  CHECK(outcome_of(with(release, true, false)) == "PROVED");
  CHECK(outcome_of(with(release, false, false)) == "deadlock");
  CHECK(outcome_of(with(release, true, true)) == "deadlock");
  CHECK(outcome_of(with(relaxed, true, false)) == "data_race");
}

TEST_CASE("what waits and graphs do not model is refused by name") {
  CHECK(refusal_of([](kvrace::run& run) {
          atomic<int> ready(0);
          for (int i = 0; i < 2; ++i) run.spawn("waits", [&] { ready.wait(0); });
          run.spawn("notifies", [&] {
            ready = 1;
            ready.notify_one();
          });
          run.join_all();
        }) == "notify_one of an atomic that several tasks wait for");
  CHECK(contains(refusal_of([](kvrace::run& run) {
                   run.spawn("task", [&] {
                     kvrace::stop_source stop;
                     stop.request_stop();
                   });
                   run.join_all();
                 }),
                 "stop"));
}
