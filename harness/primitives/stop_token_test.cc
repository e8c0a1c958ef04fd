// stop tokens, jthread and condition_variable_any.
#include <chrono>
#include <set>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using namespace std::chrono_literals;
using kvrace::atomic;
using kvrace::var;

TEST_CASE("a jthread is asked to stop and joined where it is destroyed") {
  CHECK(outcome(explore([](kvrace::run& run) {
          var<int> ended(0);
          {
            const kvrace::jthread worker([&](const kvrace::stop_token& stop) {
              while (!stop.stop_requested()) kvrace::yield();
              ended = 1;
            });
          }
          run.require(ended == 1, "it has ended, and what it did is seen");
        })) == "PROVED");
}

TEST_CASE("one of two requests is the first; what precedes it is seen by who sees the request") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::stop_source source;
          var<int> data(0);
          atomic<int> firsts(0);
          const kvrace::stop_token token = source.get_token();
          both(
              run,
              [&] {
                data = 1;
                if (source.request_stop()) firsts.fetch_add(1);
              },
              [&] {
                if (token.stop_requested()) run.require(data == 1, "seen");
              });
          if (source.request_stop()) firsts.fetch_add(1);
          run.require(firsts.load() == 1 && token.stop_possible(), "the first only");
        })) == "PROVED");
}

TEST_CASE("a stop callback runs exactly once, whether it was registered before the request or after") {
  std::set<int> in;
  const kvrace::result found = kvrace::prove({}, [&](kvrace::run& run) {
    kvrace::stop_source source;
    var<int> calls(0);
    var<int> made_before(0);
    both(
        run, [&] { source.request_stop(); },
        [&] {
          made_before = 1;
          {
            const kvrace::stop_callback callback(source.get_token(), [&] {
              run.require(made_before == 1, "what precedes the registration is seen");
              ++calls;
              in.insert(static_cast<int>(kvrace::run::task()));
            });
            while (!source.stop_requested()) kvrace::yield();
          }
          run.require(calls == 1, "it has ended where it is destroyed");
        });
  });
  INFO(found);
  CHECK(found.verdict == kvrace::verdict::proved);
  CHECK(in == std::set<int>{1, 2});
}

TEST_CASE("a callback that is destroyed before the request does not run") {
  CHECK(reached<int>([](kvrace::run& run) {
          kvrace::stop_source source;
          int calls = 0;
          both(
              run, [&] { source.request_stop(); },
              [&] { const kvrace::stop_callback callback(source.get_token(), [&] { ++calls; }); });
          return calls;
        }) == std::set<int>{0, 1});
}

TEST_CASE("condition_variable_any works with any lock and misses no notification") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::shared_mutex m;
          kvrace::condition_variable_any changed;
          var<int> value(0);
          both(
              run,
              [&] {
                kvrace::shared_lock lock(m);
                changed.wait(lock, [&] { return value == 1; });
              },
              [&] {
                {
                  const kvrace::lock_guard lock(m);
                  value = 1;
                }
                changed.notify_one();
              });
        })) == "PROVED");
}

TEST_CASE("a condition_variable_any that is notified outside of the lock before the value is set loses the wakeup") {
  const kvrace::result found = explore([](kvrace::run& run) {
    kvrace::mutex m;
    kvrace::condition_variable_any changed;
    kvrace::sync::name(changed, "changed");
    var<int> value(0);
    run.spawn("waiter", [&] {
      kvrace::unique_lock lock(m);
      changed.wait(lock, [&] { return value == 1; });
    });
    run.spawn("setter", [&] {
      changed.notify_all();
      const kvrace::lock_guard lock(m);
      value = 1;
    });
    run.join_all();
  });
  CHECK(outcome(found) == "deadlock");
  CHECK(contains(message(found), "'waiter' waits for a notification of condition_variable 'changed'"));
}

TEST_CASE("a timed wait of condition_variable_any ends at its deadline or with the notification") {
  CHECK(run_once([](kvrace::run& run) {
          kvrace::mutex m;
          kvrace::condition_variable_any changed;
          run.spawn("waiter", [&] {
            kvrace::unique_lock lock(m);
            run.require(changed.wait_for(lock, 5ms) == std::cv_status::timeout, "nobody notifies before");
            run.require(changed.wait_until(lock, kvrace::virtual_clock::now() + 1s) == std::cv_status::no_timeout, "notified");
            run.require(kvrace::run::now() == 10ms && lock.owns_lock(), "at once, with the lock");
          });
          run.spawn("notifier", [&] {
            kvrace::sleep_for(10ms);
            changed.notify_all();
          });
          run.join_all();
        }).passed());
}

TEST_CASE("an interruptible wait ends with the stop request, wherever that comes") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::mutex m;
          kvrace::condition_variable_any changed;
          kvrace::stop_source source;
          both(
              run,
              [&] {
                kvrace::unique_lock lock(m);
                run.require(!changed.wait(lock, source.get_token(), [] { return false; }), "never ready");
                run.require(lock.owns_lock(), "with the lock");
              },
              [&] { source.request_stop(); });
        })) == "PROVED");
}
