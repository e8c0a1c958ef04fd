// Of a command with several scenarios: one line each.
#pragma once

#include <iosfwd>
#include <span>

#include "reports/report.h"

namespace kvrace::reports {

// A table of all scenarios, how many came out as expected, those that did not and why, and last the line that repeats the first
// finding that was not expected, if there is one. `unexpected_only` leaves the others out of the table.
void write_summary(std::ostream&, std::span<const report>, const presentation&, bool unexpected_only = false);

}  // namespace kvrace::reports
