// The job of one build: the self-check, then the scenarios.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "race_job/results.h"
#include "race_job/self_check.h"

namespace kvrace::race_job {

struct job {
  std::vector<std::string> scenarios;  // as for `kvrace run`; none: all that are built in
  std::optional<std::uint64_t> runs;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> run;       // this one alone
  std::optional<std::string> schedule;    // a run along it alone
  bool blind = false;                     // the engine does not look for data races: a control, which must disagree
};

// Throws scenarios::usage_error.
[[nodiscard]] results carry_out(const job& wanted);

// One line for each self-check that did not come out as it must; none for a build without sanitizer.
[[nodiscard]] std::vector<std::string> failed_self_checks(const std::vector<planted>& checks);

}  // namespace kvrace::race_job
