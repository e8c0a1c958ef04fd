#include "runtime/execution.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include <kvrace/sync.h>

#include "memory/lifetime.h"
#include "proof/graph_run.h"
#include "runtime/arena.h"
#include "runtime/recorder.h"

namespace kvrace::detail {

constinit thread_local engine_state state;
execution* active = nullptr;

source_site to_site(site where) { return {where.line() == 0 ? "" : where.file_name(), where.line()}; }

// ---- one run ----

run_end execution::run(const program& tested, const settings& chosen) {
  program_ = &tested;
  begin(chosen);
  if (fiber_run_on_host(&execution::body_entry)) end_ = failure_ ? run_end::violation : run_end::complete;
  end();
  return end_;
}

void execution::begin(const settings& chosen) {
  settings_ = chosen;
  active = this;
  arena_open();
  lifetimes_reset();
  ++generation_;
  if (generation_ == generation_outside) generation_ = generation_first;
  slots_ = 1;
  tasks_ = alive_ = 0;
  body_joins_all_ = in_prologue_ = preempting_ = false;
  body_aside_.reset();
  overflow_closure_.reset();
  unstarted_ = assume_blocked_ = 0;
  switches_ = 0;
  deviations_.clear();
  deviations_complete_ = true;
  failure_.reset();
  last_failure_.reset();
  end_ = run_end::complete;
  wants_every_step_ = chosen.strategy != nullptr && chosen.strategy->wants_every_step();

  const fault_budget& faults = chosen.limits.faults;
  const bool proof = chosen.set_up == schedule::setting::search;
  if (proof) arena.recycles = false;
  state.faults_max = {faults.weak_failures, faults.spurious_wakeups, faults.allocation_failures, faults.cancellations,
                      proof ? faults.address_reuses : 0};
  task_record& body = records_[0];
  reset(body, 0, 0, "body", fiber_host());
  const unsigned width = chosen.graph != nullptr ? chosen.graph->clock_width() : 4;
  clock_zero(body.clock, 0, width);
  body.clock.at[0] = 1;

  engine_state& s = state;
  s.enabled = bit(0);
  s.every_step = wants_every_step_ || chosen.record != nullptr || chosen.set_up == schedule::setting::search ? 1 : 0;
  s.decisions = s.ask_at = s.steps = 0;
  s.steps_stop = next_stop();
  s.current = &body;
  s.slot = 0;
  s.clock_width = width;
  s.generation = s.generation_new_object = generation_;
  s.recording = chosen.record != nullptr;
  s.naming = s.recording || (chosen.strategy != nullptr && chosen.strategy->wants_names());
  s.has_audit = bounds_calls();
  s.wakeups_ask = chosen.strategy != nullptr && chosen.strategy->wants_wakeups();
  s.stale_reads = schedule::has_stale_reads(chosen.set_up);
  s.timeouts_any_time = chosen.set_up != schedule::setting::sampled && chosen.set_up != schedule::setting::rc11;
  s.messages_used = s.messages_free = 0;
  s.now_ns = 0;
  s.metrics = chosen.metrics.data();
  s.metrics_size = chosen.metrics.size();
  s.repeated = chosen.repeated;
  s.history_undecided = s.histories_causal = s.asks_interleaving = false;
  s.polls_left = chosen.go_on != nullptr ? 1 : 0;
  s.objects_alive = 0;
  s.timed = s.calls = 0;
  s.graph = nullptr;
  s.locks = chosen.limits.lock_order && chosen.graph == nullptr ? &lock_order_ : nullptr;
  if (s.locks != nullptr) s.locks->begin_run();
  if (chosen.graph != nullptr) chosen.graph->begin();
}

void execution::end() {
  engine_state& s = state;
  if constexpr (instrumentation::on) {
    for (unsigned slot = 1; slot < slots_; ++slot) fiber_run_over(static_cast<fiber*>(records_[slot].fiber));
    if (tasks_ == tasks_max) fiber_run_over(fiber_worker(overflow_slot, &execution::task_entry));
  }
  s.generation = generation_none;
  s.graph = nullptr;
  s.locks = nullptr;
  s.generation_new_object = generation_outside;
  s.current = nullptr;
  s.recording = s.naming = s.has_audit = false;
  asks_interleaving_ = s.asks_interleaving || !audits_.empty();
  audits_.clear();
  arena_close();
}

void execution::body_entry() { active->body(); }

void execution::body() {
  try {
    kvrace::run run = run_access::make();
    (*program_)(run);
    body_returned();
    return;
  } catch (const std::exception& error) {
    keep({"escaping_exception", "task 'body'", std::string("an exception left the body: ") + error.what(), {}});
  } catch (...) {
    keep({"escaping_exception", "task 'body'", "an exception left the body: it is no std::exception", {}});
  }
  leave(run_end::violation);
}

void execution::body_returned() {
  if (failure_) return;
  if (alive_ != 0 || overflow_closure_) {
    fail_and_end([this] {
      return run_failure{"task_leak",
                         "",
                         "the body returned while " + std::to_string(alive_) + " task(s) were still running: call join_all()",
                         {}};
    });
  }
  if (state.objects_alive != 0 && settings_.limits.leaks) {
    failure_ = lifetimes_leak();
    failure_->step = state.steps;
  }
}

void execution::leave(run_end end) {
  end_ = end;
  for (unsigned slot = 1; slot < slots_; ++slot)
    if (!records_[slot].finished) fiber_abandon(static_cast<fiber*>(records_[slot].fiber));
  if (body_aside_ && !records_[overflow_slot].finished) fiber_abandon(static_cast<fiber*>(records_[overflow_slot].fiber));
  fiber* host = fiber_host();
  if (state.current->fiber == host) fiber_leave_host();
  fiber_abandon(host);
  fiber_abandon(static_cast<fiber*>(state.current->fiber));  // it may be that of a task that has just ended
  fiber_switch(static_cast<fiber*>(state.current->fiber), host);
  std::terminate();  // an abandoned fiber does not come back here
}

void execution::keep(run_failure failure) {
  failure.step = state.steps;
  (failure_ ? last_failure_ : failure_) = std::move(failure);
}

run_summary execution::summary() const {
  return {state.decisions, state.steps, tasks_, end_ == run_end::complete, end_ == run_end::blocked};
}

const char* execution::plain_name(unsigned id) const {
  if (id == 0) return "body";
  return id == tasks_max ? overflow_name_.c_str() : records_[id].name;
}

std::string execution::name_of_task(unsigned id) const {
  const char* name = plain_name(id);
  for (unsigned other = 0; other <= tasks_; ++other)
    if (other != id && std::strcmp(plain_name(other), name) == 0) return std::string(name) + " #" + std::to_string(id);
  return name;
}

void execution::name(const object& what, std::string_view name) {
  if (settings_.record != nullptr) settings_.record->name(what, name);
  if (settings_.strategy != nullptr && settings_.strategy->wants_names()) settings_.strategy->named(what.id, name);
}

// ---- decisions ----

void execution::note_deviation(deviation::kind what, std::uint64_t answer) {
  const instrumentation::aside scope;
  const task_record& task = *state.current;
  if (deviations_.size() >= settings_.deviations_max) [[unlikely]] {
    deviations_complete_ = false;
    return;
  }
  deviations_.push_back({what, task.id, task.operations, answer});
}

// The order of deviations and their addresses identify the decision sequence.
std::uint64_t execution::schedule_hash() const {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const deviation& each : deviations_) {
    for (const std::uint64_t part : {static_cast<std::uint64_t>(each.what) << 32U | each.task, each.operation, each.answer}) {
      hash = (hash ^ part) * 0xff51afd7ed558ccd;
      hash ^= hash >> 32U;
    }
  }
  return hash;
}

