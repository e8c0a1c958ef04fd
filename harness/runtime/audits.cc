// What is looked at where no call is in progress.
#include <exception>
#include <string>
#include <utility>

#include "runtime/execution.h"

namespace kvrace::detail {

void execution::at_quiescence(std::function<void()> audit) {
  const instrumentation::aside scope;
  audits_.push_back(std::move(audit));
  state.has_audit = true;
}

// The announced operation of a task that does not run has not been executed.
bool execution::is_quiescent() const {
  const auto inside = [](const task_record& task) {
    return task.calls_open != 0 && !task.finished && (&task == state.current || task.operations > task.call_begun_at + 1);
  };
  if (body_aside_ && inside(*body_aside_)) return false;
  for (task_set rest = state.calls; rest != 0; rest &= rest - 1)
    if (inside(records_[lowest(rest)])) return false;
  return true;
}

void execution::call_ended() {
  // Along a graph tasks run in one order of many: which points are quiescent, and what is there, depends on it.
  if (state.graph != nullptr) return;
  if (bounds_calls()) bound_call(*state.current);
  if (is_quiescent()) run_audits();
}

void execution::run_audits() {
  const instrumentation::aside scope;
  try {
    for (const auto& audit : audits_) audit();
    return;
  } catch (const std::exception& error) {
    keep({"escaping_exception", "", std::string("an exception left an audit: ") + error.what(), {}});
  } catch (...) {
    keep({"escaping_exception", "", "an exception left an audit: it is no std::exception", {}});
  }
  leave(run_end::violation);
}

}  // namespace kvrace::detail
