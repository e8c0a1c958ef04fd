// Timed and recursive mutexes, scoped_lock, and what locks of one kind can do like their namesakes of std.
#include <chrono>
#include <set>
#include <utility>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using namespace std::chrono_literals;
using kvrace::var;

TEST_CASE("a timed lock is taken as soon as it is free, and given up at the deadline") {
  CHECK(run_once([](kvrace::run& run) {
          kvrace::timed_mutex m;
          run.spawn("owner", [&] {
            const kvrace::lock_guard lock(m);
            kvrace::sleep_for(10ms);
          });
          run.spawn("impatient", [&] {
            kvrace::yield();
            run.require(!m.try_lock_for(5ms) && kvrace::run::now() == 5ms, "too early");
          });
          run.spawn("patient", [&] {
            kvrace::yield();
            run.require(m.try_lock_until(kvrace::virtual_clock::now() + 1s), "free in time");
            run.require(kvrace::run::now() == 10ms, "at once");
            m.unlock();
          });
          run.join_all();
        }).passed());
}

TEST_CASE("timed locks exclude each other and order what they guard, in every schedule") {
  const auto work = [](kvrace::run& run) {
    kvrace::timed_mutex m;
    var<int> count(0);
    int done = 0;
    const auto task = [&] {
      if (!m.try_lock_for(10ms)) return;
      ++count;
      ++done;
      m.unlock();
    };
    for (int i = 0; i < 3; ++i) run.spawn("client", task);
    run.join_all();
    run.require(count == done && done >= 1, "all that got in counted");
    return done;
  };
  CHECK(reached<int>(work) == std::set<int>{1, 2, 3});
  CHECK(sample([&](kvrace::run& run) { run.require(work(run) == 3, "nobody holds it until the deadline"); }, 2'000).passed());
}

TEST_CASE("a shared timed mutex: readers together, writers alone, each until its deadline") {
  CHECK(run_once([](kvrace::run& run) {
          kvrace::shared_timed_mutex m;
          run.spawn("reader", [&] {
            kvrace::shared_lock lock(m);
            kvrace::sleep_for(10ms);
          });
          run.spawn("second reader", [&] {
            kvrace::yield();
            run.require(m.try_lock_shared_for(1ms) && kvrace::run::now() == 0ms, "at once");
            m.unlock_shared();
          });
          run.spawn("impatient writer", [&] {
            kvrace::yield();
            run.require(!m.try_lock_for(5ms), "a reader is inside");
          });
          run.spawn("patient writer", [&] {
            kvrace::yield();
            run.require(m.try_lock_for(1s) && kvrace::run::now() == 10ms, "when it leaves");
            m.unlock();
          });
          run.join_all();
        }).passed());
  CHECK(sample([](kvrace::run& run) {
          kvrace::shared_timed_mutex m;
          var<int> value(0);
          for (int i = 0; i < 2; ++i) {
            run.spawn("writer", [&] {
              if (!m.try_lock_for(5ms)) return;
              ++value;
              m.unlock();
            });
            run.spawn("reader", [&] {
              const kvrace::shared_lock lock(m, std::defer_lock);
              if (!m.try_lock_shared_for(5ms)) return;
              (void)value.load();
              m.unlock_shared();
            });
          }
          run.join_all();
        }).passed());
}

TEST_CASE("a recursive mutex is its owner's until the last unlock") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::recursive_mutex m;
          var<int> count(0);
          const auto task = [&] {
            const kvrace::lock_guard outer(m);
            ++count;
            {
              const kvrace::lock_guard inner(m);
              ++count;
            }
            run.require(m.try_lock(), "once more");
            ++count;
            m.unlock();
          };
          both(run, task, task);
          run.require(count == 6, "both, all of it");
        })) == "PROVED");
  CHECK(outcome(run_once([](kvrace::run&) {
          kvrace::recursive_mutex m;
          m.lock();
          m.unlock();
          m.unlock();
        })) == "lock_misuse");
  CHECK(run_once([](kvrace::run& run) {
          kvrace::recursive_timed_mutex m;
          m.lock();
          run.require(m.try_lock_for(1ms), "its own");
          m.unlock();
          run.spawn("other", [&] { run.require(!m.try_lock_for(1ms), "still held"); });
          kvrace::sleep_for(5ms);
          m.unlock();
          run.join_all();
        }).passed());
}

TEST_CASE("scoped_lock takes several locks in whatever order they are named, without deadlock") {
  // Two that back off may do so for ever: no bound on preemptions closes the search.
  CHECK(outcome(kvrace::prove({.preemptions_max = 4}, [](kvrace::run& run) {
          kvrace::mutex a;
          kvrace::mutex b;
          var<int> count(0);
          both(
              run,
              [&] {
                const kvrace::scoped_lock lock(a, b);
                ++count;
              },
              [&] {
                const kvrace::scoped_lock lock(b, a);
                ++count;
              });
          run.require(count == 2, "both");
        })) == "EXHAUSTED");
}

TEST_CASE("a lock-order inversion over three locks is a cycle of three") {
  const kvrace::result found = explore([](kvrace::run& run) {
    kvrace::mutex locks[3];
    for (int i = 0; i < 3; ++i)
      run.spawn("philosopher", [&locks, i] {
        const kvrace::lock_guard left(locks[i]);
        const kvrace::lock_guard right(locks[(i + 1) % 3]);
      });
    run.join_all();
  });
  CHECK(outcome(found) == "deadlock");
  CHECK(contains(message(found), "a cycle of waiting tasks: 'philosopher #1'"));
  CHECK(contains(message(found), "'philosopher #3'"));
}

TEST_CASE("shared_lock can be deferred, moved and released; misuse of a guard is named") {
  CHECK(run_once([](kvrace::run& run) {
          kvrace::shared_mutex m;
          kvrace::shared_lock later(m, std::defer_lock);
          run.require(!later && later.try_lock() && later.owns_lock(), "taken");
          kvrace::shared_lock moved = std::move(later);
          run.require(moved.owns_lock() && moved.mutex() == &m, "moved");
          moved.unlock();
          moved.lock();
          moved.release()->unlock_shared();
          run.require(!kvrace::shared_lock<kvrace::shared_mutex>(), "empty");
        }).passed());
  CHECK(contains(message(run_once([](kvrace::run&) {
                   kvrace::mutex m;
                   kvrace::unique_lock lock(m);
                   lock.lock();
                 })),
                 "a lock that owns its mutex is locked again"));
  CHECK(outcome(run_once([](kvrace::run&) {
          kvrace::unique_lock<kvrace::mutex> empty;
          empty.lock();
        })) == "lock_misuse");
}
