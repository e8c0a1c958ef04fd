// Along a schedule and then by another strategy: for exploring around a finding.
#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;

namespace {

// Fails if the four steps of two tasks alternate; what any run did is told.
struct alternating {
  std::vector<std::string>* told;
  void operator()(kvrace::run& run) const {
    atomic<int> step(0);
    std::string order;
    const auto act = [&](char what) { step.fetch_add(1), order += what; };
    both(
        run,
        [&] {
          for (int i = 0; i < 4; ++i) act('a');
        },
        [&] {
          for (int i = 0; i < 4; ++i) act('b');
        });
    told->push_back(order);
    run.require(order != "abababab", "alternating");
  }
};

}  // namespace

TEST_CASE("a run along a schedule gives some of its first answers, and then goes on by the other strategy") {
  std::vector<std::string> told;
  const kvrace::result found = kvrace::check({.strategy = kvrace::random_walk(1), .runs = 5'000}, alternating{&told});
  REQUIRE(outcome(found) == "requirement");
  const kvrace::schedule along = found.findings.front().schedule;
  REQUIRE(along.deviations.size() > 4);

  told.clear();
  const kvrace::result around =
      kvrace::check({.strategy = kvrace::replay_then(along, kvrace::random_walk(0.05)), .runs = 400, .stop_at_violation = false},
                    alternating{&told});
  CHECK(outcome(around) == "requirement");
  CHECK(around.counts.violations >= 400 / (along.deviations.size() + 1) / 2);  // those that gave all answers
  // Most runs start like the finding, and they go on differently.
  const std::set<std::string> different(told.begin(), told.end());
  CHECK(different.size() > 10);
  CHECK(std::count_if(told.begin(), told.end(), [](const std::string& each) { return each.starts_with("abab"); }) > 150);
  // Far more often than without the schedule.
  const kvrace::result without =
      kvrace::check({.strategy = kvrace::random_walk(0.05), .runs = 400, .stop_at_violation = false}, alternating{&told});
  CHECK(without.counts.violations < around.counts.violations);
  CHECK(contains(around.strategy, "then random walk, switch probability 0.05"));
}

TEST_CASE("a run along a schedule of another program is unsound") {
  const auto small = [](kvrace::run& run) {
    atomic<int> step(0);
    both(run, [&] { step.fetch_add(1); }, [&] { step.fetch_add(1); });
  };
  const auto along = [&](const char* text) {
    return kvrace::check({.strategy = kvrace::replay_then(*kvrace::schedule::parse(text), kvrace::pos()), .runs = 20}, small);
  };
  CHECK(along("0.1:2").passed());
  CHECK(along("1.1:7").verdict == kvrace::verdict::unsound);
  CHECK(along("1.90:2").verdict == kvrace::verdict::unsound);
}
