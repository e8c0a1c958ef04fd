// What one process of the job writes, another reads.
#include "race_job/results.h"

#include <sstream>

#include <catch2/catch.hpp>

namespace kvrace::race_job {
namespace {

results sample() {
  scenario_results first;
  first.name = "a\tname";
  first.strategy = "random walk";
  first.seed = 3;
  first.first_run = 4;
  first.runs = 5;
  first.steps = 6;
  first.decisions = 7;
  first.digest = ~std::uint64_t{0};
  first.cpu_us = 9;
  first.runs_reported = 2;
  first.reports_lost = 1;
  first.only_instrumentation = true;
  first.blind = true;
  first.along = "2.1:1";
  first.violations = {{"data_race", 2}, {"ghost_entry", 3}};
  first.engine = {{.signature = "data_race|var|x:1", .runs = 2, .seen = 1, .run = 4, .schedule = ""}};
  first.reports = {{.kind = "data-race",
                    .made = 3,
                    .runs = 2,
                    .unexplained = 1,
                    .both_fail = 1,
                    .run = 4,
                    .step = 5,
                    .schedule = "1.1:2",
                    .accesses = {{.write = true, .atomic = true, .bytes = 4, .task = -1, .frames = {"a:1 in f", "b:2 in g"}},
                                 {.write = false, .atomic = false, .bytes = 8, .task = 3, .frames = {}}}}};
  first.crashes = {{.run = 8, .what = "signal Killed"}};
  scenario_results second;
  second.name = "b";
  return {"thread", {first, second}};
}

std::string written(const results& all) {
  std::ostringstream out;
  write(out, all);
  return out.str();
}

}  // namespace

TEST_CASE("results that were written are read back whole, separators in names but for") {
  std::istringstream in(written(sample()));
  const std::optional<results> read_back = read(in);
  REQUIRE(read_back);
  results expected = sample();
  expected.scenarios[0].name = "a name";
  CHECK(written(*read_back) == written(expected));
  CHECK(read_back->scenarios[0].reports[0].accesses == expected.scenarios[0].reports[0].accesses);
  CHECK(read_back->scenarios[0].violations == expected.scenarios[0].violations);
  CHECK(read_back->scenarios[0].digest == ~std::uint64_t{0});
  CHECK(read_back->scenarios[0].engine[0].schedule.empty());
  CHECK(read_back->scenarios[0].along == "2.1:1");
  CHECK(read_back->scenarios[1].name == "b");
}

TEST_CASE("results that were cut short are refused, wherever the cut is") {
  const std::string whole = written(sample());
  for (std::size_t length = 0; length + 4 < whole.size(); ++length) {
    std::istringstream in(whole.substr(0, length));
    INFO(length);
    CHECK_FALSE(read(in));
  }
}

TEST_CASE("other files are refused") {
  for (const char* text : {"", "{}", "kvrace race_job results 3\nend\n", "kvrace race_job results 2\nviolation\tx\t1\nend\n",
                           "kvrace race_job results 2\nscenario\tx\nend\n", "kvrace race_job results 2\nnonsense\nend\n"}) {
    std::istringstream in(text);
    INFO(text);
    CHECK_FALSE(read(in));
  }
}

}  // namespace kvrace::race_job
