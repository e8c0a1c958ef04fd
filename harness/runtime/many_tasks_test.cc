// As many tasks as there can be, and one more.
#include <map>
#include <numeric>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::thread;
using kvrace::var;

TEST_CASE("sixty-four spawned tasks run and are all interleaved") {
  std::set<unsigned> first;
  std::set<unsigned> last;
  const kvrace::result found = kvrace::check({.strategy = kvrace::random_walk(1), .runs = 1000}, [&](kvrace::run& run) {
    atomic<int> started(0);
    atomic<int> ended(0);
    std::array<int, 64> ran{};
    int overlapped = 0;
    for (unsigned i = 0; i < 64; ++i)
      run.spawn("task", [&, i] {
        ++ran[i];
        if (started.fetch_add(1) == 0) first.insert(kvrace::run::task());
        kvrace::yield();
        if (ended.fetch_add(1) == 63) last.insert(kvrace::run::task());
        if (started.load() == 64) ++overlapped;
      });
    run.join_all();
    run.require(std::accumulate(ran.begin(), ran.end(), 0) == 64, "each ran once");
    run.require(started.load() == 64 && ended.load() == 64, "all ended");
    run.require(overlapped >= 1, "the last to end sees all started");
  });
  INFO(found);
  CHECK(found.passed());
  CHECK(found.counts.tasks_max == 64);
  CHECK(first.size() == 64);
  CHECK(last.size() == 64);
}

TEST_CASE("sixty-four tasks of a proof, most of which end before they announce anything") {
  for (const unsigned with_operations : {0U, 1U, 2U}) {
    for (const bool last_ones : {false, true}) {
      std::set<std::string> orders;
      const kvrace::result found = kvrace::prove({}, [&](kvrace::run& run) {
        atomic<int> value(0);
        std::string order;
        unsigned ended = 0;
        for (unsigned i = 0; i < 64; ++i)
          run.spawn("task", [&, i] {
            if ((last_ones ? 63 - i : i) < with_operations) {
              value.fetch_add(1);
              order += static_cast<char>('A' + i % 26);
            }
            ++ended;
          });
        run.join_all();
        run.require(ended == 64, "all ended");
        orders.insert(order);
      });
      INFO(found);
      CHECK(found.verdict == kvrace::verdict::proved);
      CHECK(found.counts.tasks_max == 64);
      CHECK(found.counts.executions_distinct == (with_operations == 2 ? 2 : 1));
      CHECK(orders.size() == (with_operations == 2 ? 2 : 1));
    }
  }
}

TEST_CASE("sixty-four tasks synchronise: the body sees what each wrote, and they exclude each other") {
  CHECK(sample(
            [](kvrace::run& run) {
              kvrace::mutex m;
              var<int> count(0);
              std::array<var<int>, 64> own;
              for (unsigned i = 0; i < 64; ++i)
                run.spawn("task", [&, i] {
                  own[i] = static_cast<int>(i);
                  kvrace::lock_guard lock(m);
                  count = count.load() + 1;
                });
              run.join_all();
              for (unsigned i = 0; i < 64; ++i) run.require(own[i].load() == static_cast<int>(i), "joined");
              run.require(count.load() == 64, "no update lost");
            },
            50)
            .passed());
}

TEST_CASE("each of sixty-four tasks can race with each, the last with the body's neighbours too") {
  for (const auto& pair : {std::pair(0U, 63U), std::pair(62U, 63U), std::pair(0U, 1U), std::pair(31U, 63U)}) {
    const unsigned one = pair.first;
    const unsigned other = pair.second;
    const kvrace::result found = run_once([=](kvrace::run& run) {
      var<int> data(0);
      for (unsigned i = 0; i < 64; ++i)
        run.spawn("task " + std::to_string(i), [&, i] {
          if (i == one || i == other) data.store(1);
        });
      run.join_all();
    });
    REQUIRE(outcome(found) == "data_race");
    CHECK(contains(message(found), "'task " + std::to_string(one) + "'"));
    CHECK(contains(message(found), "'task " + std::to_string(other) + "'"));
  }
}

