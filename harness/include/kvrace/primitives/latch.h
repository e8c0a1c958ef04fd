// latch.
#pragma once

#include <cstddef>
#include <limits>

#include <kvrace/primitives/gate.h>

namespace kvrace {

// As std::latch. Counting down below 0 is a violation of oracle "latch_misuse".
class latch {
 public:
  explicit latch(std::ptrdiff_t expected, detail::site where = detail::site::current())
      : gate_(detail::object_type::latch, expected) {
    if (expected < 0) [[unlikely]]
      detail::gate_misused(gate_, "is made with a negative count", where);
  }
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;
  static constexpr std::ptrdiff_t max() noexcept { return std::numeric_limits<std::ptrdiff_t>::max(); }

  void count_down(std::ptrdiff_t update = 1, detail::site where = detail::site::current()) {
    detail::require_usable(gate_, where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return count_down_in_graph(update, where);
    detail::announce(operation_kind::arrive, &gate_, where);
    if (update < 0 || update > gate_.value) [[unlikely]]
      detail::gate_misused(gate_, "is counted down below 0, or up", where);
    detail::instrumentation::release(&gate_);
    detail::release_join(gate_.message);
    gate_.value -= update;
    if (gate_.value == 0) detail::open_gate(gate_);
  }
  [[nodiscard]] bool try_wait(detail::site where = detail::site::current()) const {
    detail::require_usable(gate_, where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return see_in_graph(detail::gate_answer::fails, where);
    detail::announce(operation_kind::await, &gate_, where);
    if (gate_.value != 0) return false;
    see_arrivals();
    return true;
  }
  void wait(detail::site where = detail::site::current()) const {
    detail::require_usable(gate_, where);
    if (detail::state.graph != nullptr) [[unlikely]] {
      see_in_graph(detail::gate_answer::waits, where);
      return;
    }
    detail::pass(gate_, operation_kind::await, [this] { return gate_.value == 0; }, where);
    see_arrivals();
  }
  void arrive_and_wait(std::ptrdiff_t update = 1, detail::site where = detail::site::current()) {
    count_down(update, where);
    wait(where);
  }

 private:
  void see_arrivals() const {
    detail::acquire(gate_.message);
    detail::instrumentation::acquire(&gate_);
  }

  void count_down_in_graph(std::ptrdiff_t update, detail::site where) {
    const auto subtract = [update](std::uint64_t old, std::uint64_t& next) {
      next = old - static_cast<std::uint64_t>(update);
      return detail::gate_answer::writes;
    };
    const auto old = detail::gate_in_graph(gate_, operation_kind::arrive, std::memory_order_release, subtract, where);
    if (update < 0 || update > static_cast<std::ptrdiff_t>(old)) [[unlikely]]
      detail::gate_misused(gate_, "is counted down below 0, or up", where);
  }
  bool see_in_graph(detail::gate_answer before_zero, detail::site where) const {
    const auto look = [before_zero](std::uint64_t value, std::uint64_t&) {
      return value == 0 ? detail::gate_answer::reads : before_zero;
    };
    return detail::gate_in_graph(gate_, operation_kind::await, std::memory_order_acquire, look, where) == 0;
  }

  friend struct sync;
  mutable detail::gate gate_;
};

}  // namespace kvrace
