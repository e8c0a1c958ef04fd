// Waiting on atomics, atomic_flag, task_local, and the members that are shorthand for others.
#include <set>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::var;

TEST_CASE("who waits on an atomic goes on once it has changed and was notified of") {
  CHECK(outcome(explore([](kvrace::run& run) {
          atomic<int> ready(0);
          var<int> data(0);
          both(
              run,
              [&] {
                data = 1;
                ready.store(1, std::memory_order_release);
                ready.notify_one();
              },
              [&] {
                ready.wait(0, std::memory_order_acquire);
                run.require(data == 1, "seen");
              });
        })) == "PROVED");
}

TEST_CASE("a change that nobody notifies of is a lost wakeup that names the atomic") {
  const kvrace::result found = explore([](kvrace::run& run) {
    atomic<int> ready(0);
    kvrace::sync::name(ready, "ready");
    run.spawn("setter", [&] { ready.store(1); });
    run.spawn("waiter", [&] { ready.wait(0); });
    run.join_all();
  });
  CHECK(outcome(found) == "deadlock");
  CHECK(contains(message(found), "'waiter' waits for a notification of atomic 'ready'"));
}

TEST_CASE("a notification without a change wakes nobody for good; notify_one wakes any one") {
  CHECK(outcome(explore([](kvrace::run& run) {
          atomic<int> ready(0);
          both(run, [&] { ready.notify_all(); }, [&] { ready.wait(0); });
        })) == "deadlock");
  std::set<unsigned> woken;
  const kvrace::result found = kvrace::prove({}, [&](kvrace::run& run) {
    atomic<int> ready(0);
    for (int i = 0; i < 2; ++i)
      run.spawn("waiter", [&] {
        ready.wait(0);
        if (ready.exchange(2) == 1) woken.insert(kvrace::run::task());
        ready.notify_one();
      });
    run.spawn("setter", [&] {
      ready.store(1);
      ready.notify_one();
    });
    run.join_all();
  });
  INFO(found);
  CHECK(found.verdict == kvrace::verdict::proved);
  CHECK(woken == std::set<unsigned>{1, 2});
}

TEST_CASE("a spin lock of an atomic_flag, waiting instead of spinning") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::atomic_flag locked;
          kvrace::sync::name(locked, "locked");
          var<int> count(0);
          const auto task = [&] {
            while (locked.test_and_set(std::memory_order_acquire)) locked.wait(true, std::memory_order_relaxed);
            ++count;
            locked.clear(std::memory_order_release);
            locked.notify_one();
          };
          both(run, task, task);
          run.require(count == 2 && !locked.test(), "both counted");
        })) == "PROVED");
}

TEST_CASE("a task_local is each task's own") {
  struct counter {
    int value = 0;
  };
  CHECK(sample([](kvrace::run& run) {
          kvrace::task_local<counter> own;
          atomic<int> order(0);
          own->value = 100;
          for (int i = 0; i < 3; ++i)
            run.spawn("task", [&] {
              for (int k = 0; k < 3; ++k) {
                ++own->value;
                order.fetch_add(1);
              }
              run.require((*own).value == 3, "its own");
            });
          run.join_all();
          run.require(own.get().value == 100, "the body's own");
        }).passed());
}

TEST_CASE("shorthand members do what they stand for") {
  CHECK(run_once([](kvrace::run& run) {
          atomic<unsigned> bits(6);
          run.require((bits += 3) == 9 && (bits -= 1) == 8 && (bits |= 3) == 11 && (bits &= 9) == 9 && (bits ^= 1) == 8,
                      "atomic");
          int array[3] = {1, 2, 3};
          atomic<int*> at(array);
          run.require(*++at == 2 && *at++ == 2 && *at.load() == 3 && *--at == 2, "pointers");
          var<int> plain(1);
          plain += 4;
          plain -= 2;
          ++plain;
          --plain;
          run.require(plain == 3, "var");
          run.require(kvrace::this_task() == kvrace::this_task(), "the same task");
          kvrace::thread other([&, body = kvrace::this_task()] { run.require(kvrace::this_task() != body, "another task"); });
          run.require(other.get_id() != kvrace::this_task() && other.get_id() != kvrace::thread::id(), "as its thread says");
          other.join();
          run.require(other.get_id() == kvrace::thread::id(), "no task any more");
        }).passed());
}
