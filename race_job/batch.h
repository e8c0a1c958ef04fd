// Runs a question in child processes, a batch of runs each: a crash ends a batch and not the job, and every batch starts with a
// sanitizer that has seen nothing.
#pragma once

#include "race_job/question.h"
#include "race_job/results.h"

namespace kvrace::race_job {

// Runs first_run .. first_run + options.runs - 1 of the question. Stacks are made readable.
[[nodiscard]] scenario_results measure(const question& asked, std::uint64_t first_run);

// One run, along `schedule`.
[[nodiscard]] scenario_results measure_schedule(const question& asked, const kvrace::schedule& schedule);

}  // namespace kvrace::race_job
