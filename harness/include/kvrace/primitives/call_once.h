// once_flag and call_once.
#pragma once

#include <functional>
#include <utility>

#include <kvrace/primitives/gate.h>

namespace kvrace {

class once_flag;
template <class Function, class... Arguments>
void call_once(once_flag& flag, Function&& function, Arguments&&... arguments);

// As std::once_flag. Calling the function of a flag from within itself deadlocks, as it does there.
class once_flag {
 public:
  once_flag() : gate_(detail::object_type::once_flag, idle) {}
  once_flag(const once_flag&) = delete;
  once_flag& operator=(const once_flag&) = delete;

 private:
  template <class Function, class... Arguments>
  friend void call_once(once_flag& flag, Function&& function, Arguments&&... arguments);
  friend struct sync;

  static constexpr std::int64_t idle = 0;
  static constexpr std::int64_t running = 1;
  static constexpr std::int64_t done = 2;

  void end(std::int64_t value, detail::site where) {
    detail::announce(operation_kind::release, &gate_, where);
    detail::instrumentation::release(&gate_);
    detail::release_store(gate_.message);
    gate_.value = value;
    detail::open_gate(gate_);
  }

  detail::gate gate_;
};

// As std::call_once: an execution that throws leaves the flag to the next caller, who sees what it has done.
template <class Function, class... Arguments>
void call_once(once_flag& flag, Function&& function, Arguments&&... arguments) {
  const detail::site where{};  // the pack leaves no room for a location
  detail::gate& gate = flag.gate_;
  detail::require_usable(gate, where);
  detail::pass(gate, operation_kind::acquire, [&gate] { return gate.value != once_flag::running; }, where);
  detail::acquire(gate.message);
  detail::instrumentation::acquire(&gate);
  if (gate.value == once_flag::done) return;
  gate.value = once_flag::running;
  detail::shut_gate(gate);
  try {
    std::invoke(std::forward<Function>(function), std::forward<Arguments>(arguments)...);
  } catch (...) {
    flag.end(once_flag::idle, where);
    throw;
  }
  flag.end(once_flag::done, where);
}

}  // namespace kvrace
