// From when to when a task of a finding held which lock.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <kvrace/result.h>

namespace kvrace::reports {

struct lock_hold {
  std::size_t from = 0;           // index into the trace of the step that took it
  std::optional<std::size_t> to;  // and of the one that gave it back; none: held to the end
  bool shared = false;            // among other readers
  friend bool operator==(const lock_hold&, const lock_hold&) = default;
};

// In order of `from`. A lock taken twice by one task is one hold, from the first time to the last. The trace does not say whether
// an attempt (try_lock) succeeded: it did if the task gives the lock back before it tries again. A wait on a condition variable
// gives back the lock that the task reacquires next, else the one it took last.
[[nodiscard]] std::vector<lock_hold> lock_holds_of(const std::vector<trace_step>& trace);

}  // namespace kvrace::reports
