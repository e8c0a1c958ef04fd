// Small scenarios without time in which a finding of traffic may show again.
#pragma once

#include <string>
#include <vector>

#include <kvrace/result.h>

#include "scenarios/scenario.h"

namespace kvrace::scenarios {

// No failure that needs more is looked for.
inline constexpr unsigned excerpt_preemptions_max = 2;

// Scenario files, the most promising first, made of the requests that the ledger of the finding's subject names, the one that met
// the violation, and the last invalidation: two tasks that both have all of them, in a cache of a few blocks. Whether they fail
// in the same way is for a search to say: times, sizes and the rest of the traffic are gone. Requires that `from` replays on
// `whole`, which has traffic. Empty if the finding names no request.
[[nodiscard]] std::vector<std::string> traffic_excerpts(const scenario& whole, const kvrace::finding& from);

}  // namespace kvrace::scenarios
