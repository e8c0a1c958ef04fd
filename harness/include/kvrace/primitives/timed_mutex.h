// timed_mutex, recursive_mutex, recursive_timed_mutex and shared_timed_mutex.
#pragma once

#include <chrono>

#include <kvrace/primitives/mutex.h>
#include <kvrace/primitives/shared_mutex.h>
#include <kvrace/primitives/time.h>

namespace kvrace {

struct sync;

namespace detail {

// Tries until it succeeds or the time is over. Under a proof the time may be over whenever the lock is not free: along a graph
// it is a try_lock, which succeeds or fails with whatever it may meet.
template <class IsFree>
bool try_until(object& lock, task_set& waiters, operation_kind kind, std::int64_t deadline_ns, IsFree is_free, site where) {
  for (;;) {
    if (is_free() || time_is_over(deadline_ns)) {
      announce(kind, &lock, where);
    } else {
      waiters |= bit(state.slot);
      announce_blocked_until(deadline_ns, kind, &lock, where);
      waiters &= ~bit(state.slot);
    }
    if (is_free()) return true;
    if (time_is_over(deadline_ns)) return false;
  }
}

}  // namespace detail

// As std::timed_mutex, on virtual time.
class timed_mutex : public mutex {
 public:
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& duration,
                                  detail::site where = detail::site::current()) {
    return try_until(detail::deadline_after(duration), where);
  }
  template <class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<virtual_clock, Duration>& time,
                                    detail::site where = detail::site::current()) {
    return try_until(detail::deadline_at(time), where);
  }

 private:
  bool try_until(std::int64_t deadline_ns, detail::site where) {
    detail::require_usable(lock_, where);
    if (lock_.owner == detail::state.slot) [[unlikely]]
      detail::lock_misused(lock_, "try_lock by its owner", where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return detail::graph_try_lock(lock_, where);
    const auto is_free = [this] { return lock_.owner == detail::slot_none; };
    if (!detail::try_until(lock_, lock_.waiters_timed, operation_kind::try_lock, deadline_ns, is_free, where)) return false;
    detail::take(lock_);
    return true;
  }
};

// As std::shared_timed_mutex, on virtual time.
class shared_timed_mutex : public shared_mutex {
 public:
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& duration,
                                  detail::site where = detail::site::current()) {
    return try_until(detail::deadline_after(duration), where);
  }
  template <class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<virtual_clock, Duration>& time,
                                    detail::site where = detail::site::current()) {
    return try_until(detail::deadline_at(time), where);
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& duration,
                                         detail::site where = detail::site::current()) {
    return try_shared_until(detail::deadline_after(duration), where);
  }
  template <class Duration>
  [[nodiscard]] bool try_lock_shared_until(const std::chrono::time_point<virtual_clock, Duration>& time,
                                           detail::site where = detail::site::current()) {
    return try_shared_until(detail::deadline_at(time), where);
  }

 private:
  bool try_until(std::int64_t deadline_ns, detail::site where) {
    require_not_held(where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return detail::graph_try_lock(lock_, true, where);
    const auto is_free = [this] { return lock_.owner == detail::slot_none && lock_.readers == 0; };
    if (!detail::try_until(lock_, lock_.waiters_timed, operation_kind::try_lock, deadline_ns, is_free, where)) return false;
    take_exclusive();
    return true;
  }
  bool try_shared_until(std::int64_t deadline_ns, detail::site where) {
    require_not_held(where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return detail::graph_try_lock(lock_, false, where);
    const auto is_free = [this] { return lock_.owner == detail::slot_none; };
    if (!detail::try_until(lock_, lock_.waiters_shared_timed, operation_kind::try_lock_shared, deadline_ns, is_free, where))
      return false;
    take_shared();
    return true;
  }
};

namespace detail {

// Only the first lock and the last unlock can be seen by others.
template <class Mutex>
class recursive : protected Mutex {
 public:
  void lock(site where = site::current()) {
    if (!owned(where)) Mutex::lock(where);
    ++depth_;
  }
  [[nodiscard]] bool try_lock(site where = site::current()) {
    if (!owned(where) && !Mutex::try_lock(where)) return false;
    ++depth_;
    return true;
  }
  void unlock(site where = site::current()) {
    if (!owned(where) || depth_ == 1) Mutex::unlock(where);
    --depth_;
  }

 protected:
  [[nodiscard]] bool owned(site where) const {
    require_usable(this->lock_, where);
    return this->lock_.owner == state.slot;
  }
  unsigned depth_ = 0;  // of the owner
  friend kvrace::sync;
};

}  // namespace detail

// As std::recursive_mutex.
class recursive_mutex : public detail::recursive<mutex> {};

// As std::recursive_timed_mutex, on virtual time.
class recursive_timed_mutex : public detail::recursive<timed_mutex> {
 public:
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& duration,
                                  detail::site where = detail::site::current()) {
    if (!owned(where) && !timed_mutex::try_lock_for(duration, where)) return false;
    ++depth_;
    return true;
  }
  template <class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<virtual_clock, Duration>& time,
                                    detail::site where = detail::site::current()) {
    if (!owned(where) && !timed_mutex::try_lock_until(time, where)) return false;
    ++depth_;
    return true;
  }
};

}  // namespace kvrace
