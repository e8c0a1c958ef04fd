// mutex, and the lock guards that pass the caller's source location on.
#pragma once

#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <tuple>

#include <kvrace/detail/core.h>
#include <kvrace/detail/graph.h>

namespace kvrace {

namespace detail {

struct lock_state : object {
  std::uint32_t message = 0;
  std::uint32_t owner = slot_none;
  task_set waiters = 0;        // tasks that have announced to take it
  task_set waiters_timed = 0;  // tasks that wait for it with a deadline

  lock_state() : object(object_type::mutex) {}
};

// Carries out an announced acquisition: the lock is free.
inline void take(lock_state& lock) {
  lock.owner = state.slot;
  lock.waiters &= ~bit(state.slot);
  state.enabled &= ~(lock.waiters | (lock.waiters_timed & state.timed));
  acquire(lock.message);
  instrumentation::acquire(&lock);
  if (state.locks != nullptr) [[unlikely]]
    lock_taken(lock, false);
}
inline void give_back(lock_state& lock) {
  instrumentation::release(&lock);
  release_store(lock.message);
  lock.owner = slot_none;
  if (state.locks != nullptr) [[unlikely]]
    lock_given_back(lock);
  if (const task_set all = lock.waiters | lock.waiters_timed; all != 0) enable(all);
}
[[noreturn]] void lock_misused(const object& lock, const char* message, site where);
// Nothing happens while an exception unwinds: that exception is the finding then.
void lock_destroyed(const object& lock, const char* message);
// Of unique_lock and shared_lock, where those of std throw std::system_error.
[[noreturn]] void guard_misused(const char* message, site where);
inline void require_lockable(const void* mutex, bool owns, site where) {
  if (mutex == nullptr) [[unlikely]]
    guard_misused("a lock that has no mutex is locked", where);
  if (owns) [[unlikely]]
    guard_misused("a lock that owns its mutex is locked again", where);
}
inline void require_owned(bool owns, site where) {
  if (!owns) [[unlikely]]
    guard_misused("a lock that does not own its mutex is unlocked", where);
}

}  // namespace detail

// As std::mutex. Locking it twice in one task, unlocking it without owning it and destroying it while locked are violations of
// oracle "lock_misuse".
class mutex {
 public:
  mutex() = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  ~mutex() {
    if (lock_.generation == detail::state.generation && lock_.owner != detail::slot_none) [[unlikely]]
      detail::lock_destroyed(lock_, "destroyed while locked");
    if (detail::state.graph != nullptr) [[unlikely]]
      detail::graph_destroyed(lock_);
    detail::message_release(lock_, lock_.message);
    detail::mark_destroyed(lock_);
  }

