#include "proof/linear_order.h"

#include <algorithm>
#include <bit>

#include "runtime/execution.h"

namespace kvrace::detail {

namespace {

// What an interleaving has as a step of its own, and a graph has not.
bool no_event(const task_record& task, const linear_order& order) {
  switch (task.pending_kind) {
    case operation_kind::start:
    case operation_kind::yield:
    case operation_kind::sleep: return true;
    case operation_kind::join: return task.joins == slot_none;
    case operation_kind::notify_one:
    case operation_kind::notify_all:
      return task.pending_object->type == object_type::condition_variable &&
             std::find(order.waited_in.begin(), order.waited_in.end(), task.pending_object->id) == order.waited_in.end();
    default: return false;
  }
}

}  // namespace

void linear_order::clear() {
  slots.clear();
  waited_in.clear();
  for (std::vector<std::uint64_t>& each : outcomes) each.clear();
}

bool linear_strategy::begin_run(std::uint64_t index, const execution_view& view) {
  view_ = &view;
  return index == 0;
}

task_answer linear_strategy::choose_task(const decision& now) {
  if (next_ < order_.slots.size()) {
    const unsigned slot = order_.slots[next_];
    if ((now.enabled >> slot & 1) != 0) {
      if (!no_event(view_->task(slot), order_)) ++next_;
      return {slot, 1};
    }
    // The body may have to start the task first.
    if ((now.enabled & 1) != 0 && slot >= view_->slots()) return {0, 1};
    divergence_ = "a step of the graph is not enabled";
    return {tasks_max, 1};
  }
  if (now.current_enabled && !now.yielded) return {now.current, 1};
  return {static_cast<unsigned>(std::countr_zero(now.enabled)), 1};
}

std::uint64_t linear_strategy::choose_value(unsigned task, std::uint64_t outcomes) {
  const std::size_t number = chosen_[task]++;
  if (number >= order_.outcomes[task].size()) return 0;
  const std::uint64_t outcome = order_.outcomes[task][number];
  return outcome < outcomes ? outcome : outcomes;
}

}  // namespace kvrace::detail
