// What the job runs: a program, on schedules that are sampled from a seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <kvrace/check.h>

#include "scenarios/scenario.h"

namespace kvrace::race_job {

struct question {
  std::string name;
  kvrace::program program;
  kvrace::check_options options;    // strategy, seed, runs and limits
  bool flawed = false;                // a flaw is planted: a run of it may be wrong in more than one way
  bool only_instrumentation = false;  // a flaw is planted that no oracle of the engine sees: the sanitizer must report it
};

// A scenario with exhaustive search is sampled too, by the random walk. Without `runs` and `seed`, those of the scenario, and
// 1,000 runs where it has none.
[[nodiscard]] question ask(const scenarios::scenario& scenario, const std::uint64_t* runs, const std::uint64_t* seed);

}  // namespace kvrace::race_job
