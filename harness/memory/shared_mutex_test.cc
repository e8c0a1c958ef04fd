// shared_mutex: readers together, a writer alone, the happens-before between them, and every misuse.
#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::lock_guard;
using kvrace::shared_lock;
using kvrace::shared_mutex;
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
