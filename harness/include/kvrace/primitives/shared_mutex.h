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
    if (const task_set all = lock_.waiters | lock_.waiters_shared; all != 0) detail::enable(all);
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
    if (lock_.readers == 0 && lock_.waiters != 0) detail::enable(lock_.waiters);
  }

 private:
  void require_not_held(detail::site where) const {
    detail::require_usable(lock_, where);
    if (lock_.owner == detail::state.slot || (lock_.readers & detail::bit(detail::state.slot)) != 0) [[unlikely]]
      detail::lock_misused(lock_, "locked again by a task that holds it", where);
  }
  void take_exclusive() {
    lock_.owner = detail::state.slot;
    lock_.waiters &= ~detail::bit(detail::state.slot);
    detail::state.enabled &= ~(lock_.waiters | lock_.waiters_shared);
    detail::acquire(lock_.writer_message);
    detail::acquire(lock_.readers_message);
    detail::instrumentation::acquire(&lock_.writer_message);
    detail::instrumentation::acquire(&lock_.readers);
  }
  void take_shared() {
    lock_.readers |= detail::bit(detail::state.slot);
    lock_.waiters_shared &= ~detail::bit(detail::state.slot);
    detail::state.enabled &= ~lock_.waiters;
    detail::acquire(lock_.writer_message);
    detail::instrumentation::acquire(&lock_.writer_message);
  }

  friend struct sync;
  detail::shared_lock_state lock_;
};

// As std::shared_lock.
template <class Mutex>
class shared_lock {
 public:
  explicit shared_lock(Mutex& mutex, detail::site where = detail::site::current()) : mutex_(&mutex), where_(where), owns_(true) {
    mutex.lock_shared(where);
  }
  shared_lock(const shared_lock&) = delete;
  shared_lock& operator=(const shared_lock&) = delete;
  ~shared_lock() {
    if (owns_) mutex_->unlock_shared(where_);
  }
  void unlock(detail::site where = detail::site::current()) {
    mutex_->unlock_shared(where);
    owns_ = false;
  }
  void lock(detail::site where = detail::site::current()) {
    mutex_->lock_shared(where);
    owns_ = true;
  }
  [[nodiscard]] bool owns_lock() const noexcept { return owns_; }

 private:
  Mutex* mutex_;
  detail::site where_;
  bool owns_;
};

}  // namespace kvrace
