// What is wrong with a lock: misuse, and cycles of tasks that wait for each other.
#include <exception>

#include <kvrace/sync.h>

#include "runtime/claim.h"
#include "runtime/execution.h"
#include "runtime/recorder.h"

namespace kvrace::detail {

namespace {

// The tasks that must act before the blocked task `slot` can go on; 0 if that is not known (a notification, an assumption).
task_set awaited(const task_record& task, task_set others) {
  if (task.pending_kind == operation_kind::join) return task.joins == slot_none ? others : bit(task.joins);
  if (task.waits_in != nullptr && (task.waits_in->waiting & bit(task.slot)) != 0) return 0;
  if (task.pending_object == nullptr) return 0;
  if (task.pending_object->type == object_type::mutex) {
    const auto owner = static_cast<const lock_state*>(task.pending_object)->owner;
    return owner == slot_none ? 0 : bit(owner);
  }
  if (task.pending_object->type == object_type::shared_mutex) {
    const auto& lock = *static_cast<const shared_lock_state*>(task.pending_object);
    return lock.owner != slot_none ? bit(lock.owner) : lock.readers;
  }
  return 0;
}

bool awaits_notification(const task_record& task) {
  if (task.waits_in != nullptr) return (task.waits_in->waiting & bit(task.slot)) != 0;
  return task.pending_kind == operation_kind::await && task.pending_object->type == object_type::atomic;
}

// Of something that lets tasks pass.
std::string what_is_missing(const object& what) {
  if (what.type == object_type::barrier)
    return ", which awaits " + plural(static_cast<std::uint64_t>(static_cast<const gate&>(what).awaited), "more arrival");
  if (what.type == object_type::latch)
    return ", which is to be counted down " +
           plural(static_cast<std::uint64_t>(static_cast<const gate&>(what).value), "more time");
  return "";
}

}  // namespace

void lock_misused(const object& lock, const char* message, site where) {
  // Locks know their owner by its slot, and the 64th task has that of the body.
  if (state.generation != generation_none && state.slot == 0 && active->body_is_aside())
    active->end_unsound([&] {
      return describe(lock) + ": " + message +
             ", or the body holds it while it waits for 64 tasks, which the harness cannot tell " +
             "apart: let the body hold no lock in join_all(), or spawn one task less";
    });
  misuse("lock_misuse", &lock, message, where);
}

void lock_destroyed(const object& lock, const char* message) {
  if (std::uncaught_exceptions() == 0) lock_misused(lock, message, site{});
}

void guard_misused(const char* message, site where) { misuse("lock_misuse", nullptr, message, where); }

// Follows the wait-for edges from each task; a task met twice closes the cycle. 0 if there is none.
task_set execution::waiting_cycle(task_set blocked) const {
  task_set cycle = 0;
  for (unsigned start = 0; start < slots_ && cycle == 0; ++start) {
    if ((blocked & bit(start)) == 0) continue;
    task_set seen = 0;
    unsigned at = start;
    while ((seen & bit(at)) == 0) {
      seen |= bit(at);
      const task_set next = awaited(records_[at], blocked & ~bit(at)) & blocked;
      if (next == 0 || records_[at].pending_kind == operation_kind::join) break;
      at = lowest(next);
      if (at == start) cycle = seen;
    }
  }
  return cycle;
}

void execution::deadlock() {
  fail_and_end([this] {
    task_set blocked = 0;
    for (unsigned slot = 0; slot < slots_; ++slot)
      if (!records_[slot].finished) blocked |= bit(slot);
    return describe_deadlock(blocked);
  });
}

run_failure execution::describe_deadlock(task_set blocked) const {
  const task_set cycle = waiting_cycle(blocked);

  run_failure failure{"deadlock", "", "", {}};
  const task_set named = cycle != 0 ? cycle : blocked;
  std::string& text = failure.message;
  for (task_set rest = named; rest != 0; rest &= rest - 1) {
    const task_record& task = records_[lowest(rest)];
    if (!text.empty()) text += "; ";
    text += "'" + task_name(task.slot) + "' waits for ";
    const task_set holders = awaited(task, blocked & ~bit(task.slot));
    if (awaits_notification(task)) {
      text += "a notification of " + describe(task.waits_in != nullptr ? *task.waits_in : *task.pending_object);
      if (task.waits_in != nullptr && task.waits_in->notified_nobody != 0)
        text += ", which was notified at step " + std::to_string(task.waits_in->notified_nobody) + ", when nobody waited";
    } else if (task.pending_kind == operation_kind::join) {
      text += task.joins == slot_none ? std::string("all tasks") : "the end of '" + task_name(task.joins) + "'";
    } else if (task.pending_object != nullptr) {
      text += describe(*task.pending_object);
      if (failure.subject.empty()) failure.subject = describe(*task.pending_object);
      if (holders != 0) text += " held by '" + task_name(lowest(holders)) + "'";
      text += what_is_missing(*task.pending_object);
    } else {
      text += "something nobody does";
    }
    failure.sites.push_back(to_site(task.where));
  }
  if (cycle == 0 && body_aside_) text += "; 'body' waits for all tasks";
  text = (cycle != 0 ? "a cycle of waiting tasks: " : "no task can go on: ") + text;
  return failure;
}

}  // namespace kvrace::detail
