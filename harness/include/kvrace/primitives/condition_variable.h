// condition_variable.
#pragma once

#include <chrono>
#include <concepts>
#include <condition_variable>

#include <kvrace/primitives/mutex.h>
#include <kvrace/primitives/time.h>

namespace kvrace {

namespace detail {

struct wait_queue : object {
  task_set waiting = 0;
  lock_state* lock = nullptr;  // the mutex of the present waiters
  std::uint64_t notified_nobody = 0;  // the step of the last notification while nobody waited

  wait_queue() : object(object_type::condition_variable) {}
};
// Carry out announced operations; the current task owns `lock` before and after. wait_in returns false on a timeout.
void wait_in(wait_queue& queue, lock_state& lock, site where);
bool wait_in_until(wait_queue& queue, lock_state& lock, std::int64_t deadline_ns, site where);
void notify(wait_queue& queue, bool all, site where);
// The same in two steps, for condition_variable_any: the current task enqueues, gives back its lock in whatever way, and waits.
// wait_end_by returns false on a timeout.
void wait_begin(wait_queue& queue, site where);
void wait_end(wait_queue& queue, site where);
bool wait_end_by(wait_queue& queue, std::int64_t deadline_ns, site where);
inline void wait_cancel(wait_queue& queue) { queue.waiting &= ~bit(state.slot); }

}  // namespace detail

// As std::condition_variable, on virtual time. There are no spurious wakeups. Which waiter notify_one wakes is a choice.
class condition_variable {
 public:
  condition_variable() = default;
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;
  ~condition_variable() {
    if (queue_.generation == detail::state.generation && queue_.waiting != 0) [[unlikely]]
      detail::lock_destroyed(queue_, "destroyed while tasks wait in it");
    detail::mark_destroyed(queue_);
  }

  template <class Lock>
  void wait(Lock& lock, detail::site where = detail::site::current()) {
    detail::wait_in(queue_, state_of(lock, where), where);
  }
  template <class Lock, class Predicate>
    requires(!std::is_convertible_v<Predicate, detail::site>)
  void wait(Lock& lock, Predicate ready, detail::site where = detail::site::current()) {
    while (!ready()) wait(lock, where);
  }
  template <class Lock, class Rep, class Period>
  std::cv_status wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& duration,
                          detail::site where = detail::site::current()) {
    return wait_in_until(lock, detail::deadline_after(duration), where);
  }
  template <class Lock, class Duration>
  std::cv_status wait_until(Lock& lock, const std::chrono::time_point<virtual_clock, Duration>& time,
                            detail::site where = detail::site::current()) {
    return wait_in_until(lock, detail::deadline_at(time), where);
  }
  template <class Lock, class Rep, class Period, class Predicate>
    requires(!std::is_convertible_v<Predicate, detail::site>)
  bool wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& duration, Predicate ready,
                detail::site where = detail::site::current()) {
    return wait_by(lock, detail::deadline_after(duration), ready, where);
  }
  template <class Lock, class Duration, class Predicate>
    requires(!std::is_convertible_v<Predicate, detail::site>)
  bool wait_until(Lock& lock, const std::chrono::time_point<virtual_clock, Duration>& time, Predicate ready,
                  detail::site where = detail::site::current()) {
    return wait_by(lock, detail::deadline_at(time), ready, where);
  }
  void notify_one(detail::site where = detail::site::current()) { detail::notify(queue_, false, where); }
  void notify_all(detail::site where = detail::site::current()) { detail::notify(queue_, true, where); }

 private:
  template <class Lock, class Predicate>
  bool wait_by(Lock& lock, std::int64_t deadline_ns, Predicate& ready, detail::site where) {
    while (!ready())
      if (wait_in_until(lock, deadline_ns, where) == std::cv_status::timeout) return ready();
    return true;
  }
  template <class Lock>
  detail::lock_state& state_of(Lock& lock, detail::site where) const {
    if (lock.mutex() == nullptr) [[unlikely]]
      detail::lock_misused(queue_, "waited in with a lock that has no mutex", where);
    return lock.mutex()->lock_;
  }
  template <class Lock>
  std::cv_status wait_in_until(Lock& lock, std::int64_t deadline_ns, detail::site where) {
    return detail::wait_in_until(queue_, state_of(lock, where), deadline_ns, where) ? std::cv_status::no_timeout
                                                                                  : std::cv_status::timeout;
  }
  friend struct sync;
  detail::wait_queue queue_;
};

}  // namespace kvrace
