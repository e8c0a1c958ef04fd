// When the calls of a run began and returned, as far as it matters for their order.
//
// A call begins with its first visible operation: a task stands before that one as soon as it has finished the call before, and
// could have been held up anywhere in between. It returns with its last. Runs are cut into phases: in each, some calls begin and
// then some return. One call precedes another if its return is in an earlier phase than the other's begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <kvrace/detail/core.h>

namespace kvrace::detail {

class call_phases {
 public:
  void reset() {
    waiting_.clear();
    phase_ = 0;
    some_returned_ = false;
  }

  // The current task is about to begin `call`.
  void announce(std::uint32_t call) { waiting_.push_back({state.current, state.current->operations, state.current->id, call}); }

  // Calls begun(call, phase) for each that has begun since the last time. To be called before every return, and at the end.
  template <class Begun>
  void note_begun(Begun begun) {
    for (std::size_t i = 0; i < waiting_.size();) {
      if (!has_begun(waiting_[i])) {
        ++i;
        continue;
      }
      if (std::exchange(some_returned_, false)) ++phase_;
      begun(waiting_[i].call, phase_);
      waiting_[i] = waiting_.back();
      waiting_.pop_back();
    }
  }

  // A call returns: the phase.
  std::uint32_t returns() {
    some_returned_ = true;
    return phase_;
  }

 private:
  struct waiting {
    const task_record* task;
    std::uint64_t operations;  // announced before the call
    std::uint32_t id;          // of the task: its record may become another's
    std::uint32_t call;
  };
  // What a task that does not run has announced last has not been executed.
  [[nodiscard]] static bool has_begun(const waiting& call) {
    const task_record& task = *call.task;
    return &task == state.current || task.id != call.id || task.finished || task.operations > call.operations + 1;
  }

  std::vector<waiting> waiting_;  // announced and not begun
  std::uint32_t phase_ = 0;
  bool some_returned_ = false;    // in this phase
};

}  // namespace kvrace::detail
