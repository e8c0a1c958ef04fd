// What the engine says against what the sanitizers say.
#pragma once

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

// Those of one scenario in one build.
[[nodiscard]] std::vector<std::string> disagreements_in(const std::string& sanitizer, const scenario_results& scenario);

// Whether this sanitizer can see what the engine found: races are for one, the end of objects for the other.
[[nodiscard]] bool can_see(const std::string& sanitizer, const engine_entry& entry);

// "ThreadSanitizer" for "thread".
[[nodiscard]] const char* name_of(const std::string& sanitizer);

}  // namespace kvrace::race_job
