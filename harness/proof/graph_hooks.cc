// What the primitives call, as operations of the execution in progress.
#include <kvrace/sync.h>

#include "proof/graph_run.h"
#include "runtime/recorder.h"

namespace kvrace::detail {

namespace {

std::uint8_t order_of(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed: return relaxed;
    case std::memory_order_consume:
    case std::memory_order_acquire: return acquiring;
    case std::memory_order_release: return releasing;
    case std::memory_order_acq_rel: return acquiring | releasing;
    case std::memory_order_seq_cst: break;
  }
  return fully_sequential;
}

// One operation on a value that nobody else can reach.
template <class Change>
std::uint64_t while_alone(atomic_state& what, graph_storage storage, Change change) {
  state.graph->settle(what, storage);
  std::uint64_t value = 0;
  std::memcpy(&value, storage.value, storage.bytes);
  const std::uint64_t next = change(value);
  std::memcpy(storage.value, &next, storage.bytes);
  return value;
}

// What the current task is about to do, for reports and for whoever describes a deadlock.
void begin(operation_kind kind, object* what, site where) {
  task_record& task = *state.current;
  task.pending_kind = kind;
  task.pending_object = what;
  task.where = where;
  ++task.operations;
}
void done() {
  if (state.recording) [[unlikely]]
    active->recording()->step(*state.current, state.steps, false);
}

std::uint64_t read_atomic(atomic_state& what, graph_storage storage, const graph_run::access& how, bool* wrote) {
  graph_run& run = *state.graph;
  const std::uint64_t value = run.read(run.location_of(what, storage, false), how, wrote);
  done();
  return value;
}
void taken(lock_state& lock) {
  lock.owner = state.slot;
  lock.waiters &= ~bit(state.slot);
}

}  // namespace

std::uint64_t graph_load(atomic_state& what, graph_storage storage, std::memory_order order, site where) {
  if (state.graph->alone()) return while_alone(what, storage, [](std::uint64_t value) { return value; });
  begin(operation_kind::load, &what, where);
  bool wrote = false;
  const std::uint8_t does = order_of(order);
  return read_atomic(what, storage, {graph_operation::load, does, does, 0, 0, nullptr, nullptr}, &wrote);
}

void graph_store(atomic_state& what, graph_storage storage, std::uint64_t value, std::memory_order order, site where) {
  graph_run& run = *state.graph;
  if (run.alone()) {
    while_alone(what, storage, [value](std::uint64_t) { return value; });
    return;
  }
  begin(operation_kind::store, &what, where);
  run.write(run.location_of(what, storage, false), graph_operation::store, order_of(order), value);
  done();
}

std::uint64_t graph_update(atomic_state& what, graph_storage storage, graph_change change, const void* context,
                           std::memory_order order, site where) {
  if (state.graph->alone()) return while_alone(what, storage, [=](std::uint64_t value) { return change(value, context); });
  begin(operation_kind::read_modify_write, &what, where);
  bool wrote = false;
  const std::uint8_t does = order_of(order);
  return read_atomic(what, storage, {graph_operation::update, does, does, 0, 0, change, context}, &wrote);
}

bool graph_exchange_if(atomic_state& what, graph_storage storage, std::uint64_t& expected, std::uint64_t desired,
                       std::memory_order success, std::memory_order failure, site where) {
  bool wrote = false;
  if (state.graph->alone()) {
    expected = while_alone(what, storage, [&](std::uint64_t old) { return (wrote = old == expected) ? desired : old; });
    return wrote;
  }
  begin(operation_kind::compare_exchange, &what, where);
  expected = read_atomic(
      what, storage, {graph_operation::exchange_if, order_of(success), order_of(failure), expected, desired, nullptr, nullptr},
      &wrote);
  return wrote;
}

void graph_fence(std::memory_order order, site where) {
  if (state.graph->alone()) return;
  begin(operation_kind::fence, nullptr, where);
  state.graph->fence(order_of(order));
  done();
}

void graph_settle(const atomic_state& what, graph_storage storage) {
  if (!state.graph->alone()) graph_refuse("peeking at an atomic while tasks run");
  state.graph->settle(what, storage);
}

void graph_destroyed(const object& what) {
  if (what.generation == state.generation) state.graph->destroyed(what);
}

// ---- waiting for values ----

namespace {

void wait_alone(operation_kind kind, object& what, site where) {
  begin(kind, &what, where);
  active->deadlock_of_graph();
}

}  // namespace

std::uint64_t graph_gate(gate& what, operation_kind kind, std::memory_order order, gate_step step, const void* context,
                         site where, bool inside) {
  graph_run& run = *state.graph;
  const graph_storage storage{&what.value, sizeof what.value};
  if (run.alone()) {
    run.settle(what, storage);
    const auto old = static_cast<std::uint64_t>(what.value);
    std::uint64_t next = old;
    if (step(old, &next, context) == gate_answer::waits) wait_alone(kind, what, where);
    what.value = static_cast<std::int64_t>(next);
    return old;
  }
  begin(kind, &what, where);
  const std::uint8_t does = order_of(order);
  bool wrote = false;
  const std::uint64_t old = run.read(
      run.location_of(what, storage, false),
      {inside ? graph_operation::gate_inside : graph_operation::gate, does, relaxed, 0, 0, nullptr, context, step}, &wrote);
  if (!inside) done();
  return old;
}

