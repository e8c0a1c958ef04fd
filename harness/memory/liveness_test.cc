// What does not end: missed wakeups, waits that cannot end while others go on, calls that take too long; and other programs that
// are commonly wrong. Each finding names the resource, and repeats.
#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::lock_guard;
using kvrace::mutex;
using kvrace::unique_lock;
using kvrace::var;

namespace {

// The finding that a sample and a proof agree on, after its replay.
kvrace::finding found_and_replayed(const kvrace::program& tested, const std::string& oracle, const kvrace::limits& limits = {}) {
  const kvrace::result sampled = kvrace::check({.runs = 1'000, .limits = limits}, tested);
  INFO(sampled);
  REQUIRE(outcome(sampled) == oracle);
  CHECK(outcome(explore(tested, limits)) == oracle);
  const kvrace::finding found = sampled.findings.front();
  const kvrace::result again = kvrace::replay({.limits = limits}, found.schedule, tested);
  REQUIRE(outcome(again) == oracle);
  CHECK(message(again) == found.message);
  return found;
}

}  // namespace

TEST_CASE("a missed wakeup names the condition variable and the notification that nobody waited for") {
  const kvrace::finding found = found_and_replayed(
      [](kvrace::run& run) {
        mutex m;
        kvrace::condition_variable ready;
        kvrace::atomic<bool> is_ready(false);
        kvrace::sync::name(ready, "ready");
        run.spawn("consumer", [&] {
          unique_lock lock(m);
          if (!is_ready.load()) ready.wait(lock);  // the flag is not set under the mutex
        });
        run.spawn("producer", [&] {
          is_ready.store(true);
          ready.notify_one();
        });
        run.join_all();
      },
      "deadlock");
  CHECK(
      contains(found.message, "'consumer' waits for a notification of condition_variable 'ready', which was notified at step "));
  CHECK(contains(found.message, ", when nobody waited"));
}

TEST_CASE("a lost update is found by the sum, and as the race that it is where the data are plain") {
  const auto add_twice = [](auto& value, kvrace::run& run) {
    both(run, [&] { value.store(value.load() + 1); }, [&] { value.store(value.load() + 1); });
    run.require(value.load() == 2, "the counter has lost an update");
  };
  const kvrace::finding lost = found_and_replayed(
      [&](kvrace::run& run) {
        kvrace::atomic<int> counter(0);
        kvrace::sync::name(counter, "counter");
        add_twice(counter, run);
      },
      "requirement");
  CHECK(lost.message == "the counter has lost an update");
  const kvrace::finding race = found_and_replayed(
      [&](kvrace::run& run) {
        var<int> counter(0);
        kvrace::sync::name(counter, "counter");
        add_twice(counter, run);
      },
      "data_race");
  CHECK(contains(race.message, "var 'counter'"));
}

TEST_CASE("three locks that are taken in a cycle name the three") {
  const kvrace::finding found = found_and_replayed(
      [](kvrace::run& run) {
        std::array<mutex, 3> locks;
        const char* const names[] = {"index", "pool", "feed"};
        for (std::size_t i = 0; i < 3; ++i) kvrace::sync::name(locks[i], names[i]);
        for (std::size_t i = 0; i < 3; ++i)
          run.spawn("task-" + std::to_string(i), [&, i] { lock_guard outer(locks[i]), inner(locks[(i + 1) % 3]); });
        run.join_all();
      },
      "deadlock");
  for (const char* part : {"'task-0' waits for mutex 'pool' held by 'task-1'", "'task-1' waits for mutex 'feed' held by 'task-2'",
                           "'task-2' waits for mutex 'index' held by 'task-0'"})
    CHECK(contains(found.message, part));
}

TEST_CASE("a semaphore that is released by who has not acquired it names the semaphore") {
  const kvrace::finding found = found_and_replayed(
      [](kvrace::run& run) {
        kvrace::binary_semaphore entry(1);
        kvrace::sync::name(entry, "entry");
        run.spawn("owner", [&] {
          entry.acquire();
          entry.release();
        });
        run.spawn("other", [&] {
          (void)entry.try_acquire();  // and goes on without it
          entry.release();
        });
        run.join_all();
      },
      "semaphore_misuse");
  CHECK(found.message == "semaphore 'entry' is released beyond its maximum, or by less than 0");
}

TEST_CASE("a semaphore used as a mutex, released by the wrong owner, lets two in") {
  const kvrace::finding found = found_and_replayed(
      [](kvrace::run& run) {
        kvrace::counting_semaphore<2> entry(1);
        var<int> balance(0);
        kvrace::sync::name(balance, "balance");
        for (const char* name : {"a", "b"})
          run.spawn(name, [&] {
            entry.acquire();
            balance.store(balance.load() + 1);
            entry.release();
          });
        run.spawn("other", [&] { entry.release(); });
        run.join_all();
      },
      "data_race");
  CHECK(contains(found.message, "var 'balance'"));
}

TEST_CASE("a barrier with one participant too few names the barrier, and how many it awaits") {
  const kvrace::finding found = found_and_replayed(
      [](kvrace::run& run) {
        kvrace::barrier phase(3);
        kvrace::sync::name(phase, "phase");
        run.spawn("a", [&] { phase.arrive_and_wait(); });
        run.spawn("b", [&] { phase.arrive_and_wait(); });
        run.join_all();
      },
      "deadlock");
  CHECK(contains(found.message, "waits for barrier 'phase', which awaits 1 more arrival"));
  const kvrace::finding latch = found_and_replayed(
      [](kvrace::run& run) {
        kvrace::latch done(3);
        kvrace::sync::name(done, "done");
        run.spawn("a", [&] { done.arrive_and_wait(); });
        run.join_all();
      },
      "deadlock");
  CHECK(contains(latch.message, "waits for latch 'done', which is to be counted down 2 more times"));
}

namespace {

// Two tasks that wait for each other, and a third that goes on for ever.
void cycle_beside_a_loop(kvrace::run& run) {
  mutex left;
  mutex right;
  kvrace::sync::name(left, "left");
  kvrace::sync::name(right, "right");
  run.spawn("up", [&] { lock_guard outer(left), inner(right); });
  run.spawn("down", [&] { lock_guard outer(right), inner(left); });
  run.spawn("polls", [] {
    for (;;) kvrace::yield();
  });
  run.join_all();
}

}  // namespace

TEST_CASE("tasks that wait for each other are a deadlock although another goes on") {
  const kvrace::result found =
      kvrace::check({.runs = 100, .stop_at_violation = false, .limits = {.steps_max = 200}}, cycle_beside_a_loop);
  std::set<std::string> oracles;
  for (const kvrace::finding& each : found.findings) {
    oracles.insert(each.oracle);
    if (each.oracle == "deadlock") {
      CHECK(contains(each.message, "a cycle of waiting tasks: 'up' waits for mutex 'right' held by 'down'"));
      CHECK_FALSE(contains(each.message, "polls"));
    }
  }
  CHECK(oracles == std::set<std::string>{"deadlock", "step_bound"});
}

TEST_CASE("a wait with a deadline is no deadlock") {
  const kvrace::result found = kvrace::check({.runs = 100, .limits = {.steps_max = 200}}, [](kvrace::run& run) {
    kvrace::timed_mutex left;
    kvrace::timed_mutex right;
    const auto take_both = [](kvrace::timed_mutex& outer, kvrace::timed_mutex& inner) {
      const lock_guard guard(outer);
      if (inner.try_lock_for(std::chrono::seconds(1))) inner.unlock();
    };
    both(run, [&] { take_both(left, right); }, [&] { take_both(right, left); });
  });
  CHECK(found.passed());
}

namespace {

// Each gives up what it has when it cannot have the other, and begins anew.
void polite(kvrace::run& run) {
  mutex left;
  mutex right;
  const auto take_both = [](mutex& outer, mutex& inner) {
    kvrace::operation call([] { return std::string("take_both()"); });
    for (;;) {
      outer.lock();
      if (inner.try_lock()) break;
      outer.unlock();
      kvrace::yield();
    }
    inner.unlock();
    outer.unlock();
  };
  run.spawn("up", [&] { take_both(left, right); });
  run.spawn("down", [&] { take_both(right, left); });
  run.join_all();
}

}  // namespace

TEST_CASE("a livelock under a fair schedule names the call and the task") {
  const kvrace::limits bounded{.call_steps_max = 30};
  const kvrace::result found = kvrace::check({.strategy = kvrace::round_robin(1), .runs = 20, .limits = bounded}, polite);
  INFO(found);
  REQUIRE(outcome(found) == "call_bound");
  CHECK(contains(message(found), "in take_both() took "));
  CHECK(contains(message(found), " steps of its own for one call, of at most 30"));
  const kvrace::result again = kvrace::replay({.limits = bounded}, found.findings.front().schedule, polite);
  CHECK(message(again) == message(found));
}

TEST_CASE("what others do does not count as a step of a call") {
  const kvrace::program tested = [](kvrace::run& run) {
    kvrace::atomic<int> value(0);
    run.spawn("short", [&] {
      const kvrace::operation call([] { return std::string("two steps"); });
      value.store(1);
      value.store(2);
    });
    run.spawn("long", [&] {
      for (int i = 0; i < 10; ++i) value.store(i);
    });
    run.join_all();
  };
  const kvrace::result two = explore(tested, {.call_steps_max = 2});
  INFO(two);
  CHECK(two.verdict == kvrace::verdict::proved);
  CHECK(contains(two.claim, "no call takes more than 2 steps of its own"));
  CHECK(outcome(explore(tested, {.call_steps_max = 1})) == "call_bound");
}
