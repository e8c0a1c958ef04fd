// Virtual time: the clock, and what waits for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <ratio>

#include <kvrace/detail/core.h>

namespace kvrace {

// As std::chrono::steady_clock, of the run in progress; 0 at its beginning. It advances when no task is enabled, to the next
// deadline. Under prove() there is no time: it stands still.
struct virtual_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<virtual_clock>;
  static constexpr bool is_steady = true;
  [[nodiscard]] static time_point now() noexcept { return time_point(duration(detail::state.now_ns)); }
};

namespace detail {

std::int64_t deadline_after(std::chrono::nanoseconds duration);  // at most the end of time
template <class Rep, class Period>
std::int64_t deadline_after(const std::chrono::duration<Rep, Period>& duration) {
  return deadline_after(std::chrono::ceil<std::chrono::nanoseconds>(duration));
}
// Only of the virtual clock: another knows nothing of the run.
template <class Duration>
std::int64_t deadline_at(const std::chrono::time_point<virtual_clock, Duration>& time) {
  return deadline_after(std::chrono::ceil<std::chrono::nanoseconds>(time.time_since_epoch()) -
                        std::chrono::nanoseconds(state.now_ns));
}

// The current task announces an operation that is not enabled now; returns when another task has enabled it, or at the deadline.
// The caller has put it among those to be enabled, and sees by itself which of the two it was.
inline void announce_blocked_until(std::int64_t deadline_ns, operation_kind kind, object* what, site where) {
  engine_state& s = state;
  s.deadline_ns[s.slot] = deadline_ns;
  s.timed |= bit(s.slot);
  announce_blocked(kind, what, where);
  s.timed &= ~bit(s.slot);
}
// Of a timed wait that has not got what it waits for.
[[nodiscard]] inline bool time_is_over(std::int64_t deadline_ns) {
  return state.timeouts_any_time || state.now_ns >= deadline_ns;
}

}  // namespace detail

}  // namespace kvrace
