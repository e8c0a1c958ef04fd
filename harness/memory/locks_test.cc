// mutex, shared_mutex and their guards: exclusion, happens-before, every misuse, and deadlocks in words.
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

std::string alone(const std::function<void()>& body) {
  return outcome(explore([&](kvrace::run&) { body(); }));
}
// The message of the lock misuse that `tested` always runs into.
std::string misuse(const kvrace::program& tested) {
  const kvrace::result found = run_once(tested);
  INFO(found);
  CHECK(outcome(found) == "lock_misuse");
  return message(found);
}
// The first deadlock of a program.
kvrace::finding deadlock(const kvrace::program& tested) {
  const kvrace::result found = explore(tested);
  INFO(found);
  REQUIRE(outcome(found) == "deadlock");
  return found.findings.front();
}

}  // namespace

// ---- mutex ----

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

// ---- shared_mutex ----

TEST_CASE("readers hold a shared_mutex together, a writer alone") {
  const auto overlaps = reached<std::pair<bool, bool>>([](kvrace::run& run) {
    shared_mutex m;
    atomic<int> readers(0);
    atomic<int> writers(0);
    bool readers_met = false;
    bool writer_met_somebody = false;
    for (int reader = 0; reader < 2; ++reader)
      run.spawn("reader", [&] {
        shared_lock lock(m);
        if (readers.fetch_add(1) == 1) readers_met = true;
        if (writers.load() != 0) writer_met_somebody = true;
        readers.fetch_sub(1);
      });
    run.spawn("writer", [&] {
      lock_guard lock(m);
      writers.fetch_add(1);
      if (readers.load() != 0) writer_met_somebody = true;
      writers.fetch_sub(1);
    });
    run.join_all();
    return std::pair(readers_met, writer_met_somebody);
  });
  CHECK(overlaps == std::set<std::pair<bool, bool>>{{false, false}, {true, false}});
}

TEST_CASE("a writer's unlock happens before later readers and writers, a reader's before later writers") {
  const auto writer_first = [](bool second_writes) {
    return outcome(explore([=](kvrace::run& run) {
      shared_mutex m;
      var<int> data(0);
      both(
          run, [&] { m.lock(), data.store(1), m.unlock(); },
          [&] {
            if (second_writes)
              m.lock(), data.store(2), m.unlock();
            else
              m.lock_shared(), (void)data.load(), m.unlock_shared();
          });
    }));
  };
  CHECK(writer_first(true) == "PROVED");
  CHECK(writer_first(false) == "PROVED");
  CHECK(outcome(explore([](kvrace::run& run) {
          shared_mutex m;
          var<int> data(0);
          for (int reader = 0; reader < 2; ++reader)
            run.spawn("reader", [&] {
              shared_lock lock(m);
              (void)data.load();
            });
          run.spawn("writer", [&] {
            lock_guard lock(m);
            data.store(1);
          });
          run.join_all();
        })) == "PROVED");
}

TEST_CASE("there is no happens-before from reader to reader") {
  CHECK(outcome(explore([](kvrace::run& run) {
          shared_mutex m;
          var<int> data(0);
          atomic<int> order(0);
          both(
              run, [&] { data.store(1), m.lock_shared(), order.store(1, std::memory_order_relaxed), m.unlock_shared(); },
              [&] {
                m.lock_shared();
                const bool after = order.load(std::memory_order_relaxed) == 1;
                m.unlock_shared();
                if (after) (void)data.load();
              });
        })) == "data_race");
  // A writer between them passes it on.
  CHECK(outcome(explore([](kvrace::run& run) {
          shared_mutex m;
          var<int> data(0);
          int stage = 0;
          run.spawn("first", [&] { data.store(1), m.lock_shared(), m.unlock_shared(), stage = 1; });
          run.spawn("writer", [&] {
            lock_guard lock(m);
            if (stage == 1) stage = 2;
          });
          run.spawn("second", [&] {
            shared_lock lock(m);
            if (stage == 2) (void)data.load();
          });
          run.join_all();
        })) == "PROVED");
}