TEST_CASE("a sixty-fifth task is a violation") {
  const kvrace::result found = run_once([](kvrace::run& run) {
    for (int i = 0; i < 65; ++i) run.spawn("task", [] {});
    run.join_all();
  });
  CHECK(outcome(found) == "too_many_tasks");
  CHECK(contains(message(found), "at most 64 tasks"));
}

TEST_CASE("findings among sixty-four tasks name all of them and replay") {
  const auto program = [](const std::function<void(kvrace::run&, unsigned)>& act) {
    return [act](kvrace::run& run) {
      for (unsigned i = 0; i < 64; ++i)
        run.spawn("task " + std::to_string(i), [&run, &act, i] {
          kvrace::yield();
          act(run, i);
        });
      run.join_all();
    };
  };
  for (const unsigned culprit : {0U, 10U, 62U, 63U}) {
    const auto failing = program([culprit](kvrace::run& run, unsigned i) { run.require(i != culprit, "the culprit"); });
    for (const auto& strategy : {kvrace::random_walk(0.5), kvrace::pct({.depth = 2})}) {
      const kvrace::result found = kvrace::check({.strategy = strategy, .runs = 20}, failing);
      INFO(found);
      REQUIRE(outcome(found) == "requirement");
      const kvrace::finding& what = found.findings.front();
      REQUIRE(what.tasks.size() == 65);
      CHECK(what.tasks[0] == "body");
      for (unsigned i = 0; i < 64; ++i) CHECK(what.tasks[i + 1] == "task " + std::to_string(i));
      const auto parsed = kvrace::schedule::parse(what.schedule.to_string());
      REQUIRE(parsed);
      CHECK(outcome(kvrace::replay({}, *parsed, failing)) == "requirement");
    }
  }
  const kvrace::result stuck = sample([](kvrace::run& run) {
    kvrace::mutex m;
    for (unsigned i = 0; i < 64; ++i) run.spawn("task " + std::to_string(i), [&] { m.lock(); });
    run.join_all();
  });
  CHECK(outcome(stuck) == "deadlock");
  CHECK(contains(message(stuck), "waits for mutex 0.1 held by '"));
  CHECK(contains(message(stuck), "'body' waits for all tasks"));
}

TEST_CASE("a lock that the body holds while it waits for sixty-four tasks is refused, not taken for misuse") {
  for (const int tasks : {63, 64}) {
    const kvrace::result found = run_once([tasks](kvrace::run& run) {
      kvrace::shared_mutex m;
      kvrace::shared_lock lock(m);
      for (int i = 0; i < tasks; ++i) run.spawn("reader", [&] { kvrace::shared_lock inner(m); });
      run.join_all();
    });
    INFO(found);
    CHECK(outcome(found) == (tasks == 63 ? "NOT_FOUND" : "unsound"));
    if (tasks == 64) CHECK(contains(message(found), "let the body hold no lock in join_all()"));
  }
}

TEST_CASE("objects of the sixty-fourth task and later ones of the body are told apart") {
  const kvrace::result found = run_once([](kvrace::run& run) {
    for (unsigned i = 0; i < 64; ++i)
      run.spawn("task", [] {
        atomic<int> own(0);
        own.store(1);
      });
    run.join_all();
    atomic<int> late(0);
    late.store(1);
    run.require(false, "so that there is a trace");
  });
  REQUIRE(outcome(found) == "requirement");
  std::map<std::string, std::set<unsigned>> users;
  for (const auto& step : found.findings.front().trace)
    if (step.kind == "store") users[step.object].insert(step.task);
  CHECK(users.size() == 65);
}

TEST_CASE("sixty-four threads can each be joined") {
  const kvrace::result found = run_once([](kvrace::run&) {
    atomic<int> ended(0);
    std::vector<thread> all;
    for (int i = 0; i < 64; ++i) all.emplace_back([&] { ended.fetch_add(1); });
    for (thread& each : all) each.join();
  });
  INFO(found);
  // The sixty-fourth shares its place with the body, so only join_all() can wait for it. Anything else must say so.
  CHECK(outcome(found) == "too_many_tasks");
  CHECK(contains(message(found), "join_all()"));
}
