// condition_variable: who is woken, what nobody wakes, and what is misuse.
#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using namespace std::chrono_literals;
using kvrace::atomic;
using kvrace::condition_variable;
using kvrace::mutex;
using kvrace::unique_lock;
using kvrace::var;

namespace {

// Tasks write down in which order they come by.
struct diary {
  std::string text;
  void add(char what) { text += what; }
};

}  // namespace

TEST_CASE("a waiter that checks its condition under the mutex never misses the notification") {
  CHECK(outcome(explore([](kvrace::run& run) {
          mutex m;
          condition_variable ready;
          var<int> value(0);
          both(
              run,
              [&] {
                unique_lock lock(m);
                ready.wait(lock, [&] { return value.load() != 0; });
                run.require(value.load() == 1, "what the notifier wrote");
              },
              [&] {
                unique_lock lock(m);
                value.store(1);
                ready.notify_one();
              });
        })) == "PROVED");
}

TEST_CASE("a notification before the wait is lost, and found as a deadlock that names the condition variable") {
  const auto program = [](kvrace::run& run) {
    mutex m;
    condition_variable ready;
    kvrace::sync::name(ready, "ready");
    run.spawn("waiter", [&] {
      unique_lock lock(m);
      ready.wait(lock);
    });
    run.spawn("notifier", [&] { ready.notify_one(); });
    run.join_all();
  };
  const kvrace::result found = explore(program);
  REQUIRE(outcome(found) == "deadlock");
  CHECK(contains(message(found), "no task can go on: "));
  CHECK(contains(message(found), "'waiter' waits for a notification of condition_variable 'ready'"));
  // In the other order all is well.
  CHECK(outcome(run_once(program)) == "NOT_FOUND");
}

TEST_CASE("waiting without a notifier is a deadlock") {
  const kvrace::result found = run_once([](kvrace::run&) {
    mutex m;
    condition_variable never;
    unique_lock lock(m);
    never.wait(lock);
  });
  REQUIRE(outcome(found) == "deadlock");
  CHECK(contains(message(found), "'body' waits for a notification of condition_variable 0.2"));
}

TEST_CASE("a condition changed without the mutex is a lost wakeup") {
  CHECK(outcome(explore([](kvrace::run& run) {
          mutex m;
          condition_variable ready;
          atomic<int> value(0);
          both(
              run,
              [&] {
                unique_lock lock(m);
                while (value.load() == 0) ready.wait(lock);
              },
              [&] { value.store(1), ready.notify_one(); });
        })) == "deadlock");
}

TEST_CASE("wait releases the mutex while it waits and owns it when it returns") {
  const auto seen = reached<std::string>([](kvrace::run& run) {
    mutex m;
    condition_variable ready;
    diary order;
    bool is_ready = false;
    both(
        run,
        [&] {
          unique_lock lock(m);
          order.add('a');
          while (!is_ready) ready.wait(lock);
          order.add('b');
          run.require(lock.owns_lock(), "owned again");
        },
        [&] {
          unique_lock lock(m);
          order.add('1');
          is_ready = true;
          ready.notify_one();
          order.add('2');
        });
    return order.text;
  });
  CHECK(seen == std::set<std::string>{"a12b", "12ab"});
}

TEST_CASE("notify_one wakes any one waiter") {
  for (const unsigned waiters : {1U, 2U, 3U}) {
    std::set<unsigned> woken;
    const kvrace::result found = kvrace::prove({}, [&](kvrace::run& run) {
      mutex m;
      condition_variable ready;
      unsigned waiting = 0;
      unsigned first = 99;
      for (unsigned i = 0; i < waiters; ++i)
        run.spawn("waiter", [&, i] {
          unique_lock lock(m);
          ++waiting;
          ready.wait(lock);
          if (first == 99) first = i;
          ready.notify_one();
        });
      run.spawn("notifier", [&] {
        unique_lock lock(m);
        run.assume(waiting == waiters);
        ready.notify_one();
      });
      run.join_all();
      woken.insert(first);
    });
    INFO(found);
    CHECK(outcome(found) == "PROVED");
    CHECK(woken.size() == waiters);
  }
}

