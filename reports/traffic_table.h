// Traffic for a person: one line a window.
#pragma once

#include <iosfwd>

#include "reports/report.h"

namespace kvrace::reports {

// Columns that do not fit are left out from the right, lines that are too many in the middle: the JSON report has all.
void write_traffic_table(std::ostream&, const traffic_facts&, const presentation&);

}  // namespace kvrace::reports
