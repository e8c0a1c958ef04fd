// The trace of a finding as a table: one column a task, one row a step, folded around what matters.
#pragma once

#include <iosfwd>

#include "reports/report.h"

namespace kvrace::reports {

// Rows are marked: X the oracle failed here, ! the task before was preempted, * the step touches what the finding is about.
// Calls on the object under test appear in the column of their task, as "> call" and "< result", and events in the life of the
// finding's subject as "= event".
void write_trace_table(std::ostream&, const finding&, const presentation&);

}  // namespace kvrace::reports
