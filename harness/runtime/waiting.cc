// Operations that wait for others: condition variables, virtual time, giving way; and the free functions of core.h.
#include <bit>
#include <exception>
#include <limits>

#include <kvrace/sync.h>

#include "proof/graph_run.h"
#include "runtime/execution.h"
#include "runtime/recorder.h"

namespace kvrace::detail {

namespace {

constexpr std::int64_t no_deadline = -1;

// Enqueues the current task, releases the lock and waits. True if notified, false on a timeout; owns the lock again either way.
bool wait(wait_queue& queue, lock_state& lock, std::int64_t deadline_ns, site where) {
  engine_state& s = state;
  require_usable(queue, where);
  require_usable(lock, where);
  if (lock.owner != s.slot) lock_misused(lock, "waited on by a task that does not own it", where);
  if (s.graph != nullptr) return graph_wait(queue, lock, deadline_ns != no_deadline, where);
  const bool spurious = happens(fault::spurious_wakeup, where);
  task_record& task = *s.current;
  task.reacquires = &lock;
  announce(operation_kind::wait, &queue, where);
  if (queue.waiting != 0 && queue.lock != &lock) lock_misused(queue, "waited in with different mutexes at once", where);

  const task_set self = bit(s.slot);
  queue.waiting |= self;
  queue.lock = &lock;
  task.waits_in = &queue;
  give_back(lock);
  if (deadline_ns == no_deadline && !spurious) {
    announce_blocked(operation_kind::reacquire, &lock, where);
  } else if (s.timeouts_any_time || spurious) {
    announce(operation_kind::timeout, &queue, where);
  } else {
    s.deadline_ns[s.slot] = deadline_ns;
    s.timed |= self;
    announce_blocked(operation_kind::timeout, &queue, where);
  }
  task.waits_in = nullptr;
  const bool notified = (queue.waiting & self) == 0;
  if (!notified) {
    queue.waiting &= ~self;
    lock.waiters |= self;
    if (lock.owner == slot_none)
      announce(operation_kind::reacquire, &lock, where);
    else
      announce_blocked(operation_kind::reacquire, &lock, where);
  }
  take(lock);
  return notified || spurious;
}

// Moves a waiter from the condition variable to its mutex. One of a condition_variable_any sees to its lock itself.
void wake(wait_queue& queue, unsigned slot) {
  engine_state& s = state;
  queue.waiting &= ~bit(slot);
  s.timed &= ~bit(slot);
  if (queue.lock == nullptr) {
    enable(bit(slot));
    return;
  }
  lock_state& lock = *queue.lock;
  task_record& woken = const_cast<task_record&>(active->record(slot));
  woken.pending_kind = operation_kind::reacquire;
  woken.pending_object = &lock;
  lock.waiters |= bit(slot);
  if (lock.owner == slot_none)
    enable(bit(slot));
  else
    s.enabled &= ~bit(slot);
}

}  // namespace

void wait_in(wait_queue& queue, lock_state& lock, site where) { (void)wait(queue, lock, no_deadline, where); }
bool wait_in_until(wait_queue& queue, lock_state& lock, std::int64_t deadline_ns, site where) {
  return wait(queue, lock, deadline_ns, where);
}

void wait_begin(wait_queue& queue, site where) {
  require_usable(queue, where);
  if (state.graph != nullptr) graph_refuse("condition_variable_any");
  announce(operation_kind::arrive, &queue, where);
  if (queue.waiting != 0 && queue.lock != nullptr) lock_misused(queue, "waited in with different mutexes at once", where);
  queue.lock = nullptr;
  queue.waiting |= bit(state.slot);
}

namespace {
// It may have been notified while it was giving back its lock.
void await_in(wait_queue& queue, std::int64_t deadline_ns, site where) {
  engine_state& s = state;
  s.current->waits_in = &queue;
  if ((queue.waiting & bit(s.slot)) == 0 || (deadline_ns != no_deadline && time_is_over(deadline_ns)))
    announce(operation_kind::await, &queue, where);
  else if (deadline_ns == no_deadline)
    announce_blocked(operation_kind::await, &queue, where);
  else
    announce_blocked_until(deadline_ns, operation_kind::await, &queue, where);
  s.current->waits_in = nullptr;
}
}  // namespace

void wait_end(wait_queue& queue, site where) { await_in(queue, no_deadline, where); }
bool wait_end_by(wait_queue& queue, std::int64_t deadline_ns, site where) {
  await_in(queue, deadline_ns, where);
  const bool notified = (queue.waiting & bit(state.slot)) == 0;
  wait_cancel(queue);
  return notified;
}

void notify(wait_queue& queue, bool all, site where) {
  require_usable(queue, where);
  if (state.graph != nullptr) return graph_notify(queue, all, where);
  announce(all ? operation_kind::notify_all : operation_kind::notify_one, &queue, where);
  if (queue.waiting == 0) queue.notified_nobody = state.steps;
  if (all) {
    for (task_set rest = queue.waiting; rest != 0; rest &= rest - 1) wake(queue, lowest(rest));
    return;
  }
  const auto waiters = static_cast<std::uint64_t>(std::popcount(queue.waiting));
  if (waiters == 0) return;
  task_set rest = queue.waiting;
  for (std::uint64_t skip = active->choose_announced(waiters); skip > 0; --skip) rest &= rest - 1;
  wake(queue, lowest(rest));
}

void notify_atomic(atomic_state& what, bool all, site where) {
  announce(all ? operation_kind::notify_all : operation_kind::notify_one, &what, where);
  task_set waiting = active->awaiting(what);
  if (waiting == 0) return;
  if (!all) {
    for (std::uint64_t skip = active->choose_announced(static_cast<std::uint64_t>(std::popcount(waiting))); skip > 0; --skip)
      waiting &= waiting - 1;
    waiting &= 0 - waiting;
  }
  enable(waiting);
}

std::int64_t deadline_after(std::chrono::nanoseconds duration) {
  const std::int64_t wait_ns = duration.count() > 0 ? duration.count() : 0;
  return wait_ns > std::numeric_limits<std::int64_t>::max() - state.now_ns ? std::numeric_limits<std::int64_t>::max()
                                                                           : state.now_ns + wait_ns;
}

void yield(site where) {
  if (state.generation == generation_none) unusable_outside();
  if (state.graph != nullptr) return graph_yield();
  state.current->yielded = true;
  state.ask_at = 0;
  announce(operation_kind::yield, nullptr, where);
  state.current->yielded = false;
}

void sleep(std::chrono::nanoseconds duration, site where) {
  engine_state& s = state;
  if (s.generation == generation_none) unusable_outside();
  if (s.graph != nullptr) return graph_yield();
  if (s.timeouts_any_time || duration.count() <= 0) {
    yield(where);
    return;
  }
  s.deadline_ns[s.slot] = deadline_after(duration);
  s.timed |= bit(s.slot);
  announce_blocked(operation_kind::sleep, nullptr, where);
}

void join(unsigned slot, site where) { active->join(slot, where); }

void gate_misused(const gate& what, const char* message, site where) {
  if (std::uncaught_exceptions() != 0) return;
  const char* oracle = what.type == object_type::semaphore ? "semaphore_misuse"
                       : what.type == object_type::latch   ? "latch_misuse"
                                                           : "barrier_misuse";
  misuse(oracle, &what, message, where);
}

void thread_misused(const char* message, site where) { misuse("thread_misuse", nullptr, message, where); }

// ---- core.h ----

void decide() { active->decide(); }
void* spawn_prepare(std::string_view name, std::size_t bytes, std::size_t alignment, unsigned* slot) {
  if (state.generation == generation_none) unusable_outside();
  return active->spawn_prepare(name, bytes, alignment, slot);
}
void spawn_commit(unsigned slot, void* closure, void (*invoke)(void*)) { active->spawn_commit(slot, closure, invoke); }
void join_all(site where) { active->join_all(where); }
void require_failed(std::string_view message, site where) { fail("requirement", "", message, true, where); }
void fail(std::string_view oracle, std::string_view subject, std::string_view message, bool ends_run, site where) {
  const instrumentation::aside scope;
  if (state.generation == generation_none) unusable_outside();
  active->fail(ends_run,
               [&] { return run_failure{std::string(oracle), std::string(subject), std::string(message), {to_site(where)}}; });
}
void assume_failed(site where) {
  if (state.generation == generation_none) unusable_outside();
  active->assume_failed(where);
}
std::uint64_t choose(std::uint64_t outcomes, site where) {
  if (state.generation == generation_none) unusable_outside();
  return active->choose(outcomes, where);
}
bool choose_fault(fault what, site where) {
  if (choose(2, where) == 0) return false;
  --state.current->faults_left[static_cast<std::size_t>(what)];
  return true;
}
void bad_range(std::int64_t low, std::int64_t high, site where) {
  misuse("harness_misuse", nullptr,
         "pick(" + std::to_string(low) + ", " + std::to_string(high) + "): expected low <= high and less than 2^64 outcomes",
         where);
}
void no_such_metric(std::size_t metric, site where) {
  misuse("harness_misuse", nullptr,
         "add() to metric " + std::to_string(metric) + ", but the options name " + std::to_string(state.metrics_size), where);
}
void at_quiescence(std::function<void()> audit) { active->at_quiescence(std::move(audit)); }
void call_ended() { active->call_ended(); }
bool along_graph() { return active != nullptr && active->along_graph(); }
bool is_quiescent() { return active == nullptr || active->is_quiescent(); }
void poll() {
  const instrumentation::aside scope;
  active->poll();
}
void note(std::string_view subject, std::string_view event, std::string_view detail) {
  const instrumentation::aside scope;
  active->recording()->note(subject, event, detail);
}
std::size_t operation_called(std::string text) {
  const instrumentation::aside scope;
  return active->recording()->operation_called(std::move(text));
}
void operation_returned(std::size_t record, std::string text) {
  const instrumentation::aside scope;
  active->recording()->operation_returned(record, std::move(text));
}
void record_value(std::string_view text, std::uint64_t behind) {
  const instrumentation::aside scope;
  if (state.graph != nullptr && state.graph->read_stale())
    active->recording()->value("stale " + std::string(text), behind);
  else
    active->recording()->value(text, behind);
}
void name_object(const object& what, std::string_view name) {
  const instrumentation::aside scope;
  active->name(what, name);
}
unsigned current_task_id() { return state.current == nullptr ? 0 : state.current->id; }

void steps_stopped() { active->steps_stopped(); }

void misuse(const char* oracle, const object* what, std::string_view message, site where) {
  if (state.generation == generation_none) unusable_outside();
  active->fail_and_end([&] {
    const std::string subject = what != nullptr ? describe(*what) : std::string();
    return run_failure{
        oracle, subject, (subject.empty() ? std::string() : subject + " ") + std::string(message), {to_site(where)}};
  });
}

}  // namespace kvrace::detail
