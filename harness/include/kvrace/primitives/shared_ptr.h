// shared_ptr, make_shared and atomic<shared_ptr<T>>.
#pragma once

#include <cstddef>
#include <utility>

#include <kvrace/primitives/atomic.h>
#include <kvrace/primitives/lifetime.h>

namespace kvrace {

namespace detail {

template <class T>
struct shared_block {
  template <class... Arguments>
  explicit shared_block(Arguments&&... arguments) : value(std::forward<Arguments>(arguments)...) {}

  // For atomic<shared_ptr>: its own reference keeps the block, so one more needs no operation that others could see.
  void add_owner_unseen() { owners.increment_unseen(); }

  atomic<long> owners{1};
  T value;
};

}  // namespace detail

// As std::shared_ptr made by make_shared: owners are counted by an atomic that the scheduler sees, a reference is dropped with
// memory order acq_rel, and the object's lifetime is checked. std::shared_ptr would count unseen, and what orders the last use of
// the object before its destruction would be taken for a race. Without custom deleters, aliases and weak pointers: those do not
// compile.
template <class T>
class shared_ptr {
 public:
  using element_type = T;

  shared_ptr() noexcept = default;
  shared_ptr(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): as std
  shared_ptr(const shared_ptr& other) : block_(other.block_) {
    if (block_ != nullptr) block_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  shared_ptr(shared_ptr&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  shared_ptr& operator=(shared_ptr other) noexcept {
    swap(other);
    return *this;
  }
  ~shared_ptr() {
    if (block_ != nullptr && block_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
      detail::destroy_object(block_, detail::site{});
  }

  void swap(shared_ptr& other) noexcept { std::swap(block_, other.block_); }
  void reset() { shared_ptr().swap(*this); }
  [[nodiscard]] T* get() const noexcept { return block_ == nullptr ? nullptr : &block_->value; }
  [[nodiscard]] T& operator*() const { return *get(); }
  [[nodiscard]] T* operator->() const { return get(); }
  [[nodiscard]] explicit operator bool() const noexcept { return block_ != nullptr; }
  [[nodiscard]] long use_count() const { return block_ == nullptr ? 0 : block_->owners.load(std::memory_order_relaxed); }
  friend bool operator==(const shared_ptr& a, const shared_ptr& b) noexcept { return a.block_ == b.block_; }
  friend bool operator==(const shared_ptr& a, std::nullptr_t) noexcept { return a.block_ == nullptr; }

 private:
  template <class U, class... Arguments>
  friend shared_ptr<U> make_shared(Arguments&&... arguments);
  friend class atomic<shared_ptr<T>>;
  using block = detail::shared_block<T>;
  explicit shared_ptr(block* owned) noexcept : block_(owned) {}

  block* block_ = nullptr;
};

template <class T, class... Arguments>
[[nodiscard]] shared_ptr<T> make_shared(Arguments&&... arguments) {
  using block = detail::shared_block<T>;
  return shared_ptr<T>(detail::make_object<block>(std::forward<Arguments>(arguments)...));
}

// As std::atomic<std::shared_ptr<T>>: each operation is one step; what it replaces is dropped in a step after it.
template <class T>
class atomic<shared_ptr<T>> {
 public:
  using value_type = shared_ptr<T>;
  static constexpr bool is_always_lock_free = false;

  atomic() noexcept = default;
  atomic(shared_ptr<T> value) noexcept : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor): as std
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  ~atomic() {
    detail::message_release(state_, state_.message);
    detail::mark_destroyed(state_);
  }

  [[nodiscard]] shared_ptr<T> load(std::memory_order order = std::memory_order_seq_cst,
                                   detail::site where = detail::site::current()) const {
    require_usable(where);
    detail::announce(operation_kind::load, &state_, where);
    detail::observe(state_.message, order);
    return another();
  }
  void store(shared_ptr<T> value, std::memory_order order = std::memory_order_seq_cst,
             detail::site where = detail::site::current()) {
    require_usable(where);
    detail::announce(operation_kind::store, &state_, where);
    detail::publish_store(state_, order);
    value_.swap(value);
  }
  [[nodiscard]] shared_ptr<T> exchange(shared_ptr<T> value, std::memory_order order = std::memory_order_seq_cst,
                                       detail::site where = detail::site::current()) {
    require_usable(where);
    detail::announce(operation_kind::read_modify_write, &state_, where);
    detail::observe(state_.message, order);
    detail::publish_update(state_, order);
    value_.swap(value);
    return value;
  }
  bool compare_exchange_strong(shared_ptr<T>& expected, shared_ptr<T> desired,
                               std::memory_order order = std::memory_order_seq_cst,
                               detail::site where = detail::site::current()) {
    require_usable(where);
    detail::announce(operation_kind::read_modify_write, &state_, where);
    detail::observe(state_.message, order);
    if (value_ != expected) {
      expected = another();
      return false;
    }
    detail::publish_update(state_, order);
    value_.swap(desired);
    return true;
  }
  bool compare_exchange_weak(shared_ptr<T>& expected, shared_ptr<T> desired, std::memory_order order = std::memory_order_seq_cst,
                             detail::site where = detail::site::current()) {
    if (detail::happens(detail::fault::weak_failure, where)) [[unlikely]] {
      expected = load(order, where);
      return false;
    }
    return compare_exchange_strong(expected, std::move(desired), order, where);
  }
  operator shared_ptr<T>() const { return load(); }  // NOLINT(google-explicit-constructor): as std
  void operator=(shared_ptr<T> value) { store(std::move(value)); }

 private:
  friend struct sync;

  void require_usable(detail::site where) const {
    detail::require_atomic(state_, where);
    if (detail::state.graph != nullptr) [[unlikely]]
      detail::graph_refuse("atomic<shared_ptr>");
  }
  shared_ptr<T> another() const {
    if (value_.block_ != nullptr) value_.block_->add_owner_unseen();
    return shared_ptr<T>(value_.block_);
  }

  mutable detail::atomic_state state_;
  shared_ptr<T> value_;
};

}  // namespace kvrace
