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
    detail::announce(operation_kind::await, &gate_, where);
    if (gate_.value != 0) return false;
    see_arrivals();
    return true;
  }
  void wait(detail::site where = detail::site::current()) const {
    detail::require_usable(gate_, where);
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

  friend struct sync;
  mutable detail::gate gate_;
};

}  // namespace kvrace