unsigned execution::choose_next(bool current_enabled) {
  const instrumentation::aside scope;
  engine_state& s = state;
  const task_set enabled = s.enabled;
  const unsigned me = s.slot;
  const bool yielded = s.current->yielded;
  unsigned next = lowest(enabled);
  const bool single = enabled == bit(next);
  if (single && s.every_step != 0) --s.decisions;  // counted because every step is looked at, but nothing to decide
  if (!single || wants_every_step_) {
    const task_answer answer = settings_.strategy->choose_task({enabled, me, current_enabled, yielded, s.decisions});
    if (answer.task >= tasks_max || (enabled & bit(answer.task)) == 0)
      end_unsound([this] { return settings_.strategy->divergence().value_or("the strategy chose a task that is not enabled"); });
    s.ask_at = s.decisions + answer.decisions;
    if (answer.rest_unobserved) {
      wants_every_step_ = false;
      s.every_step = s.recording ? 1 : 0;
    }
    next = answer.task;
  }
  unsigned expected = me;
  if (yielded) {
    const task_set after = me + 1 < tasks_max ? enabled & ~(bit(me + 1) - 1) : 0;
    expected = lowest(after != 0 ? after : enabled);
  } else if (!current_enabled) {
    expected = lowest(enabled);
  }
  if (next != expected) note_deviation(deviation::kind::switch_to, records_[next].id);
  // A task that starts keeps the mark of the switch to it: its first announcement may be the step that shows it.
  if (next != me) preempting_ = current_enabled && !yielded;
  s.current->yielded = false;
  return next;
}

