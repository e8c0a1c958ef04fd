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
    if (detail::state.graph != nullptr) [[unlikely]] {
      const auto set = [value](std::uint64_t, std::uint64_t& next) {
        next = static_cast<std::uint64_t>(value);
        return detail::gate_answer::writes;
      };
      (void)detail::gate_in_graph(gate_, operation_kind::release, std::memory_order_release, set, where);
      return;
    }
    detail::announce(operation_kind::release, &gate_, where);
    detail::instrumentation::release(&gate_);
    detail::release_store(gate_.message);
    gate_.value = value;
    detail::open_gate(gate_);
  }

  // True if the function is to be called now.
  bool begin(detail::site where) {
    if (detail::state.graph != nullptr) [[unlikely]] {
      const auto enter = [](std::uint64_t old, std::uint64_t& next) {
        next = running;
        return old == running ? detail::gate_answer::waits
               : old == done  ? detail::gate_answer::reads
                              : detail::gate_answer::writes;
      };
      return detail::gate_in_graph(gate_, operation_kind::acquire, std::memory_order_acquire, enter, where) != done;
    }
    detail::pass(gate_, operation_kind::acquire, [this] { return gate_.value != running; }, where);
    detail::acquire(gate_.message);
    detail::instrumentation::acquire(&gate_);
    if (gate_.value == done) return false;
    gate_.value = running;
    detail::shut_gate(gate_);
    return true;
  }

  detail::gate gate_;
};

// As std::call_once: an execution that throws leaves the flag to the next caller, who sees what it has done.
template <class Function, class... Arguments>
void call_once(once_flag& flag, Function&& function, Arguments&&... arguments) {
  const detail::site where{};  // the pack leaves no room for a location
  detail::require_usable(flag.gate_, where);
  if (!flag.begin(where)) return;
  try {
    std::invoke(std::forward<Function>(function), std::forward<Arguments>(arguments)...);
  } catch (...) {
    flag.end(once_flag::idle, where);
    throw;
  }
  flag.end(once_flag::done, where);
}

}  // namespace kvrace