TEST_CASE("writing under a shared lock is a race") {
  CHECK(outcome(explore([](kvrace::run& run) {
          shared_mutex m;
          var<int> data(0);
          both(
              run,
              [&] {
                shared_lock lock(m);
                data.store(1);
              },
              [&] {
                shared_lock lock(m);
                (void)data.load();
              });
        })) == "data_race");
}

TEST_CASE("try_lock and try_lock_shared of a shared_mutex fail exactly when they must") {
  const kvrace::result found = run_once([](kvrace::run& run) {
    shared_mutex m;
    const auto other = [&](bool shared) {
      bool got = false;
      kvrace::thread probe([&] {
        got = shared ? m.try_lock_shared() : m.try_lock();
        if (got) shared ? m.unlock_shared() : m.unlock();
      });
      probe.join();
      return got;
    };
    run.require(other(true) && other(false), "free: both");
    m.lock_shared();
    run.require(other(true) && !other(false), "held by a reader: readers only");
    m.unlock_shared();
    m.lock();
    run.require(!other(true) && !other(false), "held by a writer: nobody");
    m.unlock();
    run.require(m.try_lock() && !other(true), "try_lock holds");
    m.unlock();
    run.require(m.try_lock_shared() && !other(false) && other(true), "try_lock_shared holds");
    m.unlock_shared();
    run.require(other(false), "free again");
  });
  INFO(found);
  CHECK(outcome(found) == "NOT_FOUND");
}

TEST_CASE("a waiting writer is woken by the last reader, waiting readers by the writer") {
  CHECK(outcome(explore([](kvrace::run& run) {
          shared_mutex m;
          var<int> data(0);
          for (int reader = 0; reader < 2; ++reader)
            run.spawn("reader", [&] {
              m.lock_shared();
              (void)data.load();
              m.unlock_shared();
              m.lock_shared();
              m.unlock_shared();
            });
          run.spawn("writer", [&] {
            m.lock();
            data.store(1);
            m.unlock();
          });
          run.join_all();
        })) == "PROVED");
}

TEST_CASE("every misuse of a shared_mutex is named") {
  const std::string again = "locked again by a task that holds it";
  CHECK(contains(misuse([](kvrace::run&) {
                   shared_mutex m;
                   m.lock(), m.lock();
                 }),
                 again));
  CHECK(contains(misuse([](kvrace::run&) {
                   shared_mutex m;
                   m.lock(), m.lock_shared();
                 }),
                 again));
  CHECK(contains(misuse([](kvrace::run&) {
                   shared_mutex m;
                   m.lock_shared(), m.lock();
                 }),
                 again));
  CHECK(contains(misuse([](kvrace::run&) {
                   shared_mutex m;
                   m.lock_shared(), m.lock_shared();
                 }),
                 again));
  CHECK(contains(misuse([](kvrace::run&) {
                   shared_mutex m;
                   m.lock();
                   (void)m.try_lock();
                 }),
                 again));
  CHECK(contains(misuse([](kvrace::run&) {
                   shared_mutex m;
                   m.lock_shared();
                   (void)m.try_lock_shared();
                 }),
                 again));
  CHECK(contains(misuse([](kvrace::run&) {
                   shared_mutex m;
                   m.lock_shared(), m.unlock();
                 }),
                 "unlocked by a task that does not own it"));
  CHECK(contains(misuse([](kvrace::run&) {
                   shared_mutex m;
                   m.lock(), m.unlock_shared();
                 }),
                 "unlock_shared by a task that holds no shared lock"));
  CHECK(contains(misuse([](kvrace::run& run) {
                   shared_mutex m;
                   m.lock_shared();
                   run.spawn("other", [&] { m.unlock_shared(); });
                   run.join_all();
                 }),
                 "unlock_shared by a task that holds no shared lock"));
  CHECK(contains(misuse([](kvrace::run&) {
                   shared_mutex m;
                   m.lock_shared();
                 }),
                 "destroyed while locked"));
  CHECK(contains(misuse([](kvrace::run&) {
                   shared_mutex m;
                   m.lock();
                 }),
                 "destroyed while locked"));
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

// ---- deadlocks ----

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
  CHECK(contains(found.sites[0].file, "locks_test.cc"));
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
