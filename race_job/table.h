// The results for a reader: a table, what was run, and the disagreements.
#pragma once

#include <iosfwd>
#include <vector>

#include "race_job/compare.h"
#include "race_job/results.h"

namespace kvrace::race_job {

void print(std::ostream& out, const std::vector<results>& all, const comparison& compared);

}  // namespace kvrace::race_job
