// Data races on var and shadow: which pairs of accesses race, and that both sides are named.
#include <algorithm>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::shadow;
using kvrace::var;

namespace {

unsigned line_here(std::source_location where = std::source_location::current()) { return where.line(); }

kvrace::result two_tasks(const std::function<void(var<int>&)>& first, const std::function<void(var<int>&)>& second) {
  return explore([&](kvrace::run& run) {
    var<int> data(0);
    both(run, [&] { first(data); }, [&] { second(data); });
  });
}

}  // namespace

TEST_CASE("both accesses of a race are steps of its report, the second one the last") {
  const kvrace::result found = sample([](kvrace::run& run) {
    var<int> datum(0);
    kvrace::sync::name(datum, "datum");
    both(run, [&] { datum = 1; }, [&] { (void)datum.load(); });
  });
  REQUIRE(outcome(found) == "data_race");
  const std::vector<kvrace::trace_step>& trace = found.findings.front().trace;
  REQUIRE(trace.size() >= 2);
  const auto accesses = std::count_if(trace.begin(), trace.end(), [](const auto& step) { return step.object == "var 'datum'"; });
  CHECK(accesses == 2);
  CHECK(trace.back().object == "var 'datum'");
  CHECK(trace.back().site.line == found.findings.front().sites.back().line);
}

TEST_CASE("two unordered writes race, and the report names both tasks and both lines") {
  unsigned first_line = 0;
  unsigned second_line = 0;
  const kvrace::result found = two_tasks(
      [&](var<int>& data) {
        first_line = line_here() + 1;
        data.store(1);
      },
      [&](var<int>& data) {
        second_line = line_here() + 1;
        data.store(2);
      });
  REQUIRE(outcome(found) == "data_race");
  CHECK(found.verdict == kvrace::verdict::violation);
  std::vector<unsigned> at = lines(found);
  std::sort(at.begin(), at.end());
  CHECK(at == std::vector<unsigned>{first_line, second_line});
  CHECK(contains(message(found), "a write by 'first' at "));
  CHECK(contains(message(found), "a write by 'second' at "));
  CHECK(contains(message(found), "race_test.cc:" + std::to_string(first_line)));
  CHECK(contains(message(found), "race_test.cc:" + std::to_string(second_line)));
}

TEST_CASE("a write after an unordered read races, and so does a read after an unordered write") {
  const auto read = [](var<int>& data) { (void)data.load(); };
  const auto write = [](var<int>& data) { data.store(1); };
  const kvrace::result read_first = two_tasks(read, write);
  CHECK(outcome(read_first) == "data_race");
  CHECK(contains(message(read_first), "a read by 'first'"));
  CHECK(contains(message(read_first), "a write by 'second'"));
  const kvrace::result write_first = two_tasks(write, read);
  CHECK(outcome(write_first) == "data_race");
  CHECK(contains(message(write_first), "a write by 'first'"));
  CHECK(contains(message(write_first), "a read by 'second'"));
}

TEST_CASE("unordered reads do not race") {
  const auto read = [](var<int>& data) { (void)data.load(); };
  CHECK(outcome(two_tasks(read, read)) == "PROVED");
}

TEST_CASE("conversion and assignment are checked as load and store are") {
  CHECK(outcome(two_tasks([](var<int>& data) { data = 5; }, [](var<int>& data) { (void)static_cast<int>(data); })) ==
        "data_race");
  CHECK(outcome(two_tasks([](var<int>& data) { (void)static_cast<int>(data); },
                          [](var<int>& data) { (void)static_cast<int>(data); })) == "PROVED");
}

TEST_CASE("copying a var reads one and writes the other") {
  const auto copies = [](bool second_writes_source) {
    return explore([=](kvrace::run& run) {
      var<int> from(1);
      var<int> to(0);
      both(
          run, [&] { to = from; },
          [&] {
            if (second_writes_source)
              from.store(2);
            else
              (void)from.load();
          });
      run.require(to.load() != 0, "the value was copied");
    });
  };
  CHECK(outcome(copies(true)) == "data_race");
  CHECK(outcome(copies(false)) == "PROVED");
}

