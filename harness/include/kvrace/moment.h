// Points in the past of a task, for oracles that ask what was before what.
#pragma once

#include <kvrace/detail/core.h>

namespace kvrace {

// The point at which it is made, by the task that makes it.
class moment {
 public:
  moment() : slot_(detail::state.slot), time_(detail::state.current->clock.at[detail::state.slot]) {}

  // Whether it is before the present of the current task: always, where values are sequentially consistent, since steps are then
  // in one order; where loads may be stale, only by happens-before: without it, C++ allows the task to know nothing of that
  // point.
  [[nodiscard]] bool is_before_now() const {
    return !detail::state.stale_reads || detail::state.current->clock.at[slot_] >= time_;
  }

 private:
  unsigned slot_;
  detail::clock_value time_;
};

}  // namespace kvrace
