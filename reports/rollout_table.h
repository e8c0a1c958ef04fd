// Rollouts for a person: what came of it, the alerts, and one line an evaluation.
#pragma once

#include <iosfwd>

#include "reports/report.h"

namespace kvrace::reports {

// Evaluations that repeat the one before are folded, unless everything is to be shown: the JSON report has all. Columns that do
// not fit are left out from the right.
void write_rollout_table(std::ostream&, const rollout_facts&, std::size_t number, const presentation&);

// "12.5%", or "-" if there is no data.
[[nodiscard]] std::string percent_of(std::uint64_t part, std::uint64_t whole);
// "35 s"
[[nodiscard]] std::string seconds_of(double time);

}  // namespace kvrace::reports
