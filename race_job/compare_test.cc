// What counts as a disagreement, and what it says.
#include "race_job/compare.h"

#include <sstream>

#include <catch2/catch.hpp>

namespace kvrace::race_job {
namespace {

scenario_results quiet(const std::string& name = "a_scenario") {
  scenario_results made;
  made.name = name;
  made.strategy = "random walk, switch probability 0.3";
  made.seed = 7;
  made.runs = 100;
  made.steps = 2'000;
  made.digest = 42;
  return made;
}

report_entry report_at(std::uint64_t run, std::uint64_t runs, std::uint64_t unexplained) {
  report_entry made;
  made.kind = "data-race";
  made.made = made.runs = runs;
  made.unexplained = unexplained;
  made.run = run;
  made.step = 12;
  made.schedule = "1.2:2";
  made.accesses = {{.write = true, .bytes = 8, .task = 2, .frames = {"cache.h:10 in put"}},
                   {.write = false, .bytes = 8, .task = 1, .frames = {"cache.h:20 in get"}}};
  return made;
}

engine_entry found(const std::string& signature, std::uint64_t runs, std::uint64_t seen) {
  return {.signature = signature, .runs = runs, .seen = seen, .run = 3, .schedule = "2.1:1"};
}

std::vector<std::string> disagreements(const std::string& sanitizer, const scenario_results& scenario) {
  return compare({{sanitizer, {scenario}}}).disagreements;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a report where the engine finds nothing is a disagreement, told with all that repeats it") {
  scenario_results scenario = quiet();
  scenario.reports = {report_at(31, 5, 4)};
  const std::vector<std::string> told = disagreements("thread", scenario);
  REQUIRE(told.size() == 1);
  for (const char* part : {"a_scenario, seed 7, run 31, step 12", "ThreadSanitizer", "data-race", "4 of 100 runs", "a write of 8 bytes by task 2 at cache.h:10",
                           "a read of 8 bytes by task 1 at cache.h:20", "schedule: 1.2:2",
                           "scripts/race_job --scenarios a_scenario --seed 7 --run 31"}) {
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
  CHECK(contains(disagreements("thread", scenario).at(0), "a_scenario, seed 7, run 17, under ThreadSanitizer: the process ended"));
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

TEST_CASE("where nothing is found, the job says what it ran") {
  const std::vector<results> all = {{"thread", {quiet("first"), quiet("second")}}, {"address", {quiet("first"), quiet("second")}}};
  std::ostringstream out;
  print(out, all, compare(all));
  for (const char* part : {"first", "second", "ThreadSanitizer, AddressSanitizer", "2 scenarios, 200 runs of each build, 4000 visible operations",
                           "Seeds 7", "random walk, switch probability 0.3", "The engine and the sanitizers agree."}) {
    INFO(out.str());
    CHECK(contains(out.str(), part));
  }
}

TEST_CASE("the table shows where they disagree and where a planted race was caught") {
  scenario_results disagreeing = quiet("bad");
  disagreeing.reports = {report_at(31, 5, 4)};
  scenario_results planted = quiet("planted");
  planted.only_instrumentation = true;
  planted.reports = {report_at(2, 9, 9)};
  const std::vector<results> all = {{"thread", {quiet("good"), disagreeing, planted}}};
  std::ostringstream out;
  print(out, all, compare(all));
  std::istringstream lines(out.str());
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  CHECK((line.starts_with("good ") && line.ends_with("agree")));
  std::getline(lines, line);
  CHECK((line.starts_with("bad ") && line.ends_with("DISAGREE")));
  std::getline(lines, line);
  CHECK((line.starts_with("planted ") && line.ends_with("caught")));
  CHECK(contains(out.str(), "planted: ThreadSanitizer reports a data-race in 9 of 100 runs, at cache.h:10 in put and cache.h:20 in get"));
}

}  // namespace kvrace::race_job
