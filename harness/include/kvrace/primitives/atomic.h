// atomic<T> and atomic_thread_fence. Values are sequentially consistent, or under memory_model::rc11 any that C++ allows which
// memory/store_history.h knows of; happens-before follows the C++ memory orders, with the release sequences of C++20 (6.9.2.1):
// [W];(rf;rmw)*.
#pragma once

#include <atomic>
#include <string>
#include <type_traits>

#include <kvrace/detail/core.h>
#include <kvrace/detail/graph.h>

namespace kvrace {

namespace detail {

template <class T>
struct shared_block;

struct atomic_state : object {
  std::uint32_t message = 0;     // what an acquiring load of the present value synchronises with
  std::uint32_t history = 0;     // the stores before it, under memory_model::rc11; 0: there is only the initial value
  clock_value created_at = 0;    // the creator's clock: using an atomic before its creation is known is a race

  atomic_state() : object(object_type::atomic) {
    if (state.current != nullptr) created_at = state.current->clock.at[state.slot];
  }
};
[[noreturn]] void atomic_misused(const atomic_state& what, const char* message, site where);
void atomic_created_unseen(const atomic_state& what, site where);
void fence(std::memory_order order, site where);
void notify_atomic(atomic_state& what, bool all, site where);  // of tasks that await it
void acquire_later(std::uint32_t message);                       // a relaxed load: an acquire fence may follow
void release_by_fence(std::uint32_t& message, bool keep_former);  // a relaxed store or RMW: a release fence may precede

// memory_model::rc11: see memory/store_history.h.
struct former_store {
  std::size_t behind = 0;  // newer stores; 0: the newest was read, and the rest is not set
  const void* value = nullptr;
  std::uint32_t message = 0;
};
// Before `what` is stored to or updated, while `value` is its value still.
void remember_store(atomic_state& what, const void* value, std::size_t value_bytes, std::memory_order order, bool update);
// Which store a load reads, of an object that has a history. Former ones with the value `but` are left out.
former_store choose_store(const atomic_state& what, std::size_t value_bytes, std::memory_order order, const void* but);
void forget_stores(atomic_state& what);

[[nodiscard]] inline constexpr bool acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}
[[nodiscard]] inline constexpr bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}
[[nodiscard]] inline bool creation_seen(const atomic_state& what) {
  return what.created_at <= state.current->clock.at[what.id >> 26U];
}
inline void require_atomic(const atomic_state& what, site where) {
  require_usable(what, where);
  if (!creation_seen(what)) [[unlikely]]
    atomic_created_unseen(what, where);
}
inline void observe(std::uint32_t message, std::memory_order order) {
  if (message == 0) return;
  if (acquires(order))
    acquire(message);
  else
    acquire_later(message);
}
inline void publish_store(atomic_state& what, std::memory_order order) {
  if (releases(order))
    release_store(what.message);
  else
    release_by_fence(what.message, false);
}
inline void publish_update(atomic_state& what, std::memory_order order) {
  if (releases(order))
    release_join(what.message);
  else
    release_by_fence(what.message, true);
}

}  // namespace detail

// As std::atomic.
template <class T>
class atomic {
  static_assert(std::is_trivially_copyable_v<T>, "kvrace::atomic<T> needs a trivially copyable T, as std::atomic does");

 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = std::atomic<T>::is_always_lock_free;

