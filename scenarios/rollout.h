// A rollout: a candidate beside the cache of a scenario.
#pragma once

#include <kvrace/cache/rollout.h>

namespace kvrace::scenarios {

struct scenario;

// The "rollout" part of a scenario.
struct rollout {
  cache::configuration stable;  // of the baseline too
  cache::configuration candidate;
};

// The caches of a run. Of tasks, all requests are the candidate's until it is rolled back.
[[nodiscard]] cache::rollout_options caches_of(const scenario&);

}  // namespace kvrace::scenarios
