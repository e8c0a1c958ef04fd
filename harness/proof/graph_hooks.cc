// What the primitives call, as operations of the execution in progress.
#include <kvrace/sync.h>

#include "proof/graph_run.h"

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

void taken(lock_state& lock) {
  lock.owner = state.slot;
  lock.waiters &= ~bit(state.slot);
}

}  // namespace

std::uint64_t graph_load(atomic_state& what, graph_storage storage, std::memory_order order, site where) {
  graph_run& run = *state.graph;
  if (run.alone()) return while_alone(what, storage, [](std::uint64_t value) { return value; });
  state.current->where = where;
  bool wrote = false;
  const std::uint8_t does = order_of(order);
  return run.read(run.location_of(what, storage, false), {graph_operation::load, does, does, 0, 0, nullptr, nullptr}, &wrote);
}

void graph_store(atomic_state& what, graph_storage storage, std::uint64_t value, std::memory_order order, site where) {
  graph_run& run = *state.graph;
  if (run.alone()) {
    while_alone(what, storage, [value](std::uint64_t) { return value; });
    return;
  }
  state.current->where = where;
  run.write(run.location_of(what, storage, false), graph_operation::store, order_of(order), value);
}

std::uint64_t graph_update(atomic_state& what, graph_storage storage, graph_change change, const void* context,
                           std::memory_order order, site where) {
  graph_run& run = *state.graph;
  if (run.alone()) return while_alone(what, storage, [=](std::uint64_t value) { return change(value, context); });
  state.current->where = where;
  bool wrote = false;
  const std::uint8_t does = order_of(order);
  return run.read(run.location_of(what, storage, false), {graph_operation::update, does, does, 0, 0, change, context}, &wrote);
}

bool graph_exchange_if(atomic_state& what, graph_storage storage, std::uint64_t& expected, std::uint64_t desired,
                       std::memory_order success, std::memory_order failure, site where) {
  graph_run& run = *state.graph;
  bool wrote = false;
  std::uint64_t value = 0;
  if (run.alone()) {
    value = while_alone(what, storage, [&](std::uint64_t old) { return (wrote = old == expected) ? desired : old; });
  } else {
    state.current->where = where;
    value = run.read(run.location_of(what, storage, false),
                     {graph_operation::exchange_if, order_of(success), order_of(failure), expected, desired, nullptr, nullptr},
                     &wrote);
  }
  expected = value;
  return wrote;
}

void graph_fence(std::memory_order order, site where) {
  if (state.graph->alone()) return;
  state.current->where = where;
  state.graph->fence(order_of(order));
}

void graph_settle(const atomic_state& what, graph_storage storage) {
  if (!state.graph->alone()) graph_refuse("peeking at an atomic while tasks run");
  state.graph->settle(what, storage);
}

void graph_destroyed(const object& what) {
  if (what.generation == state.generation) state.graph->destroyed(what);
}

// ---- locks ----

void graph_lock(lock_state& lock, site where) {
  graph_run& run = *state.graph;
  if (!run.alone()) {
    task_record& task = *state.current;
    task.pending_kind = operation_kind::lock;
    task.pending_object = &lock;
    task.where = where;
    bool wrote = false;
    (void)run.read(run.location_of(lock, {nullptr, 0}, lock.owner != slot_none),
                   {graph_operation::lock, acquiring, acquiring, 0, 1, nullptr, nullptr}, &wrote);
  }
  taken(lock);
}

bool graph_try_lock(lock_state& lock, site where) {
  graph_run& run = *state.graph;
  bool wrote = lock.owner == slot_none;
  if (!run.alone()) {
    state.current->where = where;
    (void)run.read(run.location_of(lock, {nullptr, 0}, lock.owner != slot_none),
                   {graph_operation::try_lock, acquiring, relaxed, 0, 1, nullptr, nullptr}, &wrote);
  }
  if (wrote) taken(lock);
  return wrote;
}

void graph_unlock(lock_state& lock, site where) {
  graph_run& run = *state.graph;
  if (!run.alone()) {
    state.current->where = where;
    run.write(run.location_of(lock, {nullptr, 0}, true), graph_operation::unlock, releasing, 0);
  }
  lock.owner = slot_none;
}

void graph_lock(shared_lock_state& lock, bool exclusive, site where) {
  graph_run& run = *state.graph;
  if (!run.alone()) {
    task_record& task = *state.current;
    task.pending_kind = exclusive ? operation_kind::lock : operation_kind::lock_shared;
    task.pending_object = &lock;
    task.where = where;
    exclusive ? run.lock_all(lock) : run.lock_shared(lock);
  }
  if (exclusive)
    lock.owner = state.slot;
  else
    lock.readers |= bit(state.slot);
}

bool graph_try_lock(shared_lock_state&, bool exclusive, site) {
  graph_refuse(exclusive ? "shared_mutex::try_lock" : "shared_mutex::try_lock_shared");
}

void graph_unlock(shared_lock_state& lock, bool exclusive, site where) {
  graph_run& run = *state.graph;
  if (!run.alone()) {
    state.current->where = where;
    exclusive ? run.unlock_all(lock) : run.unlock_shared(lock);
  }
  if (exclusive)
    lock.owner = slot_none;
  else
    lock.readers &= ~bit(state.slot);
}

void graph_refuse(const char* what) { state.graph->refuse(what); }

}  // namespace kvrace::detail