  atomic() noexcept { detail::instrumentation::write(&value_); }
  atomic(T value) noexcept : value_(value) {  // NOLINT(google-explicit-constructor): as std
    detail::instrumentation::write(&value_);
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  ~atomic() {
    detail::instrumentation::write(&value_);
    if (detail::state.graph != nullptr) [[unlikely]]
      detail::graph_destroyed(state_);
    if (state_.history != 0) [[unlikely]]
      detail::forget_stores(state_);
    detail::message_release(state_, state_.message);
    detail::mark_destroyed(state_);
  }

  // What fetch_add and fetch_sub take.
  using difference_type = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;

  [[nodiscard]] bool is_lock_free() const noexcept { return is_always_lock_free; }

  T load(std::memory_order order = std::memory_order_seq_cst, detail::site where = detail::site::current()) const {
    if (order == std::memory_order_release || order == std::memory_order_acq_rel) [[unlikely]]
      detail::atomic_misused(state_, "load with a releasing memory order", where);
    require_usable(where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return load_in_graph(order, where);
    detail::announce(operation_kind::load, &state_, where);
    if (state_.history != 0) [[unlikely]] {
      const detail::former_store read = detail::choose_store(state_, sizeof(T), order, nullptr);
      if (read.behind != 0) return take_former(read, order);
    }
    detail::observe(state_.message, order);
    detail::instrumentation::atomic_load(value_, order);
    tell(value_);
    return value_;
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst, detail::site where = detail::site::current()) {
    if (order == std::memory_order_acquire || order == std::memory_order_acq_rel || order == std::memory_order_consume)
        [[unlikely]]
      detail::atomic_misused(state_, "store with an acquiring memory order", where);
    require_usable(where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return store_in_graph(value, order, where);
    detail::announce(operation_kind::store, &state_, where);
    remember(order, false);
    detail::publish_store(state_, order);
    value_ = value;
    if (detail::instrumentation::on && state_.history != 0)
      detail::instrumentation::atomic_update(value_, order);  // keeps what former stores released: they may be read still
    else
      detail::instrumentation::atomic_store(value_, order);
    tell(value);
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst, detail::site where = detail::site::current()) {
    return update([value](T) { return value; }, order, where);
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure,
                               detail::site where = detail::site::current()) {
    if (failure == std::memory_order_release || failure == std::memory_order_acq_rel) [[unlikely]]
      detail::atomic_misused(state_, "compare_exchange with a releasing failure order", where);
    require_usable(where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return exchange_in_graph(expected, desired, success, failure, where);
    detail::task_record& task = *detail::state.current;
    task.compare_object = this;
    task.compare_expected = &expected;
    task.succeeds = [](const detail::task_record& announced) {
      return same(static_cast<const atomic*>(announced.compare_object)->value_,
                  *static_cast<const T*>(announced.compare_expected));
    };
    detail::announce(operation_kind::compare_exchange, &state_, where);
    if (state_.history != 0) [[unlikely]] {
      const detail::former_store read = detail::choose_store(state_, sizeof(T), failure, &expected);
      if (read.behind != 0) {
        expected = take_former(read, failure);
        return false;
      }
    }
    if (!same(value_, expected)) {
      detail::observe(state_.message, failure);
      detail::instrumentation::atomic_load(value_, failure);
      tell(value_);
      expected = value_;
      return false;
    }
    detail::observe(state_.message, success);
    remember(success, true);
    detail::publish_update(state_, success);
    tell(value_, desired);
    value_ = desired;
    detail::instrumentation::atomic_update(value_, success);
    return true;
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order order = std::memory_order_seq_cst,
                               detail::site where = detail::site::current()) {
    return compare_exchange_strong(expected, desired, order, failure_order(order), where);
  }
  // Fails spuriously where limits::faults allows it and the strategy chooses so.
  bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure,
                             detail::site where = detail::site::current()) {
    if (detail::happens(detail::fault::weak_failure, where)) [[unlikely]] {
      expected = load(failure, where);
      return false;
    }
    return compare_exchange_strong(expected, desired, success, failure, where);
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order order = std::memory_order_seq_cst,
                             detail::site where = detail::site::current()) {
    return compare_exchange_weak(expected, desired, order, failure_order(order), where);
  }

  T fetch_add(difference_type amount, std::memory_order order = std::memory_order_seq_cst,
              detail::site where = detail::site::current())
    requires(std::is_integral_v<T> || std::is_pointer_v<T> || std::is_floating_point_v<T>)
  {
    return update([amount](T old) { return static_cast<T>(old + amount); }, order, where);
  }
  T fetch_sub(difference_type amount, std::memory_order order = std::memory_order_seq_cst,
              detail::site where = detail::site::current())
    requires(std::is_integral_v<T> || std::is_pointer_v<T> || std::is_floating_point_v<T>)
  {
    return update([amount](T old) { return static_cast<T>(old - amount); }, order, where);
  }
  T fetch_and(T bits, std::memory_order order = std::memory_order_seq_cst, detail::site where = detail::site::current())
    requires std::is_integral_v<T>
  {
    return update([bits](T old) { return static_cast<T>(old & bits); }, order, where);
  }
  T fetch_or(T bits, std::memory_order order = std::memory_order_seq_cst, detail::site where = detail::site::current())
    requires std::is_integral_v<T>
  {
    return update([bits](T old) { return static_cast<T>(old | bits); }, order, where);
  }
  T fetch_xor(T bits, std::memory_order order = std::memory_order_seq_cst, detail::site where = detail::site::current())
    requires std::is_integral_v<T>
  {
    return update([bits](T old) { return static_cast<T>(old ^ bits); }, order, where);
  }

  // As std::atomic::wait: blocks while the value is `old`, until a notification that comes after it has changed. A change nobody
  // notifies of leaves the task blocked, and a deadlock is then reported as one.
  void wait(T old, std::memory_order order = std::memory_order_seq_cst, detail::site where = detail::site::current()) const {
    if (detail::state.graph != nullptr) [[unlikely]] {
      require_usable(where);
      tell(detail::graph_value<T>(detail::graph_await(state_, storage(), detail::graph_word(old), order, where)));
      return;
    }
    while (same(load(order, where), old))
      if (same(value_, old)) detail::announce_blocked(operation_kind::await, &state_, where);  // else it was stale: once more
  }
  void notify_one(detail::site where = detail::site::current()) { notify(false, where); }
  void notify_all(detail::site where = detail::site::current()) { notify(true, where); }

  operator T() const { return load(); }  // NOLINT(google-explicit-constructor): as std
  T operator=(T value) {  // NOLINT(misc-unconventional-assign-operator): as std
    store(value);
    return value;
  }
  T operator+=(difference_type amount)
    requires(std::is_integral_v<T> || std::is_pointer_v<T> || std::is_floating_point_v<T>)
  {
    return static_cast<T>(fetch_add(amount) + amount);
  }
  T operator-=(difference_type amount)
    requires(std::is_integral_v<T> || std::is_pointer_v<T> || std::is_floating_point_v<T>)
  {
    return static_cast<T>(fetch_sub(amount) - amount);
  }
  T operator&=(T bits)
    requires std::is_integral_v<T>
  {
    return static_cast<T>(fetch_and(bits) & bits);
  }
  T operator|=(T bits)
    requires std::is_integral_v<T>
  {
    return static_cast<T>(fetch_or(bits) | bits);
  }
  T operator^=(T bits)
    requires std::is_integral_v<T>
  {
    return static_cast<T>(fetch_xor(bits) ^ bits);
  }
  T operator++()
    requires(std::is_integral_v<T> || std::is_pointer_v<T>)
  {
    return static_cast<T>(fetch_add(1) + 1);
  }
  T operator++(int)
    requires(std::is_integral_v<T> || std::is_pointer_v<T>)
  {
    return fetch_add(1);
  }
  T operator--()
    requires(std::is_integral_v<T> || std::is_pointer_v<T>)
  {
    return static_cast<T>(fetch_sub(1) - 1);
  }
  T operator--(int)
    requires(std::is_integral_v<T> || std::is_pointer_v<T>)
  {
    return fetch_sub(1);
  }

 private:
  friend struct sync;

  void require_usable(detail::site where) const {
    if constexpr (detail::instrumentation::on) {
      if (state_.generation != detail::state.generation || !detail::creation_seen(state_))
        detail::instrumentation::atomic_load(value_, std::memory_order_relaxed);
    }
    detail::require_atomic(state_, where);
  }
  static constexpr std::memory_order failure_order(std::memory_order order) {
    if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
    if (order == std::memory_order_release) return std::memory_order_relaxed;
    return order;
  }
  static bool same(const T& a, const T& b) { return __builtin_memcmp(&a, &b, sizeof(T)) == 0; }

  template <class Change>
  T update(Change change, std::memory_order order, detail::site where) {
    require_usable(where);
    if (detail::state.graph != nullptr) [[unlikely]]
      return update_in_graph(change, order, where);
    detail::announce(operation_kind::read_modify_write, &state_, where);
    detail::observe(state_.message, order);
    remember(order, true);
    detail::publish_update(state_, order);
    const T old = value_;
    value_ = change(old);
    detail::instrumentation::atomic_update(value_, order);
    tell(old, value_);
    return old;
  }

  void notify(bool all, detail::site where) {
    require_usable(where);
    if (detail::state.graph != nullptr) [[unlikely]]
      detail::graph_notify(state_, storage(), all, where);
    else
      detail::notify_atomic(state_, all, where);
  }

  T load_in_graph(std::memory_order order, detail::site where) const {
    const T value = detail::graph_value<T>(detail::graph_load(state_, storage(), order, where));
    tell(value);
    return value;
  }
  void store_in_graph(T value, std::memory_order order, detail::site where) {
    detail::graph_store(state_, storage(), detail::graph_word(value), order, where);
    tell(value);
  }
  detail::graph_storage storage() const { return {const_cast<T*>(&value_), sizeof(T)}; }
  bool exchange_in_graph(T& expected, T desired, std::memory_order success, std::memory_order failure, detail::site where) {
    std::uint64_t word = detail::graph_word(expected);
    const bool done = detail::graph_exchange_if(state_, storage(), word, detail::graph_word(desired), success, failure, where);
    if (!done) expected = detail::graph_value<T>(word);
    done ? tell(expected, desired) : tell(expected);
    return done;
  }
  template <class Change>
  T update_in_graph(Change change, std::memory_order order, detail::site where) {
    const auto words = [](std::uint64_t old, const void* context) {
      return detail::graph_word<T>((*static_cast<const Change*>(context))(detail::graph_value<T>(old)));
    };
    const T old = detail::graph_value<T>(detail::graph_update(state_, storage(), words, &change, order, where));
    tell(old, change(old));
    return old;
  }
  void remember(std::memory_order order, bool update) {
    if (detail::state.stale_reads) [[unlikely]]
      detail::remember_store(state_, &value_, sizeof(T), order, update);
  }
  [[gnu::noinline]] T take_former(const detail::former_store& read, std::memory_order order) const {
    T value = value_;
    __builtin_memcpy(&value, read.value, sizeof(T));
    detail::observe(read.message, order);
    detail::instrumentation::atomic_load(value_, order);
    if (detail::state.recording)
      detail::record_value(
          "stale " + text(value) + " (" + std::to_string(read.behind) + (read.behind == 1 ? " store" : " stores") + " behind)",
          read.behind);
    return value;
  }

  static std::string text(T value) {
    if constexpr (std::is_same_v<T, bool>)
      return value ? "true" : "false";
    else if constexpr (std::is_arithmetic_v<T>)
      return std::to_string(value);
    else if constexpr (std::is_enum_v<T>)
      return std::to_string(static_cast<std::underlying_type_t<T>>(value));
    else if constexpr (std::is_pointer_v<T>)
      return value == nullptr ? "null" : "pointer";  // never the address: reports repeat byte for byte
    else
      return {};
  }
  static void tell(T value) {
    if (detail::state.recording) [[unlikely]]
      record(value);
  }
  static void tell(T old, T value) {
    if (detail::state.recording) [[unlikely]]
      record(old, value);
  }
  // Apart, so that the fast path is small enough to be inlined.
  [[gnu::noinline]] static void record(T value) { detail::record_value(text(value)); }
  [[gnu::noinline]] static void record(T old, T value) { detail::record_value(text(old) + " -> " + text(value)); }

  template <class U>
  friend struct detail::shared_block;
  void increment_unseen() { ++value_; }

  mutable detail::atomic_state state_;
  alignas(detail::instrumentation::atomic_alignment<T>) T value_{};
};

// As std::atomic_thread_fence.
inline void atomic_thread_fence(std::memory_order order, detail::site where = detail::site::current()) {
  detail::fence(order, where);
}

}  // namespace kvrace
