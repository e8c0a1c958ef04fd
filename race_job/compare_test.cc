// What counts as a disagreement, and what it says.
#include "race_job/compare.h"

#include <catch2/catch.hpp>

#include "race_job/test_support.h"

namespace kvrace::race_job {
namespace {

std::vector<std::string> disagreements(const std::string& sanitizer, const scenario_results& scenario) {
  return compare({{sanitizer, {scenario}}}).disagreements;
}

}  // namespace

TEST_CASE("a report where the engine finds nothing is a disagreement, told with all that repeats it") {
  scenario_results scenario = quiet();
  scenario.reports = {report_at(31, 5, 4)};
  const std::vector<std::string> told = disagreements("thread", scenario);
  REQUIRE(told.size() == 1);
  for (const char* part : {"a_scenario, seed 7, run 31, step 12", "ThreadSanitizer", "data-race", "4 of 100 runs",
                           "a write of 8 bytes by task 2 at cache.h:10", "a read of 8 bytes by task 1 at cache.h:20",
                           "schedule: 1.2:2", "scripts/race_job --scenarios a_scenario --seed 7 --run 31"}) {
    INFO(told.front());
    CHECK(contains(told.front(), part));
  }
}

TEST_CASE("reports that the engine explains are no disagreement") {
  scenario_results scenario = quiet();
  scenario.reports = {report_at(31, 5, 0)};
  scenario.engine = {found("data_race|var|cache.h:10|cache.h:20", 5, 5)};
  CHECK(disagreements("thread", scenario).empty());
  CHECK(disagreements("address", scenario).empty());
}

TEST_CASE("a report in a run that a planted flaw has spoilt otherwise is no disagreement, elsewhere it is") {
  scenario_results scenario = quiet();
  scenario.reports = {report_at(31, 5, 0)};
  scenario.reports.front().both_fail = 5;
  CHECK(disagreements("thread", scenario).empty());
  scenario.reports.front().unexplained = 1;
  CHECK(disagreements("thread", scenario).size() == 1);
}

TEST_CASE("a run along a given schedule is repeated along it") {
  scenario_results scenario = quiet();
  scenario.along = "1.2:2";
  scenario.reports = {report_at(0, 1, 1)};
  CHECK(contains(disagreements("thread", scenario).at(0), "scripts/race_job --scenarios a_scenario --schedule 1.2:2\n"));
  scenario.blind = true;
  CHECK(contains(disagreements("thread", scenario).at(0), "--schedule 1.2:2 --blind\n"));
}

TEST_CASE("a race that ThreadSanitizer never sees is a disagreement, one that it misses in some runs is none") {
  scenario_results scenario = quiet();
  scenario.engine = {found("data_race|var|cache.h:10|cache.h:20", 50, 1)};
  CHECK(disagreements("thread", scenario).empty());
  scenario.engine = {found("data_race|var|cache.h:10|cache.h:20", 50, 0)};
  const std::vector<std::string> told = disagreements("thread", scenario);
  REQUIRE(told.size() == 1);
  CHECK(contains(told.front(), "data_race|var|cache.h:10|cache.h:20 in 50 runs, and ThreadSanitizer in none of them"));
  CHECK(contains(told.front(), "schedule: 2.1:1"));
}

TEST_CASE("races are for ThreadSanitizer to see, uses after the end for AddressSanitizer") {
  scenario_results scenario = quiet();
  scenario.engine = {found("data_race|var", 1, 0)};
  CHECK(disagreements("thread", scenario).size() == 1);
  CHECK(disagreements("address", scenario).empty());
  scenario.engine = {found("use_after_destroy|object", 1, 0)};
  CHECK(disagreements("thread", scenario).empty());
  CHECK(disagreements("address", scenario).size() == 1);
}

TEST_CASE("what is planted for instrumentation alone must be reported by ThreadSanitizer") {
  scenario_results scenario = quiet();
  scenario.only_instrumentation = true;
  CHECK(contains(disagreements("thread", scenario).at(0), "does not report the race that is planted"));
  CHECK(disagreements("address", scenario).empty());
  scenario.reports = {report_at(31, 5, 5)};
  CHECK(disagreements("thread", scenario).empty());
}

TEST_CASE("what is planted for ThreadSanitizer excuses no report of AddressSanitizer") {
  scenario_results scenario = quiet();
  scenario.only_instrumentation = true;
  scenario.reports = {report_at(31, 5, 5)};
  CHECK(disagreements("address", scenario).size() == 1);
}

TEST_CASE("a crash, and a scenario that did not run, are disagreements") {
  scenario_results scenario = quiet();
  scenario.crashes = {{17, "the process ended with signal Segmentation fault"}};
  CHECK(
      contains(disagreements("thread", scenario).at(0), "a_scenario, seed 7, run 17, under ThreadSanitizer: the process ended"));
  scenario = quiet();
  scenario.runs = 0;
  CHECK(contains(disagreements("thread", scenario).at(0), "nothing was run"));
}

TEST_CASE("builds that went through other runs, or other scenarios, disagree") {
  scenario_results other = quiet();
  other.digest = 43;
  CHECK(contains(compare({{"thread", {quiet()}}, {"address", {other}}}).disagreements.at(0), "did not go through the same runs"));
  CHECK(compare({{"thread", {quiet()}}, {"address", {quiet()}}}).disagreements.empty());
  CHECK(contains(compare({{"thread", {quiet()}}, {"address", {quiet("b")}}}).disagreements.at(0), "ran different scenarios"));
  CHECK(contains(compare({{"thread", {quiet()}}, {"address", {}}}).disagreements.at(0), "ran different scenarios"));
}

TEST_CASE("many reports of one scenario are not all told") {
  scenario_results scenario = quiet();
  for (std::uint64_t run = 0; run < 20; ++run) scenario.reports.push_back(report_at(run, 1, 1));
  const std::vector<std::string> told = disagreements("thread", scenario);
  CHECK(told.size() == 4);
  CHECK(contains(told.back(), "17 further pairs of places"));
}

}  // namespace kvrace::race_job
