// The controlled set: primitives named, shaped and misused as in std, whose every visible operation the scheduler owns.
//
// Code under test is a template over one of the two sets: struct sync here, struct std_sync in production.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include <kvrace/primitives/atomic.h>
#include <kvrace/primitives/atomic_flag.h>
#include <kvrace/primitives/barrier.h>
#include <kvrace/primitives/call_once.h>
#include <kvrace/primitives/condition_variable.h>
#include <kvrace/primitives/condition_variable_any.h>
#include <kvrace/primitives/future.h>
#include <kvrace/primitives/latch.h>
#include <kvrace/primitives/lifetime.h>
#include <kvrace/primitives/mutex.h>
#include <kvrace/primitives/semaphore.h>
#include <kvrace/primitives/shared_mutex.h>
#include <kvrace/primitives/shared_ptr.h>
#include <kvrace/primitives/stop_token.h>
#include <kvrace/primitives/task_local.h>
#include <kvrace/primitives/thread.h>
#include <kvrace/primitives/time.h>
#include <kvrace/primitives/timed_mutex.h>
#include <kvrace/primitives/var.h>
#include <kvrace/std_sync.h>

namespace kvrace {

struct sync {
  using mutex = kvrace::mutex;
  using timed_mutex = kvrace::timed_mutex;
  using recursive_mutex = kvrace::recursive_mutex;
  using recursive_timed_mutex = kvrace::recursive_timed_mutex;
  using shared_mutex = kvrace::shared_mutex;
  using shared_timed_mutex = kvrace::shared_timed_mutex;
  using condition_variable = kvrace::condition_variable;
  using condition_variable_any = kvrace::condition_variable_any;
  template <std::ptrdiff_t least_max_value = std::numeric_limits<std::ptrdiff_t>::max()>
  using counting_semaphore = kvrace::counting_semaphore<least_max_value>;
  using binary_semaphore = kvrace::binary_semaphore;
  using latch = kvrace::latch;
  template <class Completion = detail::nothing_to_complete>
  using barrier = kvrace::barrier<Completion>;
  using once_flag = kvrace::once_flag;
  template <class Function, class... Arguments>
  static void call_once(once_flag& flag, Function&& function, Arguments&&... arguments) {
    kvrace::call_once(flag, std::forward<Function>(function), std::forward<Arguments>(arguments)...);
  }
  template <class T>
  using promise = kvrace::promise<T>;
  template <class T>
  using future = kvrace::future<T>;
  template <class T>
  using shared_future = kvrace::shared_future<T>;
  template <class Signature>
  using packaged_task = kvrace::packaged_task<Signature>;
  template <class F, class... Arguments>
  [[nodiscard]] static auto async(F&& function, Arguments&&... arguments) {
    return kvrace::async(std::forward<F>(function), std::forward<Arguments>(arguments)...);
  }
  using thread = kvrace::thread;
  using jthread = kvrace::jthread;
  using stop_source = kvrace::stop_source;
  using stop_token = kvrace::stop_token;
  template <class Callback>
  using stop_callback = kvrace::stop_callback<Callback>;
  using atomic_flag = kvrace::atomic_flag;
  using clock = kvrace::virtual_clock;
  template <class T>
  using shared_ptr = kvrace::shared_ptr<T>;
  template <class T, class... Arguments>
  [[nodiscard]] static shared_ptr<T> make_shared(Arguments&&... arguments) {
    return kvrace::make_shared<T>(std::forward<Arguments>(arguments)...);
  }
  template <class T>
  using task_local = kvrace::task_local<T>;
  template <class T>
  using atomic = kvrace::atomic<T>;
  template <class T>
  using var = kvrace::var<T>;
  using shadow = kvrace::shadow;
  template <class Mutex>
  using lock_guard = kvrace::lock_guard<Mutex>;
  template <class... Mutexes>
  using scoped_lock = kvrace::scoped_lock<Mutexes...>;
  template <class Mutex>
  using unique_lock = kvrace::unique_lock<Mutex>;
  template <class Mutex>
  using shared_lock = kvrace::shared_lock<Mutex>;
  template <class T>
  using allocator = kvrace::allocator<T>;

  // An object with a checked lifetime: destroyed once, not used afterwards, not left at the end of the run.
  template <class T, class... Arguments>
  [[nodiscard]] static T* make(Arguments&&... arguments) {
    return detail::make_object<T>(std::forward<Arguments>(arguments)...);
  }
  template <class T>
  static void destroy(T* object, detail::site where = detail::site::current()) {
    if (object != nullptr) detail::destroy_object(object, where);
  }
  // For plain members of a made object: a violation if it has been destroyed. Primitives check this by themselves.
  template <class T>
  static T* alive(T* object, detail::site where = detail::site::current()) {
    detail::require_alive(object, where);
    return object;
  }
  static void atomic_thread_fence(std::memory_order order, detail::site where = detail::site::current()) {
    kvrace::atomic_thread_fence(order, where);
  }
  static void yield(detail::site where = detail::site::current()) { kvrace::yield(where); }
  template <class Rep, class Period>
  static void sleep_for(const std::chrono::duration<Rep, Period>& duration, detail::site where = detail::site::current()) {
    kvrace::sleep_for(duration, where);
  }
  template <class Duration>
  static void sleep_until(const std::chrono::time_point<virtual_clock, Duration>& time,
                          detail::site where = detail::site::current()) {
    kvrace::sleep_until(time, where);
  }
  // The value of an atomic without an access, for audits at points where no task is inside the object under test.
  template <class T>
  [[nodiscard]] static T peek(const kvrace::atomic<T>& object) {
    if (detail::state.graph != nullptr) [[unlikely]]
      detail::graph_settle(object.state_, object.storage());
    return object.value_;
  }
  // Names a primitive for reports.
  template <class Primitive>
  static void name(const Primitive& object, std::string_view text) {
    if (detail::state.naming) [[unlikely]]
      detail::name_object(identity(object), text);
  }
  // The number is part of the name.
  template <class Primitive>
  static void name(const Primitive& object, std::string_view text, std::uint32_t number) {
    if (detail::state.naming) [[unlikely]]
      name(object, std::string(text) + std::to_string(number));
  }

 private:
  template <class Primitive>
  static const detail::object& identity(const Primitive& object) {
    if constexpr (requires { object.lock_; })
      return object.lock_;
    else if constexpr (requires { object.queue_; })
      return object.queue_;
    else if constexpr (requires { object.gate_; })
      return object.gate_;
    else if constexpr (requires { object.history_; })
      return object.history_;
    else if constexpr (requires { object.state_; })
      return object.state_;
    else
      return identity(object.value_);  // atomic_flag
  }
};

}  // namespace kvrace
