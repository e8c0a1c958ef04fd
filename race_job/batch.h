// Runs a question in child processes, a batch of runs each: a crash ends a batch and not the job, and every batch starts with a
// sanitizer that has seen nothing.
#pragma once

#include <cstdint>

#include "race_job/question.h"
#include "race_job/results.h"

namespace kvrace::race_job {

// Looking places up takes longer than a small question.
enum class places : std::uint8_t { readable, unknown };

// Runs first_run .. first_run + options.runs - 1 of the question.
[[nodiscard]] scenario_results measure(const question& asked, std::uint64_t first_run, places wanted = places::readable);

// One run, along `schedule`.
[[nodiscard]] scenario_results measure_schedule(const question& asked, const kvrace::schedule& schedule);

}  // namespace kvrace::race_job
