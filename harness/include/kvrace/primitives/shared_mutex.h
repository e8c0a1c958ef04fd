// shared_mutex and shared_lock.
#pragma once

#include <bit>

#include <kvrace/primitives/mutex.h>

namespace kvrace {

namespace detail {

// A reader's release is seen by the next writer only: there is no happens-before from reader to reader (C++20 33.6.4.4).
struct shared_lock_state : object {
  std::uint32_t writer_message = 0;
  std::uint32_t readers_message = 0;  // joined by every reader since the last writer
  std::uint32_t owner = slot_none;    // the writer
  task_set readers = 0;
  task_set waiters = 0;               // tasks that have announced to write
  task_set waiters_shared = 0;        // tasks that have announced to read
  task_set waiters_timed = 0;         // tasks that wait to write with a deadline
  task_set waiters_shared_timed = 0;  // tasks that wait to read with a deadline

  shared_lock_state() : object(object_type::shared_mutex) {}
};

}  // namespace detail

// As std::shared_mutex, without preference between readers and writers: a free lock may go to any task that asks for it.
class shared_mutex {
 public:
  shared_mutex() = default;
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;
  ~shared_mutex() {
    if (lock_.generation == detail::state.generation && (lock_.owner != detail::slot_none || lock_.readers != 0)) [[unlikely]]
      detail::lock_destroyed(lock_, "destroyed while locked");
    detail::message_release(lock_, lock_.writer_message);
    detail::message_release(lock_, lock_.readers_message);
    detail::mark_destroyed(lock_);
  }

