// Virtual time, timed waits and yields: when time advances, what times out, and who runs next.
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

TEST_CASE("sleepers wake in the order of their deadlines, whatever the schedule") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const kvrace::result found =
        kvrace::check({.strategy = kvrace::random_walk(0.5), .seed = seed, .runs = 20}, [](kvrace::run& run) {
          diary order;
          const auto sleeper = [&](std::chrono::nanoseconds first, std::chrono::nanoseconds second, char name) {
            run.spawn("sleeper", [&order, first, second, name] {
              kvrace::sleep_for(first);
              order.add(name);
              kvrace::sleep_for(second);
              order.add(static_cast<char>(name - 'a' + 'A'));
            });
          };
          sleeper(30us, 30us, 'c');  // wakes at 30 and 60
          sleeper(10us, 15us, 'a');  // at 10 and 25
          sleeper(20us, 1ms, 'b');   // at 20 and 1020
          run.join_all();
          run.require(order.text == "abAcCB", "deadlines in order: " + order.text);
        });
    INFO(found);
    CHECK(found.passed());
  }
}

TEST_CASE("a finding tells the virtual time of each step") {
  const kvrace::result found = kvrace::check({.runs = 1}, [](kvrace::run& run) {
    kvrace::mutex lock;
    lock.lock();
    kvrace::sleep_for(30us);
    lock.unlock();
    run.require(false, "to be reported");
  });
  const std::vector<kvrace::trace_step>& trace = found.findings.at(0).trace;
  REQUIRE(trace.size() == 3);  // the sleep is carried out when it ends
  CHECK(trace[0].time_ns == 0);
  CHECK(trace[1].time_ns == 30'000);
  CHECK(trace[2].time_ns == 30'000);
}

TEST_CASE("time does not advance while a task can run") {
  const kvrace::result found = kvrace::check({.strategy = kvrace::random_walk(0.5), .runs = 200}, [](kvrace::run& run) {
    atomic<int> steps(0);
    run.spawn("sleeper", [&] {
      kvrace::sleep_for(1ns);
      run.require(steps.load() == 100, "the busy task had ended");
    });
    run.spawn("busy", [&] {
      for (int i = 0; i < 100; ++i) steps.fetch_add(1);
    });
    run.join_all();
  });
  INFO(found);
  CHECK(found.passed());
}

TEST_CASE("tasks that wake at the same time run in any order") {
  std::set<std::string> seen;
  (void)kvrace::check({.strategy = kvrace::random_walk(0.5), .runs = 200}, [&](kvrace::run& run) {
    diary order;
    for (const char name : {'a', 'b', 'c'})
      run.spawn("sleeper", [&order, name] {
        kvrace::sleep_for(5ms);
        order.add(name);
      });
    run.join_all();
    seen.insert(order.text);
  });
  CHECK(seen.size() == 6);
}

TEST_CASE("sleeping for no time or less gives way only") {
  const kvrace::result found = run_once([](kvrace::run& run) {
    diary order;
    run.spawn("a", [&] {
      kvrace::sleep_for(0ms);
      order.add('a');
      kvrace::sleep_for(-5ms);
      order.add('A');
    });
    run.spawn("b", [&] {
      kvrace::sleep_for(0ms);
      order.add('b');
    });
    run.join_all();
    run.require(order.text == "abA", order.text);
  });
  INFO(found);
  CHECK(found.passed());
}

TEST_CASE("a timed wait that nobody notifies times out, at its deadline and not before others") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const kvrace::result found = kvrace::check({.seed = seed, .runs = 20}, [](kvrace::run& run) {
      mutex m;
      condition_variable never;
      diary order;
      run.spawn("waiter", [&] {
        unique_lock lock(m);
        run.require(never.wait_for(lock, 10ms) == std::cv_status::timeout, "a timeout");
        run.require(lock.owns_lock(), "owned again");
        order.add('w');
      });
      for (const auto& [time, name] : {std::pair(9ms, '1'), std::pair(11ms, '2')})
        run.spawn("sleeper", [&order, time, name] {
          kvrace::sleep_for(time);
          order.add(name);
        });
      run.join_all();
      run.require(order.text == "1w2", order.text);
    });
    INFO(found);
    CHECK(found.passed());
  }
}

TEST_CASE("a timed wait that is notified before its deadline does not time out") {
  const kvrace::result found = kvrace::check({.strategy = kvrace::random_walk(0.5), .runs = 200}, [](kvrace::run& run) {
    mutex m;
    condition_variable ready;
    both(
        run,
        [&] {
          unique_lock lock(m);
          run.require(ready.wait_for(lock, 10ms) == std::cv_status::no_timeout, "notified");
        },
        [&] {
          kvrace::sleep_for(9ms);
          ready.notify_one();
        });
  });
  INFO(found);
  CHECK(found.passed());
}

