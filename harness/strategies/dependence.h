// Which announced operations of two tasks do not commute.
#pragma once

#include <kvrace/detail/core.h>

namespace kvrace::detail {

// Reads of one object commute, as do shared acquisitions; everything else on one object is ordered. A task that has not started
// conflicts with nobody: what it does first is not known.
[[nodiscard]] inline bool reads_only(const task_record& task) {
  switch (task.pending_kind) {
    case operation_kind::load:
    case operation_kind::await:
    case operation_kind::lock_shared:
    case operation_kind::unlock_shared: return true;
    case operation_kind::compare_exchange: return !task.succeeds(task);
    default: return false;
  }
}

[[nodiscard]] inline bool conflict(const task_record& a, const task_record& b) {
  if (a.finished || b.finished) return false;  // their last operation is over, and what it was about may be gone
  if (a.pending_object == nullptr || a.pending_object != b.pending_object) return false;
  return !(reads_only(a) && reads_only(b));
}

}  // namespace kvrace::detail
