// What semaphores, latches, barriers, call_once, futures and stop tokens are made of. Internal.
#pragma once

#include <cstdint>

#include <kvrace/detail/core.h>
#include <kvrace/detail/graph.h>
#include <kvrace/primitives/time.h>

namespace kvrace::detail {

// Something that lets tasks pass while a condition on `value` holds.
struct gate : object {
  std::uint32_t message = 0;   // what those who pass synchronise with
  std::int64_t value = 0;
  std::int64_t awaited = 0;    // of a barrier: arrivals until those who wait may go on
  task_set waiters = 0;        // tasks that have announced to pass
  task_set waiters_timed = 0;  // the same with a deadline

  gate(object_type its_type, std::int64_t its_value) : object(its_type), value(its_value) {
    if (state.graph != nullptr && its_type == object_type::stop_state) [[unlikely]]
      graph_refuse(name_of(its_type));
  }
  ~gate() {
    if (state.graph != nullptr) [[unlikely]]
      graph_destroyed(*this);
    message_release(*this, message);
    mark_destroyed(*this);
  }
};

// Others may pass from now on, and from now on they may not. A task whose time is over stays enabled.
inline void open_gate(gate& what) {
  if (const task_set all = what.waiters | what.waiters_timed; all != 0) enable(all);
}
inline void shut_gate(gate& what) { state.enabled &= ~(what.waiters | (what.waiters_timed & state.timed)); }

// The current task announces to pass; returns when it may.
template <class IsOpen>
void pass(gate& what, operation_kind kind, IsOpen is_open, site where) {
  what.waiters |= bit(state.slot);
  if (is_open())
    announce(kind, &what, where);
  else
    announce_blocked(kind, &what, where);
  what.waiters &= ~bit(state.slot);
}
// As above; false if it may not and the time is over. `kind` is one that may fail: in a proof the time may be over at any point,
// so that along a graph it does what one without a wait does.
template <class IsOpen>
bool pass_until(gate& what, operation_kind kind, std::int64_t deadline_ns, IsOpen is_open, site where) {
  for (;;) {
    if (is_open() || time_is_over(deadline_ns)) {
      announce(kind, &what, where);
    } else {
      what.waiters_timed |= bit(state.slot);
      announce_blocked_until(deadline_ns, kind, &what, where);
      what.waiters_timed &= ~bit(state.slot);
    }
    if (is_open()) return true;
    if (time_is_over(deadline_ns)) return false;
  }
}

// Along an execution graph, a gate is a value that operations wait for, read and write. Step: gate_answer(std::uint64_t old,
// std::uint64_t& next). Returns the value read.
template <class Step>
std::uint64_t gate_in_graph(gate& what, operation_kind kind, std::memory_order order, Step step, site where,
                            bool inside = false) {
  const auto erased = [](std::uint64_t old, std::uint64_t* next, const void* context) {
    return (*static_cast<const Step*>(context))(old, *next);
  };
  return graph_gate(what, kind, order, erased, &step, where, inside);
}

// For destructors: nothing happens while an exception unwinds, that exception is the finding then.
void gate_misused(const gate& what, const char* message, site where);

}  // namespace kvrace::detail