TEST_CASE("wait_for with a condition keeps one deadline over several wakeups and returns the condition") {
  const kvrace::result found = kvrace::check({.runs = 100}, [](kvrace::run& run) {
    mutex m;
    condition_variable ready;
    bool open = false;
    diary order;
    run.spawn("waiter", [&] {
      unique_lock lock(m);
      run.require(!ready.wait_for(lock, 10ms, [&] { return open; }), "never open in time");
      order.add('w');
    });
    run.spawn("notifier", [&] {
      for (int i = 0; i < 3; ++i) {
        kvrace::sleep_for(3ms);
        ready.notify_all();
      }
      kvrace::sleep_for(3ms);
      order.add('n');
    });
    run.join_all();
    run.require(order.text == "wn", order.text);
    unique_lock lock(m);
    run.require(ready.wait_for(lock, -1ms, [] { return true; }), "true at once");
    run.require(!ready.wait_for(lock, 0ms, [] { return false; }), "false in the end");
  });
  INFO(found);
  CHECK(found.passed());
}

TEST_CASE("durations too long for the clock wait until notified") {
  CHECK(outcome(run_once([](kvrace::run& run) {
          mutex m;
          condition_variable ready;
          both(
              run,
              [&] {
                unique_lock lock(m);
                run.require(ready.wait_for(lock, std::chrono::nanoseconds::max()) == std::cv_status::no_timeout, "notified");
              },
              [&] {
                kvrace::sleep_for(1h);
                ready.notify_one();
              });
        })) == "NOT_FOUND");
}

TEST_CASE("in a proof a timed wait may be notified or time out, and both are explored") {
  const auto seen = reached<std::string>([](kvrace::run& run) {
    mutex m;
    condition_variable ready;
    std::string got;
    both(
        run,
        [&] {
          unique_lock lock(m);
          got = ready.wait_for(lock, 1h) == std::cv_status::timeout ? "timeout" : "notified";
        },
        [&] { ready.notify_one(); });
    return got;
  });
  CHECK(seen == std::set<std::string>{"timeout", "notified"});
}

TEST_CASE("in a proof a timeout may come while the mutex is held, and waits for it") {
  const auto seen = reached<std::string>([](kvrace::run& run) {
    mutex m;
    condition_variable ready;
    var<int> value(0);
    std::string got;
    both(
        run,
        [&] {
          unique_lock lock(m);
          const bool late = ready.wait_for(lock, 1ms) == std::cv_status::timeout;
          got = (late ? "timeout " : "notified ") + std::to_string(value.load());
        },
        [&] {
          unique_lock lock(m);
          value.store(1);
          ready.notify_one();
          value.store(2);
        });
    return got;
  });
  CHECK(seen == std::set<std::string>{"timeout 0", "timeout 2", "notified 2"});
}

TEST_CASE("a violation that needs an early timeout is found by a proof and replays") {
  const auto program = [](kvrace::run& run) {
    mutex m;
    condition_variable ready;
    both(
        run,
        [&] {
          unique_lock lock(m);
          run.require(ready.wait_for(lock, 1h) == std::cv_status::no_timeout, "timed out");
        },
        [&] { ready.notify_one(); });
  };
  const kvrace::result found = explore(program);
  REQUIRE(outcome(found) == "requirement");
  const kvrace::result again = kvrace::replay({}, found.findings.front().schedule, program);
  CHECK(outcome(again) == "requirement");
}

TEST_CASE("a loop that yields until another task acts ends under every strategy, and its runs replay") {
  for (const auto& strategy : {kvrace::random_walk(0.3), kvrace::random_walk(0.001), kvrace::pct({.depth = 3})}) {
    const kvrace::result found =
        kvrace::check({.strategy = strategy, .runs = 300, .stop_at_violation = false}, [](kvrace::run& run) {
          atomic<int> flag(0);
          atomic<int> turns(0);
          run.spawn("waiter", [&] {
            while (flag.load() == 0) kvrace::yield(), turns.fetch_add(1);
          });
          run.spawn("setter", [&] { flag.store(1); });
          run.join_all();
          run.require(turns.load() < 2, "seldom");  // so that there are findings to replay
        });
    INFO(found);
    CHECK((found.verdict == kvrace::verdict::violation || found.verdict == kvrace::verdict::not_found));
    CHECK((found.findings.empty() || outcome(found) == "requirement"));
  }
}

TEST_CASE("along the baseline a yield lets the next task run, in the order of their ids") {
  CHECK(outcome(run_once([](kvrace::run& run) {
          diary order;
          for (const char name : {'a', 'b', 'c'})
            run.spawn("task", [&order, name] {
              order.add(name);
              kvrace::yield();
              order.add(static_cast<char>(name - 'a' + 'A'));
              kvrace::yield();
              order.add(name);
            });
          run.join_all();
          run.require(order.text == "abcABCabc", order.text);
        })) == "NOT_FOUND");
}

TEST_CASE("a switch at a yield is no preemption") {
  // Both tasks get to the middle of the other without a preemption.
  const kvrace::result found = kvrace::prove({.preemptions_max = 0}, [](kvrace::run& run) {
    atomic<int> value(0);
    const auto increment = [&] {
      const int old = value.load();
      kvrace::yield();
      value.store(old + 1);
    };
    both(run, increment, increment);
    run.require(value.load() == 2, "an update was lost");
  });
  CHECK(outcome(found) == "requirement");
}
