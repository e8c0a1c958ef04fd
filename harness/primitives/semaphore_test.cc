// counting_semaphore and binary_semaphore.
#include <chrono>
#include <set>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using namespace std::chrono_literals;
using kvrace::atomic;
using kvrace::var;

TEST_CASE("a semaphore lets in as many as it counts") {
  std::set<int> most;
  const kvrace::result found = kvrace::prove({}, [&](kvrace::run& run) {
    kvrace::counting_semaphore<3> permits(2);
    atomic<int> inside(0);
    int seen = 0;
    for (int i = 0; i < 3; ++i)
      run.spawn("client", [&] {
        permits.acquire();
        seen = std::max(seen, inside.fetch_add(1) + 1);
        inside.fetch_sub(1);
        permits.release();
      });
    run.join_all();
    most.insert(seen);
  });
  INFO(found);
  CHECK(found.verdict == kvrace::verdict::proved);
  CHECK(most == std::set<int>{1, 2});
}

TEST_CASE("a binary semaphore used as a mutex orders what it guards") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::binary_semaphore one(1);
          var<int> count(0);
          const auto add = [&] {
            one.acquire();
            ++count;
            one.release();
          };
          both(run, add, add);
          run.require(count == 2, "both counted");
        })) == "PROVED");
}

TEST_CASE("a semaphore used as a mutex by the wrong owner lets two in") {
  const kvrace::result found = explore([](kvrace::run& run) {
    kvrace::counting_semaphore<> one(1);
    var<int> count(0);
    both(
        run,
        [&] {
          one.acquire();
          ++count;
          one.release();
        },
        [&] {
          one.release();  // without having acquired
          one.acquire();
          ++count;
          one.release();
        });
  });
  CHECK(outcome(found) == "data_race");
}

TEST_CASE("every release is seen by the acquisitions after it") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::counting_semaphore<> items(0);
          var<int> first(0);
          var<int> second(0);
          run.spawn("first", [&] {
            first = 1;
            items.release();
          });
          run.spawn("second", [&] {
            second = 1;
            items.release();
          });
          run.spawn("consumer", [&] {
            items.acquire();
            items.acquire();
            run.require(first + second == 2, "both");
          });
          run.join_all();
        })) == "PROVED");
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::counting_semaphore<> items(0);
          var<int> first(0);
          both(
              run,
              [&] {
                items.release();
                first = 1;
              },
              [&] {
                items.acquire();
                (void)first.load();
              });
        })) == "data_race");
}

TEST_CASE("acquiring what nobody releases is a deadlock that names the semaphore") {
  const kvrace::result found = explore([](kvrace::run& run) {
    kvrace::binary_semaphore never(0);
    kvrace::sync::name(never, "never");
    run.spawn("client", [&] { never.acquire(); });
    run.join_all();
  });
  CHECK(outcome(found) == "deadlock");
  CHECK(contains(message(found), "'client' waits for semaphore 'never'"));
}

TEST_CASE("try_acquire fails exactly where nothing is left") {
  const auto seen = reached<int>([](kvrace::run& run) {
    kvrace::binary_semaphore one(1);
    atomic<int> taken(0);
    const auto task = [&] {
      if (one.try_acquire()) taken.fetch_add(1);
    };
    both(run, task, task);
    return taken.load();
  });
  CHECK(seen == std::set<int>{1});
}

TEST_CASE("a timed acquisition waits until its deadline and no longer") {
  CHECK(run_once([](kvrace::run& run) {
          kvrace::binary_semaphore one(0);
          run.spawn("early", [&] { run.require(!one.try_acquire_for(5ms), "nobody releases before"); });
          run.spawn("late", [&] {
            run.require(one.try_acquire_until(kvrace::virtual_clock::now() + 1s), "released in time");
            run.require(kvrace::run::now() == 10ms, "at once");
          });
          run.spawn("releaser", [&] {
            kvrace::sleep_for(10ms);
            one.release();
          });
          run.join_all();
        }).passed());
}

TEST_CASE("a task whose time is over is not held back by those who take the permit") {
  CHECK(sample([](kvrace::run& run) {
          kvrace::binary_semaphore one(0);
          for (int i = 0; i < 3; ++i)
            run.spawn("waiter", [&] {
              if (one.try_acquire_for(10ms)) one.release();
            });
          run.spawn("releaser", [&] {
            kvrace::sleep_for(10ms);
            one.release();
            one.acquire();
            one.release();
          });
          run.join_all();
        }).passed());
}

TEST_CASE("in a proof a timed acquisition may fail whenever there is nothing to take") {
  CHECK(reached<bool>([](kvrace::run& run) {
          kvrace::binary_semaphore one(0);
          bool got = false;
          both(run, [&] { one.release(); }, [&] { got = one.try_acquire_for(1ms); });
          return got;
        }) == std::set<bool>{false, true});
}

TEST_CASE("releasing beyond the maximum is a misuse") {
  CHECK(outcome(run_once([](kvrace::run&) {
          kvrace::binary_semaphore one(1);
          one.release();
        })) == "semaphore_misuse");
  CHECK(outcome(run_once([](kvrace::run&) { kvrace::binary_semaphore one(2); })) == "semaphore_misuse");
}