  void lock(detail::site where = detail::site::current()) {
    detail::require_usable(lock_, where);
    if (lock_.owner == detail::state.slot) [[unlikely]]
      detail::lock_misused(lock_, "locked again by its owner", where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return detail::graph_lock(lock_, where);
    lock_.waiters |= detail::bit(detail::state.slot);
    if (lock_.owner == detail::slot_none)
      detail::announce(operation_kind::lock, &lock_, where);
    else
      detail::announce_blocked(operation_kind::lock, &lock_, where);
    detail::take(lock_);
  }
  [[nodiscard]] bool try_lock(detail::site where = detail::site::current()) {
    detail::require_usable(lock_, where);
    if (lock_.owner == detail::state.slot) [[unlikely]]
      detail::lock_misused(lock_, "try_lock by its owner", where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return detail::graph_try_lock(lock_, where);
    detail::announce(operation_kind::try_lock, &lock_, where);
    if (lock_.owner != detail::slot_none) return false;
    detail::take(lock_);
    return true;
  }
  void unlock(detail::site where = detail::site::current()) {
    detail::require_usable(lock_, where);
    if (lock_.owner != detail::state.slot) [[unlikely]]
      detail::lock_misused(lock_, "unlocked by a task that does not own it", where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return detail::graph_unlock(lock_, where);
    detail::announce(operation_kind::unlock, &lock_, where);
    detail::give_back(lock_);
  }

 protected:
  friend class condition_variable;
  friend struct sync;
  detail::lock_state lock_;
};

// As std::lock_guard, but the report names the line of the guard instead of a line of <mutex>.
template <class Mutex>
class lock_guard {
 public:
  explicit lock_guard(Mutex& mutex, detail::site where = detail::site::current()) : mutex_(mutex), where_(where) {
    mutex_.lock(where);
  }
  lock_guard(Mutex& mutex, std::adopt_lock_t, detail::site where = detail::site::current()) : mutex_(mutex), where_(where) {}
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;
  ~lock_guard() { mutex_.unlock(where_); }

 private:
  Mutex& mutex_;
  detail::site where_;
};

namespace detail {
// A mutex for std::lock, which does not know of source locations.
template <class Mutex>
struct located {
  Mutex& mutex;
  site where;
  void lock() { mutex.lock(where); }
  bool try_lock() { return mutex.try_lock(where); }
  void unlock() { mutex.unlock(where); }
};
}  // namespace detail

// As std::scoped_lock: takes all of them by the standard library's own algorithm, which backs off instead of deadlocking.
template <class... Mutexes>
class scoped_lock {
 public:
  explicit scoped_lock(Mutexes&... mutexes, detail::site where = detail::site::current()) : mutexes_(mutexes...), where_(where) {
    if constexpr (sizeof...(Mutexes) == 1) {
      (mutexes.lock(where), ...);
    } else if constexpr (sizeof...(Mutexes) > 1) {
      std::apply([](auto... each) { std::lock(each...); }, std::tuple(detail::located<Mutexes>{mutexes, where}...));
    }
  }
  scoped_lock(const scoped_lock&) = delete;
  scoped_lock& operator=(const scoped_lock&) = delete;
  ~scoped_lock() {
    std::apply([this](Mutexes&... each) { (each.unlock(where_), ...); }, mutexes_);
  }

 private:
  std::tuple<Mutexes&...> mutexes_;
  detail::site where_;
};
template <class... Mutexes>
scoped_lock(Mutexes&...) -> scoped_lock<Mutexes...>;

// As std::unique_lock.
template <class Mutex>
class unique_lock {
 public:
  unique_lock() = default;
  explicit unique_lock(Mutex& mutex, detail::site where = detail::site::current()) : mutex_(&mutex), where_(where) {
    lock(where);
  }
  unique_lock(Mutex& mutex, std::defer_lock_t, detail::site where = detail::site::current()) : mutex_(&mutex), where_(where) {}
  unique_lock(Mutex& mutex, std::adopt_lock_t, detail::site where = detail::site::current())
      : mutex_(&mutex), where_(where), owns_(true) {}
  unique_lock(Mutex& mutex, std::try_to_lock_t, detail::site where = detail::site::current())
      : mutex_(&mutex), where_(where), owns_(mutex.try_lock(where)) {}
  template <class Rep, class Period>
  unique_lock(Mutex& mutex, const std::chrono::duration<Rep, Period>& duration, detail::site where = detail::site::current())
      : mutex_(&mutex), where_(where), owns_(mutex.try_lock_for(duration, where)) {}
  unique_lock(unique_lock&& other) noexcept
      : mutex_(std::exchange(other.mutex_, nullptr)), where_(other.where_), owns_(std::exchange(other.owns_, false)) {}
  unique_lock& operator=(unique_lock&& other) noexcept {
    if (owns_) unlock(where_);
    mutex_ = std::exchange(other.mutex_, nullptr);
    where_ = other.where_;
    owns_ = std::exchange(other.owns_, false);
    return *this;
  }
  ~unique_lock() {
    if (owns_) mutex_->unlock(where_);
  }

  void lock(detail::site where = detail::site::current()) {
    detail::require_lockable(mutex_, owns_, where);
    mutex_->lock(where);
    owns_ = true;
  }
  bool try_lock(detail::site where = detail::site::current()) {
    detail::require_lockable(mutex_, owns_, where);
    return owns_ = mutex_->try_lock(where);
  }
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& duration, detail::site where = detail::site::current()) {
    detail::require_lockable(mutex_, owns_, where);
    return owns_ = mutex_->try_lock_for(duration, where);
  }
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time, detail::site where = detail::site::current()) {
    detail::require_lockable(mutex_, owns_, where);
    return owns_ = mutex_->try_lock_until(time, where);
  }
  void unlock(detail::site where = detail::site::current()) {
    detail::require_owned(owns_, where);
    mutex_->unlock(where);
    owns_ = false;
  }
  Mutex* release() noexcept {
    owns_ = false;
    return std::exchange(mutex_, nullptr);
  }
  [[nodiscard]] bool owns_lock() const noexcept { return owns_; }
  [[nodiscard]] explicit operator bool() const noexcept { return owns_; }
  [[nodiscard]] Mutex* mutex() const noexcept { return mutex_; }

 private:
  Mutex* mutex_ = nullptr;
  detail::site where_;
  bool owns_ = false;
};

}  // namespace kvrace
