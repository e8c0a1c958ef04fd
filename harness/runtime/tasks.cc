// Tasks: how they start, end and are waited for, and how a 64th finds its place.
#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include <kvrace/sync.h>

#include "proof/graph_run.h"
#include "runtime/arena.h"
#include "runtime/execution.h"
#include "runtime/recorder.h"

namespace kvrace::detail {

// Everything a task starts a run with; clocks are set by the caller.
void execution::reset(task_record& record, unsigned slot, unsigned id, const char* name, fiber* fiber) {
  record.pending_kind = operation_kind::start;
  record.yielded = record.timed_out = record.has_acquire_pending = record.has_release_fence = record.finished = false;
  record.slot = static_cast<std::uint8_t>(slot);
  record.id = id;
  record.pending_object = nullptr;
  record.where = site{};
  record.operations = 0;
  record.objects_created = 0;
  record.waits_in = nullptr;
  record.joins = slot_none;
  record.calls_open = 0;
  record.faults_left = state.faults_max;
  record.joiners = 0;
  record.fiber = fiber;
  record.name = name;
}

void execution::widen_clocks(unsigned slot) {
  engine_state& s = state;
  if (slot < s.clock_width) return;
  const unsigned width = (slot / 4 + 1) * 4;
  for (unsigned i = 0; i < slots_; ++i) {
    clock_zero(records_[i].clock, s.clock_width, width);
    clock_zero(records_[i].acquire_pending, s.clock_width, width);
    clock_zero(records_[i].release_fence, s.clock_width, width);
  }
  s.clock_width = width;
}

void* execution::spawn_prepare(std::string_view name, std::size_t bytes, std::size_t alignment, unsigned* slot) {
  const instrumentation::aside scope;
  engine_state& s = state;
  if (s.generation == generation_none) unusable_outside();
  const bool overflow = slots_ == tasks_max;
  if (tasks_ == tasks_max)
    fail_and_end(
        [] { return run_failure{"too_many_tasks", "", "a run has at most " + std::to_string(tasks_max) + " tasks", {}}; });
  if (overflow && s.slot != 0)
    fail_and_end([] { return run_failure{"too_many_tasks", "", "the 64th task of a run can be spawned by the body only", {}}; });
  ++tasks_;
  void* closure = arena_keep(bytes + name.size() + 1, alignment);
  auto* copy = static_cast<char*>(closure) + bytes;
  std::memcpy(copy, name.data(), name.size());
  copy[name.size()] = 0;
  if (overflow) {
    *slot = overflow_slot;
    overflow_name_ = copy;
    return closure;
  }
  *slot = take_slot();
  widen_clocks(*slot);
  reset(records_[*slot], *slot, settings_.graph != nullptr ? *slot : tasks_, copy, fiber_worker(*slot, &execution::task_entry));
  return closure;
}

// A task that is executed along a graph keeps its slot in every execution, so that some may be left out.
unsigned execution::take_slot() {
  if (settings_.graph == nullptr) return slots_++;
  const unsigned slot = settings_.graph->spawning();
  for (; slots_ < slot; ++slots_) {
    reset(records_[slots_], slots_, slots_, "", nullptr);
    records_[slots_].finished = true;
  }
  slots_ = std::max(slots_, slot + 1);  // what is in it is reset by the caller
  return slot;
}

void execution::spawn_commit(unsigned slot, void* closure, void (*invoke)(void*)) {
  if (slot == overflow_slot) {
    overflow_closure_ = {closure, invoke};
    return;
  }
  engine_state& s = state;
  task_record& child = records_[slot];
  instrumentation::release(&child);
  child.closure = closure;
  child.invoke = invoke;
  clock_copy(child.clock, s.current->clock, s.clock_width);
  child.clock.at[slot] = 1;
  ++s.current->clock.at[s.slot];
  child.parent = static_cast<std::uint8_t>(s.slot);
  if (s.locks != nullptr) s.locks->spawned(slot);
  ++alive_;
  unstarted_ |= bit(slot);
  enable(bit(slot));
  if (settings_.graph != nullptr) settings_.graph->spawned(slot);
}

void execution::task_entry() { active->task_main(); }

void execution::task_main() {
  bool failed = true;
  instrumentation::acquire(state.current);
  try {
    task_record& task = *state.current;
    task.invoke(task.closure);
    failed = false;
  } catch (const std::exception& error) {
    keep({"escaping_exception",
          "task '" + task_name(state.slot) + "'",
          std::string("an exception left a task: ") + error.what(),
          {}});
  } catch (...) {
    keep({"escaping_exception", "task '" + task_name(state.slot) + "'", "an exception left a task: it is no std::exception", {}});
  }
  if (failed) leave(run_end::violation);
  finish();
}

// The current task has ended. Returns when its fiber is armed for another run.
void execution::finish() {
  engine_state& s = state;
  task_record& task = *s.current;
  auto* from = static_cast<fiber*>(task.fiber);
  instrumentation::release(&task);
  task.finished = true;
  ++task.operations;
  --alive_;
  s.enabled &= ~bit(s.slot);
  unsigned next = 0;
  if (task.joiners != 0) enable(task.joiners);
  if (s.graph != nullptr) {
    next = s.graph->ended();
  } else if (in_prologue_) {
    in_prologue_ = false;
    next = prologue_return_;
  } else {
    if (unstarted_ != 0 && starts_eagerly()) start_unstarted();
    release_body();
    count_decision();
    next = choose_next(false);
    ++switches_;
  }
  s.slot = next;
  s.current = &records_[next];
  unstarted_ &= ~bit(next);
  fiber_switch(from, static_cast<fiber*>(s.current->fiber));
}

// Once all tasks have ended, the body that waits for them can go on. Not to be called while others are started eagerly: the place
// they return to must stay what it is.
void execution::release_body() {
  engine_state& s = state;
  if (alive_ != 0 || !body_joins_all_) return;
  if (body_aside_) {
    clock_join(body_aside_->clock, records_[overflow_slot].clock, s.clock_width);
    body_aside_->objects_created = records_[overflow_slot].objects_created;  // identities stay unique
    records_[0] = *body_aside_;
    if (body_aside_->calls_open != 0) s.calls |= bit(0);
    body_aside_.reset();
  }
  enable(bit(0));
}

void execution::join(unsigned slot, site where) {
  if (slot == overflow_slot)
    fail_and_end([where] {
      return run_failure{"too_many_tasks", "", "the 64th task of a run can be waited for by join_all() only", {to_site(where)}};
    });
  const task_record& target = records_[slot];
  if (state.graph != nullptr) {
    state.current->pending_kind = operation_kind::join;
    state.current->joins = static_cast<std::uint8_t>(slot);
    state.graph->join(slot);
    state.current->joins = slot_none;
  } else if (target.finished) {
    announce(operation_kind::join, nullptr, where);
  } else {
    records_[slot].joiners |= bit(state.slot);
    state.current->joins = static_cast<std::uint8_t>(slot);
    announce_blocked(operation_kind::join, nullptr, where);
    state.current->joins = slot_none;
  }
  clock_join(state.current->clock, target.clock, state.clock_width);
  if (state.locks != nullptr) state.locks->joined(slot);
  instrumentation::acquire(&target);
}

void execution::join_all(site where) {
  engine_state& s = state;
  if (s.slot != 0 || s.current->fiber != fiber_host())
    fail_and_end(
        [] { return run_failure{"thread_misuse", "", "join_all() was called by a task; only the body may call it", {}}; });
  if (s.graph != nullptr) {
    s.current->pending_kind = operation_kind::join;
    s.graph->join_all();
  } else if (overflow_closure_) {
    run_overflow(where);
  } else if (alive_ != 0) {
    body_joins_all_ = true;
    announce_blocked(operation_kind::join, nullptr, where);
    body_joins_all_ = false;
  } else {
    announce(operation_kind::join, nullptr, where);
  }
  // All have ended, and nobody knows more of a task than the task itself.
  for (unsigned slot = 1; slot < slots_; ++slot) s.current->clock.at[slot] = records_[slot].clock.at[slot];
  for (unsigned slot = 0; slot < slots_; ++slot) instrumentation::acquire(&records_[slot]);
  if (s.locks != nullptr)
    for (unsigned slot = 1; slot < slots_; ++slot) s.locks->joined(slot);
  run_audits();
}

// Lets the 64th task take over slot 0 while the body waits. Sound for happens-before: all the body did so far precedes every
// task, and it does nothing until all have ended.
void execution::run_overflow(site where) {
  engine_state& s = state;
  task_record& body = records_[0];
  body.pending_kind = operation_kind::join;
  body.where = where;
  ++body.operations;
  body_joins_all_ = true;
  body_aside_ = body;
  task_record& task = records_[overflow_slot];
  reset(task, overflow_slot, tasks_, overflow_name_.c_str(), fiber_worker(overflow_slot, &execution::task_entry));
  ++task.clock.at[overflow_slot];
  task.objects_created = body_aside_->objects_created;  // identities stay unique
  task.closure = overflow_closure_->first;
  task.invoke = overflow_closure_->second;
  overflow_closure_.reset();
  ++alive_;
  s.enabled |= bit(overflow_slot);
  unstarted_ |= bit(overflow_slot);
  instrumentation::release(&task);
  unsigned next = overflow_slot;
  if (starts_eagerly()) {
    task.yielded = true;  // it announces like all the others, and who goes first after that is free
  } else {
    count_decision();
    next = choose_next(false);
  }
  ++switches_;
  s.slot = next;
  s.current = &records_[next];
  unstarted_ &= ~bit(next);
  fiber_switch(fiber_host(), static_cast<fiber*>(s.current->fiber));
  body_joins_all_ = false;
  ++s.steps;
  if (s.recording) settings_.record->step(*s.current, s.steps, false);
}

}  // namespace kvrace::detail