TEST_CASE("each of three concurrent readers races with a later writer") {
  // The writer is ordered after two of the readers in every way but one.
  for (unsigned unordered = 0; unordered < 3; ++unordered) {
    const kvrace::result found = run_once([&](kvrace::run& run) {
      var<int> data(0);
      atomic<int> done(0);
      for (unsigned reader = 0; reader < 3; ++reader)
        run.spawn("reader " + std::to_string(reader), [&, reader] {
          (void)data.load();
          done.fetch_add(1, reader == unordered ? std::memory_order_relaxed : std::memory_order_release);
        });
      run.spawn("writer", [&] {
        if (done.load(std::memory_order_acquire) == 3) data.store(1);
      });
      run.join_all();
    });
    INFO("reader " << unordered);
    REQUIRE(outcome(found) == "data_race");
    CHECK(contains(message(found), "a read by 'reader " + std::to_string(unordered) + "'"));
    CHECK(contains(message(found), "a write by 'writer'"));
  }
}

TEST_CASE("a writer ordered after three concurrent readers does not race with them") {
  const kvrace::result found = explore([](kvrace::run& run) {
    var<int> data(0);
    atomic<int> done(0);
    for (unsigned reader = 0; reader < 3; ++reader)
      run.spawn("reader", [&] {
        (void)data.load();
        done.fetch_add(1, std::memory_order_release);
      });
    run.spawn("writer", [&] {
      if (done.load(std::memory_order_acquire) == 3) data.store(1);
    });
    run.join_all();
  });
  CHECK(outcome(found) == "PROVED");
}

TEST_CASE("a reader that reads again after concurrent readers is remembered with its last read") {
  const kvrace::result found = run_once([](kvrace::run& run) {
    var<int> data(0);
    atomic<int> first_done(0);
    atomic<int> second_done(0);
    run.spawn("first", [&] {
      (void)data.load();
      first_done.store(1, std::memory_order_release);
      (void)data.load();  // not published
    });
    run.spawn("second", [&] {
      (void)data.load();
      second_done.store(1, std::memory_order_release);
    });
    run.spawn("writer", [&] {
      if (first_done.load(std::memory_order_acquire) + second_done.load(std::memory_order_acquire) == 2) data.store(1);
    });
    run.join_all();
  });
  REQUIRE(outcome(found) == "data_race");
  CHECK(contains(message(found), "a read by 'first'"));
}

TEST_CASE("a write forgets the reads it is ordered after") {
  // Readers' table in use, then an ordered write, then an unordered read by an old reader's task: only the write races.
  const kvrace::result found = run_once([](kvrace::run& run) {
    var<int> data(0);
    atomic<int> done(0);
    for (int reader = 0; reader < 2; ++reader)
      run.spawn("reader", [&] {
        (void)data.load();
        done.fetch_add(1, std::memory_order_release);
      });
    run.spawn("writer", [&] {
      if (done.load(std::memory_order_acquire) == 2) data.store(1);
    });
    run.spawn("late", [&] { (void)data.load(); });
    run.join_all();
  });
  REQUIRE(outcome(found) == "data_race");
  CHECK(contains(message(found), "a write by 'writer'"));
  CHECK(contains(message(found), "a read by 'late'"));
}

TEST_CASE("a shadow races as the container it stands for would") {
  const auto with = [](bool first_writes, bool second_writes) {
    return explore([=](kvrace::run& run) {
      shadow container;
      const auto access = [&container](bool writes) { writes ? container.write() : container.read(); };
      both(run, [=] { access(first_writes); }, [=] { access(second_writes); });
    });
  };
  CHECK(outcome(with(true, true)) == "data_race");
  CHECK(outcome(with(true, false)) == "data_race");
  CHECK(outcome(with(false, true)) == "data_race");
  CHECK(outcome(with(false, false)) == "PROVED");
}

TEST_CASE("what the body does before a spawn and after a join never races") {
  const kvrace::result found = explore([](kvrace::run& run) {
    var<int> data(0);
    data.store(1);
    run.spawn("task", [&] { data.store(data.load() + 1); });
    run.join_all();
    data.store(data.load() + 1);
    run.require(data.load() == 3, "three writes in order");
  });
  CHECK(outcome(found) == "PROVED");
}

