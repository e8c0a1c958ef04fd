// mutex and its guards: exclusion, happens-before, every misuse; and primitives destroyed while they are asked for.
#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::lock_guard;
using kvrace::mutex;
using kvrace::shared_lock;
using kvrace::shared_mutex;
using kvrace::unique_lock;
using kvrace::var;

namespace {

// The message of the lock misuse that `tested` always runs into.
std::string misuse(const kvrace::program& tested) {
  const kvrace::result found = run_once(tested);
  INFO(found);
  CHECK(outcome(found) == "lock_misuse");
  return message(found);
}
}  // namespace

TEST_CASE("a mutex excludes, and orders what it protects") {
  const auto values = reached<int>([](kvrace::run& run) {
    mutex m;
    var<int> count(0);
    for (int task = 0; task < 3; ++task)
      run.spawn("task", [&] {
        lock_guard lock(m);
        count = count.load() + 1;
      });
    run.join_all();
    return count.load();
  });
  CHECK(values == std::set<int>{3});
}

TEST_CASE("two mutexes do not exclude each other") {
  CHECK(outcome(explore([](kvrace::run& run) {
          mutex left;
          mutex right;
          var<int> count(0);
          both(
              run,
              [&] {
                lock_guard lock(left);
                count = count.load() + 1;
              },
              [&] {
                lock_guard lock(right);
                count = count.load() + 1;
              });
        })) == "data_race");
}

TEST_CASE("an unlock happens before later locks only") {
  // The second task reads what the first wrote after its unlock.
  CHECK(outcome(explore([](kvrace::run& run) {
          mutex m;
          var<int> data(0);
          both(run, [&] { m.lock(), m.unlock(), data.store(1); }, [&] { m.lock(), (void)data.load(), m.unlock(); });
        })) == "data_race");
}

TEST_CASE("try_lock succeeds exactly when the mutex is free, and a failure orders nothing") {
  const auto results = reached<std::pair<bool, bool>>([](kvrace::run& run) {
    mutex m;
    std::pair<bool, bool> got;
    const auto attempt = [&m](bool& into) {
      into = m.try_lock();
      if (into) m.unlock();
    };
    both(run, [&] { attempt(got.first); }, [&] { attempt(got.second); });
    return got;
  });
  CHECK(results == std::set<std::pair<bool, bool>>{{true, true}, {true, false}, {false, true}});
  CHECK(outcome(explore([](kvrace::run& run) {
          mutex m;
          var<int> data(0);
          both(
              run, [&] { data.store(1), m.lock(), m.unlock(); },
              [&] {
                if (m.try_lock())
                  m.unlock();
                else
                  (void)data.load();
              });
        })) == "data_race");
}

TEST_CASE("unique_lock locks, defers, adopts, tries, moves and releases as in std") {
  const kvrace::result found = run_once([](kvrace::run& run) {
    mutex m;
    const auto locked = [&] {
      bool free = false;
      kvrace::thread probe([&] {
        free = m.try_lock();
        if (free) m.unlock();
      });
      probe.join();
      return !free;
    };
    {
      unique_lock lock(m);
      run.require(lock.owns_lock() && static_cast<bool>(lock) && lock.mutex() == &m && locked(), "locked");
      lock.unlock();
      run.require(!lock.owns_lock() && !locked(), "unlocked");
      run.require(lock.try_lock() && locked(), "tried");
      unique_lock moved(std::move(lock));
      run.require(moved.owns_lock() && !lock.owns_lock() && lock.mutex() == nullptr && locked(), "moved");
      unique_lock<mutex> assigned;
      assigned = std::move(moved);
      run.require(assigned.owns_lock() && !moved.owns_lock() && locked(), "assigned");
    }
    run.require(!locked(), "unlocked by its destructor");
    {
      unique_lock deferred(m, std::defer_lock);
      run.require(!deferred.owns_lock() && !locked(), "deferred");
      deferred.lock();
      run.require(deferred.release() == &m && locked(), "released, still locked");
      unique_lock adopted(m, std::adopt_lock);
      run.require(adopted.owns_lock(), "adopted");
    }
    run.require(!locked(), "adopted, and unlocked by its destructor");
    {
      unique_lock tried(m, std::try_to_lock);
      run.require(tried.owns_lock() && locked(), "tried in the constructor");
    }
    {
      m.lock();
      lock_guard adopted(m, std::adopt_lock);
      run.require(locked(), "adopted by lock_guard");
    }
    run.require(!locked(), "free in the end");
  });
  INFO(found);
  CHECK(outcome(found) == "NOT_FOUND");
}

TEST_CASE("std::lock_guard, std::unique_lock and std::scoped_lock work with a mutex") {
  const auto values = reached<int>([](kvrace::run& run) {
    mutex left;
    mutex right;
    var<int> count(0);
    both(
        run,
        [&] {
          std::scoped_lock lock(left, right);
          count = count.load() + 1;
        },
        [&] {
          std::unique_lock<mutex> outer(right);
          outer.unlock();
          const std::lock_guard<mutex> inner(left);
          count = count.load() + 1;
        });
    return count.load();
  });
  CHECK(values == std::set<int>{2});
}

