// Runs shared by several processes: the same result for any number.
#include <unistd.h>

#include <csignal>
#include <sstream>
#include <stdexcept>
#include <string>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::var;

namespace {

// Fails in two ways, the first rare, the second rarer.
void lossy(kvrace::run& run) {
  atomic<int> count(0);
  atomic<int> order(0);
  const auto add = [&] {
    const int seen = count.load();
    order.fetch_add(1);
    order.fetch_add(1);
    count.store(seen + 1);
    run.add(0, 1);
  };
  for (int i = 0; i < 3; ++i) run.spawn("adder", add);
  run.join_all();
  run.add(1, static_cast<std::uint64_t>(count.load()));
  if (count.load() == 1) run.fail({.oracle = "lost_two", .subject = "count", .message = "two updates are lost"});
  if (count.load() == 2 && run.flip()) run.fail({.oracle = "lost_one", .subject = "count", .message = "an update is lost"});
}

// All of a result that must not depend on who executed what.
std::string told(const kvrace::result& found) {
  std::ostringstream out;
  const kvrace::search_counts& counts = found.counts;
  out << found << '\n' << found.seed << ' ' << found.interrupted << '\n';
  out << counts.runs << ' ' << counts.schedules_distinct << ' ' << counts.steps << ' ' << counts.decisions << ' '
      << counts.switches << ' ' << counts.violations << ' ' << counts.blocked << ' ' << counts.tasks_max << ' '
      << counts.decisions_max << '\n';
  for (const auto& [name, value] : found.metrics) out << name << ' ' << value << '\n';
  for (const kvrace::finding& each : found.findings)
    out << each.run << ' ' << each.step << ' ' << each.occurrences << ' ' << each.schedule.to_string() << ' ' << each.trace_digest
        << ' ' << each.trace.size() << '\n';
  return out.str();
}

kvrace::check_options options_of(const kvrace::strategy_choice& strategy, bool stop, unsigned jobs) {
  kvrace::check_options options;
  options.strategy = strategy;
  options.seed = 5;
  options.runs = 3'000;
  options.jobs = jobs;
  options.stop_at_violation = stop;
  options.count_distinct = true;
  options.metrics = {"added", "left"};
  return options;
}

}  // namespace

TEST_CASE("a sample is the same for any number of processes") {
  const kvrace::strategy_choice strategies[] = {kvrace::random_walk(0.02), kvrace::pct({.depth = 2, .decisions_max = 20}),
                                                kvrace::pos(), kvrace::surw()};
  for (const kvrace::strategy_choice& strategy : strategies)
    for (const bool stop : {false, true}) {
      const kvrace::result alone = kvrace::check(options_of(strategy, stop, 1), lossy);
      INFO(alone);
      REQUIRE(alone.verdict == kvrace::verdict::violation);
      for (const unsigned jobs : {2U, 3U, 7U}) CHECK(told(kvrace::check(options_of(strategy, stop, jobs), lossy)) == told(alone));
    }
}

TEST_CASE("a violation late in the sample is found where one process finds it") {
  const auto late = [](kvrace::run& run) { run.require(run.pick(0, 999) != 7, "one in a thousand"); };
  const kvrace::result alone = kvrace::check({.seed = 3, .runs = 20'000}, late);
  REQUIRE(alone.verdict == kvrace::verdict::violation);
  REQUIRE(alone.counts.runs > 64);
  CHECK(told(kvrace::check({.seed = 3, .runs = 20'000, .jobs = 2}, late)) == told(alone));
}

TEST_CASE("a process that dies is reported with its signal and the runs it was at") {
  const auto dies = [parent = ::getpid()](kvrace::run& run) {
    if (run.pick(0, 499) == 7 && ::getpid() != parent) ::raise(SIGKILL);
  };
  std::string said;
  try {
    (void)kvrace::check({.seed = 2, .runs = 50'000, .jobs = 2}, dies);
  } catch (const std::runtime_error& error) {
    said = error.what();
  }
  CHECK(contains(said, "a worker process was ended by signal " + std::to_string(SIGKILL)));
}

TEST_CASE("an observer ends a shared search too") {
  struct impatient : kvrace::search_observer {
    bool on_progress(const kvrace::search_progress& now) override { return now.runs < 200; }
  } observer;
  const kvrace::result found =
      kvrace::check({.runs = 0, .jobs = 2, .observer = &observer}, [](kvrace::run& run) { (void)run.flip(); });
  CHECK(found.verdict == kvrace::verdict::incomplete);
  CHECK(found.interrupted);
}

TEST_CASE("a program that differs from process to process is UNSOUND") {
  const kvrace::result found = kvrace::check({.runs = 1'000, .jobs = 2}, [parent = ::getpid()](kvrace::run& run) {
    run.require(::getpid() == parent, "fails elsewhere only");
  });
  CHECK(found.verdict == kvrace::verdict::unsound);
}
