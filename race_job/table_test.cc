// What a reader is shown.
#include "race_job/table.h"

#include <sstream>

#include <catch2/catch.hpp>

#include "race_job/test_support.h"

namespace kvrace::race_job {

TEST_CASE("where nothing is found, the job says what it ran") {
  const std::vector<results> all = {{"thread", {quiet("first"), quiet("second")}},
                                    {"address", {quiet("first"), quiet("second")}}};
  std::ostringstream out;
  print(out, all, compare(all));
  for (const char* part :
       {"first", "second", "ThreadSanitizer, AddressSanitizer", "2 scenarios, 200 runs of each build, 4000 visible operations",
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
  scenario_results spoilt = quiet("spoilt");
  spoilt.reports = {report_at(2, 9, 0)};
  spoilt.reports.front().both_fail = 9;
  spoilt.reports_lost = 3;
  const std::vector<results> all = {{"thread", {quiet("good"), disagreeing, spoilt, planted}}};
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
  CHECK((line.starts_with("spoilt ") && line.ends_with("both fail")));
  std::getline(lines, line);
  CHECK((line.starts_with("planted ") && line.ends_with("caught")));
  CHECK(contains(out.str(),
                 "planted: ThreadSanitizer reports a data-race in 9 of 100 runs, at cache.h:10 in put and cache.h:20 in get"));
  CHECK(contains(out.str(),
                 "spoilt: ThreadSanitizer reports a data-race in 9 of 100 runs that the engine ended with another violation, at "
                 "cache.h:10"));
  CHECK(contains(out.str(), "spoilt: ThreadSanitizer made 3 more reports"));
}

TEST_CASE("the table says how many of the engine's races ThreadSanitizer saw, and how much slower it was") {
  scenario_results thread = quiet();
  thread.engine = {found("data_race|var|cache.h:10|cache.h:20", 50, 40)};
  thread.cpu_us = 900;
  scenario_results plain = quiet();
  plain.cpu_us = 100;
  const std::vector<results> all = {{"thread", {thread}}, {"none", {plain}}};
  std::ostringstream out;
  print(out, all, compare(all));
  for (const char* part :
       {"50   80.0 %", "Of 50 runs that the engine ended with a data race, ThreadSanitizer reported it in 40; the others",
        "ThreadSanitizer x 9.0"}) {
    INFO(out.str());
    CHECK(contains(out.str(), part));
  }
}

}  // namespace kvrace::race_job
