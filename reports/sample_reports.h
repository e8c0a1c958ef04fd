// Reports made by hand for tests of the formats.
#pragma once

#include "reports/report.h"

namespace kvrace::reports::sample {

// Everything the build would change is fixed.
[[nodiscard]] build_fingerprint fixed_build();

// Two tasks, one preemption, a block in the eviction order that the index does not know.
[[nodiscard]] report ghost_entry();
// The same question on the repaired cache.
[[nodiscard]] report proved();
// And by execution graphs.
[[nodiscard]] report certified();
// 400 steps of which a few decide.
[[nodiscard]] report long_trace();
// More tasks than columns fit side by side.
[[nodiscard]] report many_tasks();
// A lease that has run out, in virtual time, found by one of three shards; what it shrinks to passes nearby, by a stale load.
[[nodiscard]] report shrunk_lease();
// Requests over virtual time, more windows than are shown.
[[nodiscard]] report traffic();
// A candidate that is rolled back, and after it one that is promoted.
[[nodiscard]] report rollouts();
// A store, and a load by another task that reads it or, `behind` stores before it, an older one.
[[nodiscard]] finding stale_load(std::uint64_t behind);
// As hostile as the next one, everywhere: names, places, calls, values. Another seed, other strings.
[[nodiscard]] report scrambled(std::uint64_t seed);
// `count` findings that are not expected, all different.
[[nodiscard]] report many_findings(std::size_t count);
// Strings as a hostile or broken program may write them, numbers beyond 2^53, no data.
[[nodiscard]] report hostile();

}  // namespace kvrace::reports::sample
