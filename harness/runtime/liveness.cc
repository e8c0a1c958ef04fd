// What has to end within bounds: the run, and each call in it.
#include <algorithm>

#include "runtime/execution.h"
#include "runtime/recorder.h"

namespace kvrace::detail {

// A run that does not poll is looked at every now and then all the same.
std::uint64_t execution::next_stop() const {
  constexpr std::uint64_t steps_between = 1U << 16U;
  std::uint64_t stop = settings_.limits.steps_max;
  if (settings_.go_on != nullptr) stop = std::min(stop, state.steps + steps_between);
  if (bounds_calls()) stop = std::min(stop, state.steps + settings_.limits.call_steps_max);
  return stop;
}

void execution::steps_stopped() {
  const instrumentation::aside scope;
  if (bounds_calls())
    for (task_set rest = state.calls; rest != 0; rest &= rest - 1) bound_call(records_[lowest(rest)]);
  if (state.steps > settings_.limits.steps_max) steps_exhausted();
  state.steps_stop = next_stop();
  poll();
}

// Tasks that wait for each other are no part of what goes on, and stay so. A wait with a deadline ends.
void execution::steps_exhausted() {
  task_set blocked = 0;
  for (unsigned slot = 0; slot < slots_; ++slot)
    if (!records_[slot].finished) blocked |= bit(slot);
  blocked &= ~(state.enabled | state.timed);
  if (waiting_cycle(blocked) != 0) fail_and_end([this, blocked] { return describe_deadlock(blocked); });
  fail_and_end([this] {
    return run_failure{"step_bound",
                       "",
                       "the run did not end within " + std::to_string(settings_.limits.steps_max) +
                           " visible operations: a livelock, or the bound is too low",
                       {}};
  });
}

// Along a graph, tasks are executed in one order of many, and again from the start.
bool execution::bounds_calls() const { return settings_.limits.call_steps_max != 0 && settings_.graph == nullptr; }

void execution::bound_call(const task_record& task) {
  const std::uint64_t taken = task.operations - task.call_begun_at;
  const std::uint64_t most = settings_.limits.call_steps_max;
  if (taken <= most) return;
  fail_and_end([&] {
    const std::string name = "task '" + task_name(task.slot) + "'";
    const recorder* const record = settings_.record;
    const std::string* const call = record != nullptr ? record->last_call_of(task.id) : nullptr;
    return run_failure{"call_bound",
                       name,
                       name + (call != nullptr ? " in " + *call : std::string()) + " took " + std::to_string(taken) +
                           " steps of its own for one call, of at most " + std::to_string(most),
                       {to_site(task.where)}};
  });
}

}  // namespace kvrace::detail
