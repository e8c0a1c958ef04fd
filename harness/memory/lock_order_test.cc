// Locks in orders that contradict each other, in runs that meet no deadlock.
#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::lock_guard;
using kvrace::mutex;
using kvrace::shared_lock;
using kvrace::shared_mutex;

namespace {

// Along the baseline: one task after the other, so that no deadlock is met.
kvrace::result in_turn(const kvrace::program& tested) { return run_once(tested, {.lock_order = true}); }

struct two_locks {
  mutex a;
  mutex b;
  two_locks() {
    kvrace::sync::name(a, "a");
    kvrace::sync::name(b, "b");
  }
  void up() { lock_guard outer(a), inner(b); }
  void down() { lock_guard outer(b), inner(a); }
};

}  // namespace

TEST_CASE("two locks in both orders are a potential deadlock with the four places where they are taken") {
  const kvrace::program tested = [](kvrace::run& run) {
    two_locks locks;
    run.spawn("up", [&] { locks.up(); });
    run.spawn("down", [&] { locks.down(); });
    run.join_all();
  };
  CHECK(outcome(run_once(tested)) == "NOT_FOUND");
  const kvrace::result found = in_turn(tested);
  REQUIRE(outcome(found) == "lock_order");
  CHECK(message(found) ==
        "a potential deadlock, not met in this run: 'up' took mutex 'b' while it held mutex 'a'; "
        "'down' took mutex 'a' while it held mutex 'b'");
  CHECK(found.findings.front().subject == "mutex 'a'");
  REQUIRE(lines(found).size() == 4);
  CHECK(lines(found)[0] + 1 == lines(found)[2]);
  CHECK(outcome(explore(tested)) == "deadlock");
}

TEST_CASE("whichever edge comes last, the finding is the same") {
  std::set<std::string> signatures;
  for (const bool up_first : {false, true}) {
    const kvrace::result found = in_turn([up_first](kvrace::run& run) {
      two_locks locks;
      run.spawn("first", [&] { up_first ? locks.up() : locks.down(); });
      run.spawn("second", [&] { up_first ? locks.down() : locks.up(); });
      run.join_all();
    });
    REQUIRE(outcome(found) == "lock_order");
    signatures.insert(found.findings.front().signature());
  }
  CHECK(signatures.size() == 1);
}

TEST_CASE("one order, a common lock around both, one task alone, and tasks that never overlap are none") {
  CHECK(outcome(in_turn([](kvrace::run& run) {
          two_locks locks;
          both(run, [&] { locks.up(); }, [&] { locks.up(); });
        })) == "NOT_FOUND");
  CHECK(outcome(in_turn([](kvrace::run& run) {
          two_locks locks;
          mutex gate;
          both(
              run,
              [&] {
                lock_guard guard(gate);
                locks.up();
              },
              [&] {
                lock_guard guard(gate);
                locks.down();
              });
        })) == "NOT_FOUND");
  CHECK(outcome(in_turn([](kvrace::run& run) {
          two_locks locks;
          run.spawn("alone", [&] {
            locks.up();
            locks.down();
          });
          run.join_all();
        })) == "NOT_FOUND");
  CHECK(outcome(in_turn([](kvrace::run& run) {
          two_locks locks;
          locks.up();
          run.spawn("task", [&] { locks.down(); });
          run.join_all();
          locks.up();
        })) == "NOT_FOUND");
}

TEST_CASE("a task that was joined before another began does not overlap with it; its siblings do") {
  const auto outcome_of = [](bool join_first) {
    return outcome(in_turn([join_first](kvrace::run& run) {
      two_locks locks;
      kvrace::thread first([&] { locks.up(); });
      if (join_first) first.join();
      kvrace::thread second([&] { locks.down(); });
      if (!join_first) first.join();
      second.join();
      run.join_all();
    }));
  };
  CHECK(outcome_of(true) == "NOT_FOUND");
  CHECK(outcome_of(false) == "lock_order");
}

TEST_CASE("readers do not wait for readers; writers do") {
  const auto outcome_of = [](bool writes) {
    return outcome(in_turn([writes](kvrace::run& run) {
      shared_mutex a;
      shared_mutex b;
      both(
          run, [&] { shared_lock outer(a), inner(b); },
          [&] {
            shared_lock outer(b);
            if (writes)
              lock_guard inner(a);
            else
              shared_lock inner(a);
          });
    }));
  };
  CHECK(outcome_of(false) == "NOT_FOUND");
  // The reader of b waits for nobody: b is only read. So it is no cycle either.
  CHECK(outcome_of(true) == "NOT_FOUND");
  CHECK(outcome(in_turn([](kvrace::run& run) {
          shared_mutex a;
          mutex b;
          both(
              run,
              [&] {
                shared_lock outer(a);
                lock_guard inner(b);
              },
              [&] {
                lock_guard outer(b);
                lock_guard inner(a);
              });
        })) == "lock_order");
}

TEST_CASE("a lock that is only tried is waited for by nobody") {
  CHECK(outcome(in_turn([](kvrace::run& run) {
          two_locks locks;
          both(
              run, [&] { locks.up(); },
              [&] {
                lock_guard outer(locks.b);
                if (locks.a.try_lock()) locks.a.unlock();
              });
        })) == "NOT_FOUND");
}

TEST_CASE("three locks in a cycle are found without meeting the deadlock, and replayed") {
  const kvrace::program tested = [](kvrace::run& run) {
    std::array<mutex, 3> locks;
    for (std::uint32_t i = 0; i < 3; ++i) kvrace::sync::name(locks[i], "lock ", i);
    for (std::size_t i = 0; i < 3; ++i)
      run.spawn("task-" + std::to_string(i), [&, i] { lock_guard outer(locks[i]), inner(locks[(i + 1) % 3]); });
    run.join_all();
  };
  const kvrace::result found = in_turn(tested);
  REQUIRE(outcome(found) == "lock_order");
  CHECK(message(found) ==
        "a potential deadlock, not met in this run: 'task-0' took mutex 'lock 1' while it held mutex 'lock 0'; "
        "'task-1' took mutex 'lock 2' while it held mutex 'lock 1'; 'task-2' took mutex 'lock 0' while it held mutex 'lock 2'");
  CHECK(lines(found).size() == 6);
  const kvrace::result met = explore(tested);
  REQUIRE(outcome(met) == "deadlock");
  const kvrace::result again = kvrace::replay({}, met.findings.front().schedule, tested);
  CHECK(message(again) == message(met));
}

TEST_CASE("a lock that is taken again after a wait for a notification counts") {
  CHECK(outcome(in_turn([](kvrace::run& run) {
          two_locks locks;
          kvrace::condition_variable ready;
          bool is_ready = false;
          run.spawn("waits", [&] {
            lock_guard outer(locks.b);
            kvrace::unique_lock inner(locks.a);
            while (!is_ready) ready.wait(inner);
          });
          run.spawn("notifies", [&] {
            lock_guard guard(locks.a);
            is_ready = true;
            ready.notify_one();
          });
          run.spawn("up", [&] { locks.up(); });
          run.join_all();
        })) == "lock_order");
}

TEST_CASE("a program with one lock order is proved with it, and the claim says so") {
  const kvrace::result found = explore(
      [](kvrace::run& run) {
        two_locks locks;
        both(run, [&] { locks.up(); }, [&] { locks.up(); });
      },
      {.lock_order = true});
  INFO(found);
  CHECK(found.verdict == kvrace::verdict::proved);
  CHECK(contains(found.claim, "no locks are taken in orders that contradict each other"));
}