  void lock(detail::site where = detail::site::current()) {
    require_not_held(where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return detail::graph_lock(lock_, true, where);
    lock_.waiters |= detail::bit(detail::state.slot);
    if (lock_.owner == detail::slot_none && lock_.readers == 0)
      detail::announce(operation_kind::lock, &lock_, where);
    else
      detail::announce_blocked(operation_kind::lock, &lock_, where);
    take_exclusive();
  }
  [[nodiscard]] bool try_lock(detail::site where = detail::site::current()) {
    require_not_held(where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return detail::graph_try_lock(lock_, true, where);
    detail::announce(operation_kind::try_lock, &lock_, where);
    if (lock_.owner != detail::slot_none || lock_.readers != 0) return false;
    take_exclusive();
    return true;
  }
  void unlock(detail::site where = detail::site::current()) {
    detail::require_usable(lock_, where);
    if (lock_.owner != detail::state.slot) [[unlikely]]
      detail::lock_misused(lock_, "unlocked by a task that does not own it", where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return detail::graph_unlock(lock_, true, where);
    detail::announce(operation_kind::unlock, &lock_, where);
    detail::instrumentation::release(&lock_.writer_message);
    detail::release_store(lock_.writer_message);
    lock_.owner = detail::slot_none;
    if (detail::state.locks != nullptr) [[unlikely]]
      detail::lock_given_back(lock_);
    const task_set all = lock_.waiters | lock_.waiters_shared | lock_.waiters_timed | lock_.waiters_shared_timed;
    if (all != 0) detail::enable(all);
  }

  void lock_shared(detail::site where = detail::site::current()) {
    require_not_held(where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return detail::graph_lock(lock_, false, where);
    lock_.waiters_shared |= detail::bit(detail::state.slot);
    if (lock_.owner == detail::slot_none)
      detail::announce(operation_kind::lock_shared, &lock_, where);
    else
      detail::announce_blocked(operation_kind::lock_shared, &lock_, where);
    take_shared();
  }
  [[nodiscard]] bool try_lock_shared(detail::site where = detail::site::current()) {
    require_not_held(where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return detail::graph_try_lock(lock_, false, where);
    detail::announce(operation_kind::try_lock_shared, &lock_, where);
    if (lock_.owner != detail::slot_none) return false;
    take_shared();
    return true;
  }
  void unlock_shared(detail::site where = detail::site::current()) {
    detail::require_usable(lock_, where);
    if ((lock_.readers & detail::bit(detail::state.slot)) == 0) [[unlikely]]
      detail::lock_misused(lock_, "unlock_shared by a task that holds no shared lock", where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return detail::graph_unlock(lock_, false, where);
    detail::announce(operation_kind::unlock_shared, &lock_, where);
    detail::instrumentation::release(&lock_.readers);
    detail::release_join(lock_.readers_message);
    lock_.readers &= ~detail::bit(detail::state.slot);
    if (detail::state.locks != nullptr) [[unlikely]]
      detail::lock_given_back(lock_);
    if (const task_set all = lock_.waiters | lock_.waiters_timed; lock_.readers == 0 && all != 0) detail::enable(all);
  }

 protected:
  void require_not_held(detail::site where) const {
    detail::require_usable(lock_, where);
    if (lock_.owner == detail::state.slot || (lock_.readers & detail::bit(detail::state.slot)) != 0) [[unlikely]]
      detail::lock_misused(lock_, "locked again by a task that holds it", where);
  }
  void take_exclusive() {
    lock_.owner = detail::state.slot;
    lock_.waiters &= ~detail::bit(detail::state.slot);
    const task_set timed = (lock_.waiters_timed | lock_.waiters_shared_timed) & detail::state.timed;
    detail::state.enabled &= ~(lock_.waiters | lock_.waiters_shared | timed);
    detail::acquire(lock_.writer_message);
    detail::acquire(lock_.readers_message);
    detail::instrumentation::acquire(&lock_.writer_message);
    detail::instrumentation::acquire(&lock_.readers);
    if (detail::state.locks != nullptr) [[unlikely]]
      detail::lock_taken(lock_, false);
  }
  void take_shared() {
    lock_.readers |= detail::bit(detail::state.slot);
    lock_.waiters_shared &= ~detail::bit(detail::state.slot);
    detail::state.enabled &= ~(lock_.waiters | (lock_.waiters_timed & detail::state.timed));
    detail::acquire(lock_.writer_message);
    detail::instrumentation::acquire(&lock_.writer_message);
    if (detail::state.locks != nullptr) [[unlikely]]
      detail::lock_taken(lock_, true);
  }

  friend struct sync;
  detail::shared_lock_state lock_;
};

// As std::shared_lock.
template <class Mutex>
class shared_lock {
 public:
  shared_lock() = default;
  explicit shared_lock(Mutex& mutex, detail::site where = detail::site::current()) : mutex_(&mutex), where_(where) {
    lock(where);
  }
  shared_lock(Mutex& mutex, std::defer_lock_t, detail::site where = detail::site::current()) : mutex_(&mutex), where_(where) {}
  shared_lock(Mutex& mutex, std::adopt_lock_t, detail::site where = detail::site::current())
      : mutex_(&mutex), where_(where), owns_(true) {}
  shared_lock(Mutex& mutex, std::try_to_lock_t, detail::site where = detail::site::current())
      : mutex_(&mutex), where_(where), owns_(mutex.try_lock_shared(where)) {}
  shared_lock(shared_lock&& other) noexcept
      : mutex_(std::exchange(other.mutex_, nullptr)), where_(other.where_), owns_(std::exchange(other.owns_, false)) {}
  shared_lock& operator=(shared_lock&& other) noexcept {
    if (owns_) unlock(where_);
    mutex_ = std::exchange(other.mutex_, nullptr);
    where_ = other.where_;
    owns_ = std::exchange(other.owns_, false);
    return *this;
  }
  ~shared_lock() {
    if (owns_) mutex_->unlock_shared(where_);
  }
  void lock(detail::site where = detail::site::current()) {
    detail::require_lockable(mutex_, owns_, where);
    mutex_->lock_shared(where);
    owns_ = true;
  }
  bool try_lock(detail::site where = detail::site::current()) {
    detail::require_lockable(mutex_, owns_, where);
    return owns_ = mutex_->try_lock_shared(where);
  }
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& duration, detail::site where = detail::site::current()) {
    detail::require_lockable(mutex_, owns_, where);
    return owns_ = mutex_->try_lock_shared_for(duration, where);
  }
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time, detail::site where = detail::site::current()) {
    detail::require_lockable(mutex_, owns_, where);
    return owns_ = mutex_->try_lock_shared_until(time, where);
  }
  void unlock(detail::site where = detail::site::current()) {
    detail::require_owned(owns_, where);
    mutex_->unlock_shared(where);
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