void execution::decide() {
  engine_state& s = state;
  if (s.graph != nullptr) [[unlikely]]
    graph_refuse(to_string(s.current->pending_kind));  // what graphs model does not come here
  if (in_prologue_) [[unlikely]] {
    in_prologue_ = false;
    if ((s.enabled & bit(s.slot)) != 0) --s.decisions;  // this announcement was no decision
    switch_to(prologue_return_);
  } else {
    if (unstarted_ != 0 && starts_eagerly()) {
      start_unstarted();
      release_body();
    }
    const unsigned me = s.slot;
    const bool current_enabled = (s.enabled & bit(me)) != 0;
    if (!current_enabled) count_decision();
    const unsigned next = choose_next(current_enabled);
    if (next != me) {
      ++switches_;
      switch_to(next);
    }
  }
  // Others may have run since the announcement and destroyed what it is about.
  if (const task_record& task = *s.current; task.pending_object != nullptr) require_usable(*task.pending_object, task.where);
  if (s.recording) [[unlikely]] {
    const instrumentation::aside scope;
    settings_.record->step(*s.current, s.steps + 1, preempting_);
    preempting_ = false;
  }
}

void execution::switch_to(unsigned slot) {
  engine_state& s = state;
  auto* from = static_cast<fiber*>(s.current->fiber);
  s.slot = slot;
  s.current = &records_[slot];
  unstarted_ &= ~bit(slot);
  fiber_switch(from, static_cast<fiber*>(s.current->fiber));
}

void execution::start_unstarted() {
  const unsigned me = state.slot;
  while (unstarted_ != 0) {
    in_prologue_ = true;
    prologue_return_ = me;
    switch_to(lowest(unstarted_));
  }
}

// The current task cannot go on: is there anything to decide? Announcements of enabled tasks are counted in announce().
void execution::count_decision() {
  engine_state& s = state;
  if (s.enabled == 0) nobody_enabled();
  if (((s.enabled & (s.enabled - 1)) | s.every_step) != 0) ++s.decisions;
}

// Advances virtual time to the next deadline; without one the run is over.
void execution::nobody_enabled() {
  engine_state& s = state;
  if (s.timed == 0) {
    if (assume_blocked_ != 0) leave(run_end::blocked);
    deadlock();
  }
  std::int64_t earliest_ns = INT64_MAX;
  task_set due = 0;
  for (task_set rest = s.timed; rest != 0; rest &= rest - 1) {
    const std::int64_t deadline_ns = std::max(s.deadline_ns[lowest(rest)], s.now_ns);
    if (deadline_ns > earliest_ns) continue;
    if (deadline_ns < earliest_ns) due = 0;
    earliest_ns = deadline_ns;
    due |= rest & (0 - rest);
  }
  s.now_ns = earliest_ns;
  s.timed &= ~due;
  s.enabled |= due;
}

task_set execution::awaiting(const object& what) const {
  task_set found = 0;
  for (unsigned slot = 0; slot < slots_; ++slot) {
    const task_record& task = records_[slot];
    if (task.pending_kind == operation_kind::await && task.pending_object == &what && !task.finished) found |= bit(slot);
  }
  return found & ~state.enabled;
}

// ---- choices, the outer loop ----

std::uint64_t execution::choose_announced(std::uint64_t outcomes) {
  if (outcomes < 2) return 0;
  const std::uint64_t outcome = settings_.strategy->choose_value(state.slot, outcomes);
  if (outcome >= outcomes)
    end_unsound(
        [this] { return settings_.strategy->divergence().value_or("the strategy chose an outcome that does not exist"); });
  if (outcome != 0) note_deviation(deviation::kind::value, outcome);
  return outcome;
}

std::uint64_t execution::choose(std::uint64_t outcomes, site where) {
  if (settings_.graph != nullptr) return settings_.graph->choose(outcomes);
  state.current->choice_outcomes = outcomes;
  announce(operation_kind::choice, nullptr, where);
  const std::uint64_t outcome = choose_announced(outcomes);
  if (state.recording) record_value(std::to_string(outcome) + " of " + std::to_string(outcomes));
  return outcome;
}

void execution::assume_failed(site where) {
  if (state.graph != nullptr) state.graph->stop();
  assume_blocked_ |= bit(state.slot);
  announce_blocked(operation_kind::assume, nullptr, where);
  std::terminate();  // nobody enables it
}

void execution::poll() {
  constexpr std::uint64_t polls_between = 64;
  if (settings_.go_on == nullptr) return;
  state.polls_left = polls_between;
  if (!(*settings_.go_on)()) leave(failure_ ? run_end::violation : run_end::cut);
}

}  // namespace kvrace::detail
