#include "scenarios/progress.h"

#include <csignal>

#include <catch2/catch.hpp>

using namespace kvrace;
using scenarios::describe_progress;

TEST_CASE("progress of a sample tells rate, coverage and the time left") {
  CHECK(describe_progress("01", {.runs = 250, .runs_max = 1'000, .time_s = 2, .schedules_distinct = 17}) ==
        "01: 25% of 1000 runs, 6 s left, 125/s, 17 schedules");
}

TEST_CASE("progress of a proof tells the bound and the open states") {
  CHECK(describe_progress("02", {.runs = 90, .time_s = 3, .states_distinct = 40, .states_open = 5, .preemptions = 2}) ==
        "02: 90 runs, 30/s, bound 2, 40 states, 5 open");
  CHECK(describe_progress("02", {.runs = 90, .time_s = 3, .runs_estimated = 180, .runs_estimated_error = 20.4}) ==
        "02: 90 runs of about 180 (standard error 20), 3 s left, 30/s");
}

TEST_CASE("progress of traffic tells requests, virtual time and rate") {
  CHECK(describe_progress("50", {.runs_max = 1, .time_s = 2, .run_virtual_s = 15.4}, {12'000, 20'000}) ==
        "50: 60% of 20000 requests, 15 virtual s, 1 s left, 6000/s");
  CHECK(describe_progress("50", {.runs = 1, .runs_max = 4, .time_s = 2, .violations = 1, .run_virtual_s = 3}, {0, 100}) ==
        "50: 25% of 400 requests, 3 virtual s, 6 s left, 50/s, 1 violations");
}

TEST_CASE("the budget that ends first is the time left") {
  CHECK(describe_progress("03", {.runs = 10, .runs_max = 1'000, .time_s = 1, .time_s_max = 5, .violations = 3}) ==
        "03: 1% of 1000 runs, 4 s left, 10/s, 3 violations");
  CHECK(describe_progress("04", {}) == "04: 0 runs");
}

TEST_CASE("a first signal asks for a clean end") {
  scenarios::stop_on_signals();
  scenarios::progress_line line("x");
  CHECK(line.on_progress({}));
  std::raise(SIGTERM);
  CHECK(scenarios::stop_requested());
  CHECK_FALSE(line.on_progress({}));
  std::signal(SIGINT, SIG_DFL);
}
