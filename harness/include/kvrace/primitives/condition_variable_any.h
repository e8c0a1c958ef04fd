// condition_variable_any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <type_traits>

#include <kvrace/primitives/condition_variable.h>
#include <kvrace/primitives/stop_token.h>

namespace kvrace {

// As std::condition_variable_any, on virtual time: the wait begins before the lock is given back, so no notification is missed
// that comes after. There are no spurious wakeups.
class condition_variable_any {
 public:
  condition_variable_any() = default;
  condition_variable_any(const condition_variable_any&) = delete;
  condition_variable_any& operator=(const condition_variable_any&) = delete;
  ~condition_variable_any() {
    if (queue_.generation == detail::state.generation && queue_.waiting != 0) [[unlikely]]
      detail::lock_destroyed(queue_, "destroyed while tasks wait in it");
    detail::mark_destroyed(queue_);
  }

  template <class Lock>
  void wait(Lock& lock, detail::site where = detail::site::current()) {
    detail::wait_begin(queue_, where);
    lock.unlock();
    detail::wait_end(queue_, where);
    lock.lock();
  }
  template <class Lock, class Predicate>
    requires(std::predicate<Predicate&>)
  void wait(Lock& lock, Predicate ready, detail::site where = detail::site::current()) {
    while (!ready()) wait(lock, where);
  }
  template <class Lock, class Predicate>
    requires(std::predicate<Predicate&>)
  bool wait(Lock& lock, const stop_token& stop, Predicate ready, detail::site where = detail::site::current()) {
    if (stop.stop_requested(where)) return ready();
    const stop_callback wake(stop, [this] { notify_all(); }, where);
    while (!ready()) {
      detail::wait_begin(queue_, where);
      // A stop that came before the wait began has notified nobody.
      const bool stopped = stop.stop_requested(where);
      lock.unlock();
      if (stopped)
        detail::wait_cancel(queue_);
      else
        detail::wait_end(queue_, where);
      lock.lock();
      if (stopped || stop.stop_requested(where)) return ready();
    }
    return true;
  }
  template <class Lock, class Rep, class Period>
  std::cv_status wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& duration,
                          detail::site where = detail::site::current()) {
    return wait_by(lock, detail::deadline_after(duration), where);
  }
  template <class Lock, class Duration>
  std::cv_status wait_until(Lock& lock, const std::chrono::time_point<virtual_clock, Duration>& time,
                            detail::site where = detail::site::current()) {
    return wait_by(lock, detail::deadline_at(time), where);
  }
  template <class Lock, class Rep, class Period, class Predicate>
    requires(std::predicate<Predicate&>)
  bool wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& duration, Predicate ready,
                detail::site where = detail::site::current()) {
    const std::int64_t deadline_ns = detail::deadline_after(duration);
    while (!ready())
      if (wait_by(lock, deadline_ns, where) == std::cv_status::timeout) return ready();
    return true;
  }
  void notify_one(detail::site where = detail::site::current()) { detail::notify(queue_, false, where); }
  void notify_all(detail::site where = detail::site::current()) { detail::notify(queue_, true, where); }

 private:
  template <class Lock>
  std::cv_status wait_by(Lock& lock, std::int64_t deadline_ns, detail::site where) {
    detail::wait_begin(queue_, where);
    lock.unlock();
    const bool notified = detail::wait_end_by(queue_, deadline_ns, where);
    lock.lock();
    return notified ? std::cv_status::no_timeout : std::cv_status::timeout;
  }
  friend struct sync;
  detail::wait_queue queue_;
};

}  // namespace kvrace
