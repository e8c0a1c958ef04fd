// What happens inside a batch: the runs of a question, each judged against the sanitizer's reports as soon as it is over, and
// told as lines of text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "race_job/question.h"

namespace kvrace::race_job {

// Fields are separated by tabs; the first says what the line is:
//   violation RUN ORACLE
//   engine    RUN SEEN SIGNATURE SCHEDULE             the sanitizer could see it; did it?
//   report    RUN STEP EXPLAINED KIND SCHEDULE ACCESS...   ACCESS: write atomic bytes task pc,pc,...; EXPLAINED: see below
//   lost      RUN COUNT
//   unsound   RUN MESSAGE
//   end       NEXT_RUN RUNS STEPS DECISIONS DIGEST    always last: without it the batch has crashed
// A report is explained by what the engine says of the same run:
//   0  not at all
//   1  it ends the run at this step, by an oracle of memory
//   2  it finds something else wrong, where a flaw is planted: a block with two owners is a ghost to the one, a race to the other
using tell = std::function<void(const std::string& line)>;

// Runs first_run and following, until runs_end or until the batch is long enough. `*run_now` is kept up to date, so that a
// crash can be attributed.
void run_batch(const question& asked, std::uint64_t first_run, std::uint64_t runs_end, volatile std::uint64_t* run_now,
               const tell& out);

// One run, along `schedule`.
void run_schedule(const question& asked, const kvrace::schedule& schedule, const tell& out);

}  // namespace kvrace::race_job
