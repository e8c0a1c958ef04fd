// counting_semaphore and binary_semaphore.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>

#include <kvrace/primitives/gate.h>

namespace kvrace {

// As std::counting_semaphore. Every release is seen by every acquisition that comes after it, as where the counter is one atomic
// that both read, modify and write. A release beyond `max()` is a violation of oracle "semaphore_misuse".
template <std::ptrdiff_t least_max_value = std::numeric_limits<std::ptrdiff_t>::max()>
class counting_semaphore {
  static_assert(least_max_value >= 0);

 public:
  explicit counting_semaphore(std::ptrdiff_t desired, detail::site where = detail::site::current())
      : gate_(detail::object_type::semaphore, desired) {
    if (desired < 0 || desired > max()) [[unlikely]]
      detail::gate_misused(gate_, "is made with a count out of 0 .. max()", where);
  }
  counting_semaphore(const counting_semaphore&) = delete;
  counting_semaphore& operator=(const counting_semaphore&) = delete;
  ~counting_semaphore() {
    if (gate_.generation == detail::state.generation && (gate_.waiters | gate_.waiters_timed) != 0) [[unlikely]]
      detail::gate_misused(gate_, "is destroyed while tasks wait for it", detail::site{});
  }
  static constexpr std::ptrdiff_t max() noexcept { return least_max_value; }

  void release(std::ptrdiff_t update = 1, detail::site where = detail::site::current()) {
    detail::require_usable(gate_, where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return release_in_graph(update, where);
    detail::announce(operation_kind::release, &gate_, where);
    if (update < 0 || update > max() - gate_.value) [[unlikely]]
      detail::gate_misused(gate_, "is released beyond its maximum, or by less than 0", where);
    detail::instrumentation::release(&gate_);
    detail::release_join(gate_.message);
    gate_.value += update;
    if (gate_.value > 0) detail::open_gate(gate_);
  }
  void acquire(detail::site where = detail::site::current()) {
    detail::require_usable(gate_, where);
    if (detail::state.graph != nullptr) [[unlikely]] {
      take_in_graph(operation_kind::acquire, detail::gate_answer::waits, where);
      return;
    }
    detail::pass(gate_, operation_kind::acquire, [this] { return gate_.value > 0; }, where);
    take();
  }
  [[nodiscard]] bool try_acquire(detail::site where = detail::site::current()) {
    detail::require_usable(gate_, where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return take_in_graph(operation_kind::try_acquire, detail::gate_answer::fails, where);
    detail::announce(operation_kind::try_acquire, &gate_, where);
    if (gate_.value == 0) return false;
    take();
    return true;
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(const std::chrono::duration<Rep, Period>& duration,
                                     detail::site where = detail::site::current()) {
    return try_acquire_by(detail::deadline_after(duration), where);
  }
  template <class Duration>
  [[nodiscard]] bool try_acquire_until(const std::chrono::time_point<virtual_clock, Duration>& time,
                                       detail::site where = detail::site::current()) {
    return try_acquire_by(detail::deadline_at(time), where);
  }

 private:
  bool try_acquire_by(std::int64_t deadline_ns, detail::site where) {
    detail::require_usable(gate_, where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return take_in_graph(operation_kind::try_acquire, detail::gate_answer::fails, where);
    const auto is_open = [this] { return gate_.value > 0; };
    if (!detail::pass_until(gate_, operation_kind::try_acquire, deadline_ns, is_open, where)) return false;
    take();
    return true;
  }
  void take() {
    if (--gate_.value == 0) detail::shut_gate(gate_);
    detail::acquire(gate_.message);
    detail::instrumentation::acquire(&gate_);
  }

  void release_in_graph(std::ptrdiff_t update, detail::site where) {
    const auto add = [update](std::uint64_t old, std::uint64_t& next) {
      next = old + static_cast<std::uint64_t>(update);
      return detail::gate_answer::writes;
    };
    const auto old = detail::gate_in_graph(gate_, operation_kind::release, std::memory_order_release, add, where);
    if (update < 0 || update > max() - static_cast<std::ptrdiff_t>(old)) [[unlikely]]
      detail::gate_misused(gate_, "is released beyond its maximum, or by less than 0", where);
  }
  bool take_in_graph(operation_kind kind, detail::gate_answer at_zero, detail::site where) {
    const auto take_one = [at_zero](std::uint64_t old, std::uint64_t& next) {
      next = old - 1;
      return old == 0 ? at_zero : detail::gate_answer::writes;
    };
    return detail::gate_in_graph(gate_, kind, std::memory_order_acquire, take_one, where) != 0;
  }

  friend struct sync;
  detail::gate gate_;
};

using binary_semaphore = counting_semaphore<1>;

}  // namespace kvrace
