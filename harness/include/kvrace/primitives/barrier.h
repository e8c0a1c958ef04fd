// barrier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include <kvrace/primitives/gate.h>

namespace kvrace {

namespace detail {
struct nothing_to_complete {
  void operator()() const noexcept {}
};
}  // namespace detail

// As std::barrier. The completion function runs in the task that arrives last, before anybody goes on. Arriving when nobody is
// expected any more is a violation of oracle "barrier_misuse".
template <class Completion = detail::nothing_to_complete>
class barrier {
 public:
  class arrival_token {
   public:
    arrival_token(arrival_token&&) noexcept = default;
    arrival_token& operator=(arrival_token&&) noexcept = default;

   private:
    friend class barrier;
    explicit arrival_token(std::int64_t phase) : phase_(phase) {}
    std::int64_t phase_;
  };

  explicit barrier(std::ptrdiff_t expected, Completion completion = Completion(), detail::site where = detail::site::current())
      : gate_(detail::object_type::barrier, 0), completion_(std::move(completion)), expected_(expected), missing_(expected) {
    if (expected < 0) [[unlikely]]
      detail::gate_misused(gate_, "is made with a negative count", where);
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;
  ~barrier() { detail::message_release(gate_, odd_message_); }
  static constexpr std::ptrdiff_t max() noexcept { return std::numeric_limits<std::ptrdiff_t>::max(); }

  [[nodiscard]] arrival_token arrive(std::ptrdiff_t update = 1, detail::site where = detail::site::current()) {
    return arrive(update, false, where);
  }
  void wait(arrival_token&& token, detail::site where = detail::site::current()) const {
    detail::require_usable(gate_, where);
    const std::int64_t phase = token.phase_;
    if (detail::state.graph != nullptr) [[unlikely]]
      return wait_in_graph(phase, where);
    detail::pass(gate_, operation_kind::await, [this, phase] { return gate_.value != phase; }, where);
    detail::acquire(message_of(phase));
    detail::instrumentation::acquire(&gate_);
  }
  void arrive_and_wait(detail::site where = detail::site::current()) { wait(arrive(1, false, where), where); }
  void arrive_and_drop(detail::site where = detail::site::current()) { (void)arrive(1, true, where); }

 private:
  arrival_token arrive(std::ptrdiff_t update, bool drops, detail::site where) {
    detail::require_usable(gate_, where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return arrive_in_graph(update, drops, where);
    detail::announce(operation_kind::arrive, &gate_, where);
    if (update <= 0 || update > missing_) [[unlikely]]
      detail::gate_misused(gate_, "sees more arrivals than it expects", where);
    const std::int64_t phase = gate_.value;
    detail::instrumentation::release(&gate_);
    detail::release_join(message_of(phase));
    missing_ -= update;
    gate_.awaited = missing_;
    if (drops) --expected_;
    if (missing_ == 0) complete(phase);
    return arrival_token(phase);
  }
  void complete(std::int64_t phase) {
    detail::acquire(message_of(phase));
    detail::instrumentation::acquire(&gate_);
    completion_();
    detail::instrumentation::release(&gate_);
    detail::release_join(message_of(phase));
    missing_ = expected_;
    ++gate_.value;
    detail::open_gate(gate_);
  }

  // Along an execution graph the value is the arrivals so far in the upper half, and the phase in the lower. Who arrives last
  // raises the phase in an operation of its own, after completing.
  static std::int64_t phase_of(std::uint64_t value) { return static_cast<std::int64_t>(value & 0xffff'ffff); }
  arrival_token arrive_in_graph(std::ptrdiff_t update, bool drops, detail::site where) {
    const auto add = [update](std::uint64_t old, std::uint64_t& next) {
      next = old + (static_cast<std::uint64_t>(update) << 32U);
      return detail::gate_answer::writes;
    };
    const std::uint64_t old = detail::gate_in_graph(gate_, operation_kind::arrive, std::memory_order_acq_rel, add, where);
    const auto arrived = static_cast<std::ptrdiff_t>(old >> 32U);
    if (update <= 0 || update > missing_ - arrived) [[unlikely]]
      detail::gate_misused(gate_, "sees more arrivals than it expects", where);
    if (drops) --expected_;
    if (arrived + update == missing_) {
      completion_();
      missing_ = expected_;
      const auto raise = [](std::uint64_t before, std::uint64_t& next) {
        next = (before + 1) & 0xffff'ffff;
        return detail::gate_answer::writes;
      };
      (void)detail::gate_in_graph(gate_, operation_kind::arrive, std::memory_order_acq_rel, raise, where, true);
    }
    return arrival_token(phase_of(old));
  }
  void wait_in_graph(std::int64_t phase, detail::site where) const {
    const auto look = [phase](std::uint64_t value, std::uint64_t&) {
      return phase_of(value) != phase ? detail::gate_answer::reads : detail::gate_answer::waits;
    };
    (void)detail::gate_in_graph(gate_, operation_kind::await, std::memory_order_acquire, look, where);
  }

  // Who leaves a phase late must not see arrivals of the next: phases take turns.
  std::uint32_t& message_of(std::int64_t phase) const { return phase % 2 == 0 ? gate_.message : odd_message_; }

  friend struct sync;
  mutable detail::gate gate_;  // its value is the phase
  mutable std::uint32_t odd_message_ = 0;
  Completion completion_;
  std::ptrdiff_t expected_;
  std::ptrdiff_t missing_;  // arrivals until this phase completes
};

}  // namespace kvrace
