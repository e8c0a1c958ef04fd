// The job of one build: the self-check, then the scenarios.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "race_job/results.h"
#include "race_job/self_check.h"

namespace kvrace::race_job {

struct job {
  std::vector<std::string> scenarios;  // as for `kvrace run`; none: all that are built in
  std::optional<std::pair<unsigned, unsigned>> shard;  // the part of them, from 1, and how many there are; dealt in turn
  std::optional<std::string> like;  // a file of results of another build: the scenarios in it, in place of all this
  std::optional<double> time_s;     // processor time, after which no further scenario is begun
  std::optional<std::uint64_t> runs;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> run;       // this one alone
  std::optional<std::string> schedule;    // a run along it alone
  bool blind = false;                     // the engine does not look for data races: a control, which must disagree
};

struct job_results {
  results made;
  std::size_t left_out = 0;  // scenarios, as the time was over
};

// Throws scenarios::usage_error.
[[nodiscard]] job_results carry_out(const job& wanted);

// One line for each self-check that did not come out as it must; none for a build without sanitizer.
[[nodiscard]] std::vector<std::string> failed_self_checks(const std::vector<planted>& checks);

}  // namespace kvrace::race_job
