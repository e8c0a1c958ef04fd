// What the engine says against what the sanitizers say.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "race_job/results.h"

namespace kvrace::race_job {

struct comparison {
  // One paragraph each, with what is needed to repeat it. None: they agree.
  std::vector<std::string> disagreements;
};

// `all` holds one entry a build: "thread", "address", "none" (the slowdown is against that one). The same scenarios in each.
[[nodiscard]] comparison compare(const std::vector<results>& all);

// The table, what was run, and the disagreements.
void print(std::ostream& out, const std::vector<results>& all, const comparison& compared);

}  // namespace kvrace::race_job