TEST_CASE("every misuse of a mutex is named") {
  CHECK(contains(misuse([](kvrace::run&) {
                   mutex m;
                   m.lock(), m.lock();
                 }),
                 "mutex 0.1 locked again by its owner"));
  CHECK(contains(misuse([](kvrace::run&) {
                   mutex m;
                   m.lock();
                   (void)m.try_lock();
                 }),
                 "try_lock by its owner"));
  CHECK(contains(misuse([](kvrace::run&) {
                   mutex m;
                   m.unlock();
                 }),
                 "unlocked by a task that does not own it"));
  CHECK(contains(misuse([](kvrace::run& run) {
                   mutex m;
                   m.lock();
                   run.spawn("other", [&] { m.unlock(); });
                   run.join_all();
                 }),
                 "unlocked by a task that does not own it"));
  CHECK(contains(misuse([](kvrace::run&) {
                   mutex m;
                   m.lock();
                 }),
                 "destroyed while locked"));
  CHECK(contains(misuse([](kvrace::run& run) {
                   std::optional<mutex> m(std::in_place);
                   run.spawn("holder", [&] { m->lock(), m.reset(); });
                   run.join_all();
                 }),
                 "destroyed while locked"));
}

TEST_CASE("a misuse reports the line of the call") {
  unsigned line = 0;
  const kvrace::result found = run_once([&](kvrace::run&) {
    mutex m;
    line = std::source_location::current().line() + 1;
    m.unlock();
  });
  CHECK(lines(found) == std::vector<unsigned>{line});
}

TEST_CASE("a lock used outside of a run throws std::logic_error") {
  mutex m;
  shared_mutex s;
  CHECK_THROWS_AS(m.lock(), std::logic_error);
  CHECK_THROWS_AS((void)m.try_lock(), std::logic_error);
  CHECK_THROWS_AS(m.unlock(), std::logic_error);
  CHECK_THROWS_AS(s.lock(), std::logic_error);
  CHECK_THROWS_AS((void)s.try_lock(), std::logic_error);
  CHECK_THROWS_AS(s.unlock(), std::logic_error);
  CHECK_THROWS_AS(s.lock_shared(), std::logic_error);
  CHECK_THROWS_AS((void)s.try_lock_shared(), std::logic_error);
  CHECK_THROWS_AS(s.unlock_shared(), std::logic_error);
}

TEST_CASE("a primitive destroyed between a task's request and its turn is used after destruction") {
  // The user asks while the object is alive, and is overtaken: it must be stopped when it goes on.
  const auto overtaken = [](auto use) {
    return kvrace::replay({}, *kvrace::schedule::parse("1.2:2"), [=](kvrace::run& run) {
      struct holder {
        mutex m;
        shared_mutex s;
        atomic<int> a{0};
        kvrace::condition_variable c;
      };
      auto* held = kvrace::sync::make<holder>();
      atomic<bool> alive(true);
      both(
          run,
          [&, held] {
            if (alive.load()) use(*held);
          },
          [&, held] { alive.store(false), kvrace::sync::destroy(held); });
    });
  };
  const kvrace::result found = overtaken([](auto& held) { held.m.lock(); });
  CHECK(outcome(found) == "use_after_destroy");
  REQUIRE(lines(found).size() == 1);
  CHECK(lines(found).front() != 0);
  CHECK(outcome(overtaken([](auto& held) { (void)held.m.try_lock(); })) == "use_after_destroy");
  CHECK(outcome(overtaken([](auto& held) { held.s.lock(); })) == "use_after_destroy");
  CHECK(outcome(overtaken([](auto& held) { held.s.lock_shared(); })) == "use_after_destroy");
  CHECK(outcome(overtaken([](auto& held) { (void)held.s.try_lock(); })) == "use_after_destroy");
  CHECK(outcome(overtaken([](auto& held) { (void)held.a.load(); })) == "use_after_destroy");
  CHECK(outcome(overtaken([](auto& held) { held.a.fetch_add(1); })) == "use_after_destroy");
  CHECK(outcome(overtaken([](auto& held) { held.c.notify_one(); })) == "use_after_destroy");
}

TEST_CASE("an exhaustive search finds the use of an atomic that was alive when it was asked for") {
  CHECK(outcome(explore([](kvrace::run& run) {
          auto* value = kvrace::sync::make<atomic<int>>(0);
          atomic<bool> alive(true);
          both(
              run,
              [&, value] {
                if (alive.load()) (void)value->load();
              },
              [&, value] { alive.store(false), kvrace::sync::destroy(value); });
        })) == "use_after_destroy");
}
