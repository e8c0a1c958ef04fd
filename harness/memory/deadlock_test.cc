// Deadlocks in words: who waits for whom, and which tasks are no part of it.
#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::lock_guard;
using kvrace::mutex;
using kvrace::shared_lock;
using kvrace::shared_mutex;

namespace {

// The first deadlock of a program.
kvrace::finding deadlock(const kvrace::program& tested) {
  const kvrace::result found = explore(tested);
  INFO(found);
  REQUIRE(outcome(found) == "deadlock");
  return found.findings.front();
}

std::string alone(const std::function<void()>& body) {
  return outcome(explore([&](kvrace::run&) { body(); }));
}

}  // namespace

TEST_CASE("a lock cycle of two tasks is a deadlock that names tasks and locks") {
  const kvrace::finding found = deadlock([](kvrace::run& run) {
    mutex left;
    mutex right;
    kvrace::sync::name(left, "left");
    kvrace::sync::name(right, "right");
    run.spawn("up", [&] { lock_guard outer(left), inner(right); });
    run.spawn("down", [&] { lock_guard outer(right), inner(left); });
    run.join_all();
  });
  CHECK(found.message ==
        "a cycle of waiting tasks: 'up' waits for mutex 'right' held by 'down'; 'down' waits for mutex 'left' held by 'up'");
  REQUIRE(found.sites.size() == 2);
  CHECK(contains(found.sites[0].file, "deadlock_test.cc"));
  CHECK(found.sites[0].line != 0);
}

TEST_CASE("a lock cycle of three tasks names the three and not the fourth that waits for one of them") {
  const kvrace::finding found = deadlock([](kvrace::run& run) {
    std::array<mutex, 3> forks;
    run.spawn("bystander", [] {});
    for (std::size_t i = 0; i < 3; ++i)
      run.spawn("philosopher " + std::to_string(i), [&, i] { lock_guard left(forks[i]), right(forks[(i + 1) % 3]); });
    run.join_all();
  });
  CHECK(contains(found.message, "a cycle of waiting tasks: "));
  for (const char* name : {"'philosopher 0' waits for mutex 0.2 held by 'philosopher 1'",
                           "'philosopher 1' waits for mutex 0.3 held by 'philosopher 2'",
                           "'philosopher 2' waits for mutex 0.1 held by 'philosopher 0'"})
    CHECK(contains(found.message, name));
  CHECK_FALSE(contains(found.message, "bystander"));
  CHECK_FALSE(contains(found.message, "body"));
}

TEST_CASE("three tasks that pick up three forks deadlock in some schedules, in one order in none") {
  const auto dine = [](bool ordered) {
    return outcome(explore([=](kvrace::run& run) {
      std::array<mutex, 3> forks;
      for (std::size_t i = 0; i < 3; ++i)
        run.spawn("philosopher", [&, i] {
          const std::size_t first = ordered ? std::min(i, (i + 1) % 3) : i;
          const std::size_t second = ordered ? std::max(i, (i + 1) % 3) : (i + 1) % 3;
          lock_guard outer(forks[first]);
          lock_guard inner(forks[second]);
        });
      run.join_all();
    }));
  };
  CHECK(dine(false) == "deadlock");
  CHECK(dine(true) == "PROVED");
}

TEST_CASE("a reader that waits for a writer that waits for it is a cycle") {
  const kvrace::finding found = deadlock([](kvrace::run& run) {
    shared_mutex table;
    mutex entry;
    kvrace::sync::name(table, "table");
    kvrace::sync::name(entry, "entry");
    run.spawn("reader", [&] { shared_lock outer(table); });
    run.spawn("upgrader", [&] {
      shared_lock outer(table);
      lock_guard inner(entry);
    });
    run.spawn("writer", [&] {
      lock_guard inner(entry);
      lock_guard outer(table);
    });
    run.join_all();
  });
  CHECK(contains(found.message, "'upgrader' waits for mutex 'entry' held by 'writer'"));
  CHECK(contains(found.message, "'writer' waits for shared_mutex 'table' held by 'upgrader'"));
}

TEST_CASE("a task that joins itself is a deadlock") {
  const kvrace::finding found = deadlock([](kvrace::run& run) {
    kvrace::thread self;
    run.spawn("starter", [&] { self = kvrace::thread([&] { self.join(); }); });
    run.join_all();
  });
  CHECK(contains(found.message, "'thread' waits for the end of 'thread'"));
}

TEST_CASE("a join that waits for a task that waits for a lock of the joiner is a deadlock that names both") {
  const kvrace::finding found = deadlock([](kvrace::run&) {
    mutex m;
    kvrace::sync::name(m, "held");
    lock_guard lock(m);
    kvrace::thread child([&] { lock_guard inner(m); });
    child.join();
  });
  CHECK(contains(found.message, "'thread' waits for mutex 'held' held by 'body'"));
  CHECK(contains(found.message, "'body' waits for the end of 'thread'"));
}

TEST_CASE("a deadlock after an abandoned join says what the body waits for now") {
  const auto joins_one = [](kvrace::run&) {
    mutex m;
    m.lock();
    kvrace::thread child([&] { m.lock(); });
    child.join();
  };
  CHECK(contains(message(run_once(joins_one)), "'body' waits for the end of 'thread'"));
  CHECK(contains(message(run_once([](kvrace::run& run) {
                   mutex m;
                   m.lock();
                   run.spawn("child", [&] { m.lock(); });
                   run.join_all();
                 })),
                 "'body' waits for all tasks"));
}

TEST_CASE("tasks with one name are told apart in messages") {
  const kvrace::finding found = deadlock([](kvrace::run& run) {
    mutex left;
    mutex right;
    run.spawn("client", [&] { lock_guard outer(left), inner(right); });
    run.spawn("client", [&] { lock_guard outer(right), inner(left); });
    run.join_all();
  });
  CHECK(contains(found.message, "'client #1' waits for"));
  CHECK(contains(found.message, "held by 'client #2'"));
  CHECK(found.tasks == std::vector<std::string>{"body", "client #1", "client #2"});
}

TEST_CASE("a held lock is no deadlock while somebody can go on") {
  CHECK(alone([] {
          mutex m;
          lock_guard lock(m);
        }) == "PROVED");
}
