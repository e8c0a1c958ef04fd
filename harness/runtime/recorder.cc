#include "runtime/recorder.h"

#include <algorithm>
#include <utility>

#include "runtime/execution.h"

namespace kvrace::detail {

namespace {

std::uint64_t mix(std::uint64_t digest, std::uint64_t part) {
  digest = (digest ^ part) * 0xff51afd7ed558ccd;
  return digest ^ digest >> 32U;
}

// Leaves the last `kept` items. Returns how many have gone.
template <class T>
std::size_t keep_last(std::vector<T>& items, std::size_t kept) {
  if (items.size() <= kept) return 0;
  const std::size_t gone = items.size() - kept;
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(gone));
  return gone;
}

}  // namespace

const char* name_of(object_type type) {
  switch (type) {
    case object_type::mutex: return "mutex";
    case object_type::shared_mutex: return "shared_mutex";
    case object_type::condition_variable: return "condition_variable";
    case object_type::atomic: return "atomic";
    case object_type::var: return "var";
    case object_type::made: return "object";
    case object_type::semaphore: return "semaphore";
    case object_type::latch: return "latch";
    case object_type::barrier: return "barrier";
    case object_type::once_flag: return "once_flag";
    case object_type::future: return "future";
    case object_type::stop_state: return "stop_state";
  }
  return "object";
}

std::string describe(object_type type, std::uint32_t id) {
  if (recorder* record = active->recording(); record != nullptr)
    if (const std::string* name = record->name_of(id); name != nullptr) return std::string(name_of(type)) + " '" + *name + "'";
  return std::string(name_of(type)) + " " + std::to_string(id >> 26U) + "." + std::to_string(id & 0x3ffffffU);
}

// Twice as much is held as is kept, so that an item is moved once at most.
trace_step& recorder::add_step() {
  if (trace_.size() >= 2 * trace_max_) keep_last(trace_, trace_max_);
  trace_step& step = trace_.emplace_back();
  step.time_ns = static_cast<std::uint64_t>(state.now_ns);
  return step;
}

void recorder::step(const task_record& task, std::uint64_t number, bool preempts) {
  digest_ = mix(digest_, task.id);
  digest_ = mix(digest_, static_cast<std::uint64_t>(task.pending_kind) << 32U |
                             (task.pending_object != nullptr ? task.pending_object->id : 0));
  trace_step& step = add_step();
  step.step = number;
  step.task = task.id;
  step.operation = task.operations;
  step.kind = to_string(task.pending_kind);
  if (task.pending_object != nullptr) step.object = describe(*task.pending_object);
  step.site = to_site(task.where);
  step.preempts = preempts;
}

void recorder::access(const object& data, bool write, site where) {
  trace_step& step = add_step();
  step.step = state.steps;
  step.task = state.current->id;
  step.kind = write ? "write" : "read";
  step.object = describe(data);
  step.site = to_site(where);
}

void recorder::value(std::string_view text, std::uint64_t behind) {
  if (trace_.empty()) return;
  trace_.back().value = text;
  trace_.back().behind = behind;
}

void recorder::note(std::string_view subject, std::string_view event, std::string_view detail) {
  // The subject is not known yet: its events are among those of all.
  if (ledger_.size() >= 100 * ledger_max_) keep_last(ledger_, 50 * ledger_max_);
  ledger_.push_back({state.steps, state.current->id, std::string(subject), std::string(event), std::string(detail)});
}

std::size_t recorder::operation_called(std::string text) {
  if (operations_.size() >= 2 * trace_max_) operations_dropped_ += keep_last(operations_, trace_max_);
  operations_.push_back({state.current->id, state.steps, 0, std::move(text), {}});
  return operations_dropped_ + operations_.size() - 1;
}

void recorder::operation_returned(std::size_t record, std::string text) {
  if (record < operations_dropped_) return;
  operations_[record - operations_dropped_].step_return = state.steps;
  operations_[record - operations_dropped_].returned = std::move(text);
}

void recorder::name(const object& what, std::string_view name) { names_[what.id] = std::string(name); }

const std::string* recorder::name_of(std::uint32_t object_id) const {
  const auto found = names_.find(object_id);
  return found == names_.end() ? nullptr : &found->second;
}

const std::string* recorder::last_call_of(unsigned task_id) const {
  const auto last = std::find_if(operations_.rbegin(), operations_.rend(),
                                 [task_id](const operation_record& each) { return each.task == task_id; });
  return last == operations_.rend() ? nullptr : &last->call;
}

// A ledger that is too long is cut down to the subject's.
void recorder::trim(const finding& into) {
  if (keep_last(trace_, trace_max_) != 0) {
    const std::uint64_t from = trace_.front().step;
    std::erase_if(operations_, [from](const operation_record& each) { return each.step_return != 0 && each.step_return < from; });
  }
  if (ledger_.size() > ledger_max_ && !into.subject.empty())
    std::erase_if(ledger_, [&into](const ledger_event& each) { return each.subject != into.subject; });
  keep_last(ledger_, ledger_max_);
}

// Decisive are the steps at a preemption (the one before and the one after), those at the sites of the violation, and those at
// which the ledger of the finding's subject has an event.
void recorder::mark_decisive(const finding& into) {
  for (std::size_t i = 0; i < trace_.size(); ++i) {
    trace_step& step = trace_[i];
    if (step.preempts) {
      step.decisive = true;
      if (i > 0) trace_[i - 1].decisive = true;
    }
    if (!into.subject.empty() && step.object == into.subject)
      for (const source_site& each : into.sites)
        if (each == step.site && each.line != 0) step.decisive = true;
  }
  std::size_t at = 0;
  for (const ledger_event& event : ledger_) {
    if (event.subject != into.subject) continue;
    while (at < trace_.size() && trace_[at].step < event.step) ++at;
    if (at < trace_.size() && trace_[at].step == event.step) trace_[at].decisive = true;
  }
  if (!trace_.empty()) trace_.back().decisive = true;
}

void recorder::hand_over(finding& into) {
  trim(into);
  mark_decisive(into);
  into.trace_digest = digest_;
  into.trace = std::move(trace_);
  into.operations = std::move(operations_);
  into.ledger = std::move(ledger_);
}

}  // namespace kvrace::detail