TEST_CASE("notify_one wakes no more than one, notify_all wakes all") {
  const auto program = [](bool all) {
    return [all](kvrace::run& run) {
      mutex m;
      condition_variable ready;
      int waiting = 0;
      for (int i = 0; i < 2; ++i)
        run.spawn("waiter", [&] {
          unique_lock lock(m);
          ++waiting;
          ready.wait(lock);
        });
      run.spawn("notifier", [&, all] {
        unique_lock lock(m);
        run.assume(waiting == 2);
        all ? ready.notify_all() : ready.notify_one();
      });
      run.join_all();
    };
  };
  CHECK(outcome(explore(program(true))) == "PROVED");
  CHECK(outcome(explore(program(false))) == "deadlock");
}

TEST_CASE("a woken waiter competes for the mutex like any other task") {
  const auto seen = reached<std::string>([](kvrace::run& run) {
    mutex m;
    condition_variable ready;
    diary order;
    bool waiting = false;
    run.spawn("waiter", [&] {
      unique_lock lock(m);
      waiting = true;
      ready.wait(lock);
      order.add('w');
    });
    run.spawn("notifier", [&] {
      unique_lock lock(m);
      run.assume(waiting);
      ready.notify_one();
    });
    run.spawn("other", [&] {
      unique_lock lock(m);
      run.assume(waiting);
      order.add('o');
    });
    run.join_all();
    return order.text;
  });
  CHECK(seen == std::set<std::string>{"wo", "ow"});
}

TEST_CASE("every misuse of a condition variable is named") {
  const auto misuse = [](const kvrace::program& tested) {
    const kvrace::result found = run_once(tested);
    CHECK(outcome(found) == "lock_misuse");
    return message(found);
  };
  CHECK(contains(misuse([](kvrace::run&) {
                   mutex m;
                   condition_variable ready;
                   unique_lock lock(m, std::defer_lock);
                   ready.wait(lock);
                 }),
                 "waited on by a task that does not own it"));
  CHECK(contains(misuse([](kvrace::run& run) {
                   mutex left;
                   mutex right;
                   condition_variable ready;
                   const auto wait = [&ready](mutex& m) {
                     unique_lock lock(m);
                     ready.wait(lock);
                   };
                   both(run, [&] { wait(left); }, [&] { wait(right); });
                 }),
                 "waited in with different mutexes at once"));
  CHECK(contains(misuse([](kvrace::run&) {
                   condition_variable ready;
                   unique_lock<mutex> lock;
                   ready.wait(lock);
                 }),
                 "waited in with a lock that has no mutex"));
  CHECK(contains(misuse([](kvrace::run& run) {
                   mutex m;
                   std::optional<condition_variable> ready(std::in_place);
                   both(
                       run,
                       [&] {
                         unique_lock lock(m);
                         ready->wait(lock);
                       },
                       [&] { ready.reset(); });
                 }),
                 "destroyed while tasks wait in it"));
}

TEST_CASE("two mutexes with one condition variable are misuse also when both waits were asked for before either began") {
  const kvrace::result found = kvrace::replay({}, *kvrace::schedule::parse("1.2:2,2.2:1"), [](kvrace::run& run) {
    mutex left;
    mutex right;
    condition_variable ready;
    const auto wait = [&ready](mutex& m) {
      unique_lock lock(m);
      ready.wait(lock);
    };
    run.spawn("left", [&] { wait(left); });
    run.spawn("right", [&] { wait(right); });
    run.spawn("notifier", [&] { ready.notify_all(); });
    run.join_all();
  });
  INFO(found);
  CHECK(outcome(found) == "lock_misuse");
  CHECK(contains(message(found), "waited in with different mutexes at once"));
}

TEST_CASE("one condition variable may serve two mutexes one after the other") {
  CHECK(outcome(run_once([](kvrace::run& run) {
          mutex left;
          mutex right;
          condition_variable ready;
          for (mutex* m : {&left, &right}) {
            bool done = false;
            kvrace::thread waiter([&] {
              unique_lock lock(*m);
              while (!done) ready.wait(lock);
            });
            {
              unique_lock lock(*m);
              done = true;
            }
            ready.notify_one();
            waiter.join();
          }
          run.join_all();
        })) == "NOT_FOUND");
}

TEST_CASE("a condition variable used outside of a run throws std::logic_error") {
  mutex m;
  condition_variable ready;
  unique_lock lock(m, std::defer_lock);
  CHECK_THROWS_AS(ready.notify_one(), std::logic_error);
  CHECK_THROWS_AS(ready.notify_all(), std::logic_error);
  CHECK_THROWS_AS(ready.wait(lock), std::logic_error);
  CHECK_THROWS_AS(kvrace::yield(), std::logic_error);
  CHECK_THROWS_AS(kvrace::sleep_for(1ms), std::logic_error);
}
