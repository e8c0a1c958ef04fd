// What a finding shrinks to, as a report.
#pragma once

#include "reports/report.h"
#include "scenarios/scenario.h"
#include "scenarios/shrinking.h"

namespace kvrace::scenarios {

// See shrink(). The claim says what was left out, what is certified, which schedule nearby passes, and the pair of steps that
// decides. The replay commands are for the caller to say: the small scenario exists in the report only.
[[nodiscard]] reports::report shrunk_report(const scenario& whole, const kvrace::finding& from, const shrink_limits& limits);

}  // namespace kvrace::scenarios