std::uint64_t graph_await(atomic_state& what, graph_storage storage, std::uint64_t old, std::memory_order order, site where) {
  graph_run& run = *state.graph;
  if (run.alone()) {
    const std::uint64_t value = while_alone(what, storage, [](std::uint64_t now) { return now; });
    if (value == old) wait_alone(operation_kind::await, what, where);
    return value;
  }
  begin(operation_kind::await, &what, where);
  const unsigned location = run.location_of(what, storage, false);
  run.await(location);
  bool wrote = false;
  const std::uint8_t does = order_of(order);
  const std::uint64_t value = run.read(location, {graph_operation::await_change, does, does, old, 0, nullptr, nullptr}, &wrote);
  done();
  return value;
}

void graph_notify(atomic_state& what, graph_storage storage, bool all, site where) {
  graph_run& run = *state.graph;
  if (run.alone()) return;
  begin(all ? operation_kind::notify_all : operation_kind::notify_one, &what, where);
  run.notify(run.location_of(what, storage, false), all);
  done();
}

// ---- locks ----

void graph_lock(lock_state& lock, site where) {
  graph_run& run = *state.graph;
  if (!run.alone()) {
    begin(operation_kind::lock, &lock, where);
    bool wrote = false;
    (void)run.read(run.location_of(lock, {nullptr, 0}, lock.owner != slot_none),
                   {graph_operation::lock, acquiring, acquiring, 0, 1, nullptr, nullptr}, &wrote);
    done();
  }
  taken(lock);
}

bool graph_try_lock(lock_state& lock, site where) {
  graph_run& run = *state.graph;
  bool wrote = lock.owner == slot_none;
  if (!run.alone()) {
    begin(operation_kind::try_lock, &lock, where);
    (void)run.read(run.location_of(lock, {nullptr, 0}, lock.owner != slot_none),
                   {graph_operation::try_lock, acquiring, relaxed, 0, 1, nullptr, nullptr}, &wrote);
    done();
  }
  if (wrote) taken(lock);
  return wrote;
}

void graph_unlock(lock_state& lock, site where) {
  graph_run& run = *state.graph;
  if (!run.alone()) {
    begin(operation_kind::unlock, &lock, where);
    run.write(run.location_of(lock, {nullptr, 0}, true), graph_operation::unlock, releasing, 0);
    done();
  }
  lock.owner = slot_none;
}

void graph_lock(shared_lock_state& lock, bool exclusive, site where) {
  graph_run& run = *state.graph;
  if (!run.alone()) {
    begin(exclusive ? operation_kind::lock : operation_kind::lock_shared, &lock, where);
    exclusive ? run.lock_all(lock) : run.lock_shared(lock);
    done();
  }
  if (exclusive)
    lock.owner = state.slot;
  else
    lock.readers |= bit(state.slot);
}

bool graph_try_lock(shared_lock_state& lock, bool exclusive, site where) {
  graph_run& run = *state.graph;
  bool taken = lock.owner == slot_none && (!exclusive || lock.readers == 0);
  if (!run.alone()) {
    begin(exclusive ? operation_kind::try_lock : operation_kind::try_lock_shared, &lock, where);
    taken = exclusive ? run.try_lock_all(lock) : run.try_lock_shared(lock);
    done();
  }
  if (!taken) return false;
  if (exclusive)
    lock.owner = state.slot;
  else
    lock.readers |= bit(state.slot);
  return true;
}

void graph_unlock(shared_lock_state& lock, bool exclusive, site where) {
  graph_run& run = *state.graph;
  if (!run.alone()) {
    begin(exclusive ? operation_kind::unlock : operation_kind::unlock_shared, &lock, where);
    exclusive ? run.unlock_all(lock) : run.unlock_shared(lock);
    done();
  }
  if (exclusive)
    lock.owner = slot_none;
  else
    lock.readers &= ~bit(state.slot);
}

// ---- waiting ----

bool graph_wait(wait_queue& queue, lock_state& lock, bool timed, site where) {
  graph_run& run = *state.graph;
  task_record& task = *state.current;
  const task_set self = bit(state.slot);
  const bool spurious = happens(fault::spurious_wakeup, where);
  if (run.alone()) {
    if (timed || spurious) return spurious;
    begin(operation_kind::wait, &queue, where);
    task.waits_in = &queue;
    queue.waiting |= self;
    active->deadlock_of_graph();
  }
  const bool gives_up = spurious || (timed && run.choose(2, internal_choice) == 1);
  begin(operation_kind::wait, &queue, where);
  if (run.enqueue(queue) != 0 && queue.lock != &lock) lock_misused(queue, "waited in with different mutexes at once", where);
  queue.lock = &lock;
  done();
  task.waits_in = &queue;
  queue.waiting |= self;
  const unsigned location = run.location_of(lock, {nullptr, 0}, true);
  run.write(location, graph_operation::unlock, releasing, 0);
  lock.owner = slot_none;
  if (gives_up) {
    begin(operation_kind::timeout, &queue, where);
    if (!run.dequeue(queue)) run.stop();
    queue.waiting &= ~self;
    done();
  } else {
    run.wake_up(queue, timed);
  }
  task.waits_in = nullptr;
  begin(operation_kind::reacquire, &lock, where);
  bool wrote = false;
  (void)run.read(location, {graph_operation::lock, acquiring, acquiring, 0, 1, nullptr, nullptr}, &wrote);
  done();
  taken(lock);
  return spurious || !gives_up;
}

void graph_notify(wait_queue& queue, bool all, site where) {
  if (state.graph->alone()) return;
  begin(all ? operation_kind::notify_all : operation_kind::notify_one, &queue, where);
  queue.waiting &= ~state.graph->notify(queue, all);
  done();
}

void graph_yield() { state.graph->gave_way(); }

void graph_refuse(const char* what) { state.graph->refuse(what); }

}  // namespace kvrace::detail