TEST_CASE("what the body does between a spawn and the join races") {
  CHECK(outcome(explore([](kvrace::run& run) {
          var<int> data(0);
          run.spawn("task", [&] { data.store(1); });
          data.store(2);
          run.join_all();
        })) == "data_race");
}

TEST_CASE("two children of one task race, parent and child do not once joined") {
  const auto family = [](bool join_between) {
    return explore([=](kvrace::run& run) {
      var<int> data(0);
      run.spawn("parent", [&] {
        kvrace::thread elder([&] { data.store(1); });
        if (join_between) elder.join();
        kvrace::thread younger([&] { data.store(2); });
        if (!join_between) elder.join();
        younger.join();
        data.store(3);
      });
      run.join_all();
      run.require(data.load() == 3, "the parent wrote last");
    });
  };
  CHECK(outcome(family(true)) == "PROVED");
  CHECK(outcome(family(false)) == "data_race");
}

TEST_CASE("destroying plain data that another task may still access is a race") {
  const auto destroyed = [](bool wait_first) {
    return explore([=](kvrace::run& run) {
      auto* data = new (std::nothrow) var<int>(0);
      atomic<int> done(0);
      run.spawn("user", [&, data] {
        data->store(1);
        done.store(1, std::memory_order_release);
      });
      if (!wait_first || done.load(std::memory_order_acquire) == 1) data->~var();
      run.join_all();
      ::operator delete(data);
    });
  };
  CHECK(outcome(destroyed(true)) == "PROVED");
  CHECK(outcome(destroyed(false)) != "PROVED");
}

TEST_CASE("a race is found in the first run that has it, whatever the order of the two accesses") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const kvrace::result found = kvrace::check({.seed = seed, .runs = 1}, [](kvrace::run& run) {
      var<int> data(0);
      atomic<int> other(0);
      both(
          run, [&] { other.store(1, std::memory_order_relaxed), data.store(1); },
          [&] { (void)other.load(std::memory_order_relaxed), (void)data.load(); });
    });
    CHECK(outcome(found) == "data_race");
  }
}

TEST_CASE("races are not looked for when the limits say so") {
  const kvrace::result found = explore(
      [](kvrace::run& run) {
        var<int> data(0);
        both(run, [&] { data.store(1); }, [&] { data.store(2); });
      },
      {.data_races = false});
  CHECK(outcome(found) == "PROVED");
  CHECK(contains(found.claim, "data races were not looked for"));
}

TEST_CASE("clocks of more than four tasks take part in race detection") {
  // Lanes are added in groups of four as tasks appear; the race is between the first and the last of many.
  for (const unsigned tasks : {3U, 4U, 5U, 8U, 9U, 33U, 63U}) {
    const auto program = [tasks](bool ordered) {
      return [tasks, ordered](kvrace::run& run) {
        var<int> data(0);
        atomic<unsigned> turn(0);
        for (unsigned i = 0; i < tasks; ++i)
          run.spawn("task", [&, i] {
            if (turn.load(std::memory_order_acquire) != i) return;
            if (i == 0 || i == tasks - 1) data.store(static_cast<int>(i));
            turn.store(i + 1, ordered || i + 1 != tasks / 2 ? std::memory_order_release : std::memory_order_relaxed);
          });
        run.join_all();
      };
    };
    INFO(tasks << " tasks");
    CHECK(outcome(run_once(program(true))) == "NOT_FOUND");
    CHECK(outcome(run_once(program(false))) == "data_race");
  }
}

TEST_CASE("an atomic used by a task that does not know of its construction is a race") {
  const auto published = [](std::memory_order order) {
    return explore([=](kvrace::run& run) {
      atomic<atomic<int>*> pointer(nullptr);
      run.spawn("maker", [&] { pointer.store(kvrace::sync::make<atomic<int>>(7), order); });
      run.spawn("user", [&] {
        if (atomic<int>* made = pointer.load(std::memory_order_acquire); made != nullptr)
          (void)made->load(std::memory_order_relaxed);
      });
      run.join_all();
      kvrace::sync::destroy(pointer.load());
    });
  };
  CHECK(outcome(published(std::memory_order_release)) == "PROVED");
  CHECK(outcome(published(std::memory_order_relaxed)) == "data_race");
}
