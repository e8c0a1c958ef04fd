// The controlled set: primitives named, shaped and misused as in std, whose every visible operation the scheduler owns.
//
// Code under test is a template over one of the two sets: struct sync here, struct std_sync in production.
#pragma once

#include <string_view>

#include <kvrace/primitives/atomic.h>
#include <kvrace/primitives/condition_variable.h>
#include <kvrace/primitives/lifetime.h>
#include <kvrace/primitives/mutex.h>
#include <kvrace/primitives/shared_mutex.h>
#include <kvrace/primitives/thread.h>
#include <kvrace/primitives/var.h>
#include <kvrace/std_sync.h>

namespace kvrace {

struct sync {
  using mutex = kvrace::mutex;
  using shared_mutex = kvrace::shared_mutex;
  using condition_variable = kvrace::condition_variable;
  using thread = kvrace::thread;
  template <class T>
  using atomic = kvrace::atomic<T>;
  template <class T>
  using var = kvrace::var<T>;
  using shadow = kvrace::shadow;
  template <class Mutex>
  using lock_guard = kvrace::lock_guard<Mutex>;
  template <class Mutex>
  using unique_lock = kvrace::unique_lock<Mutex>;
  template <class Mutex>
  using shared_lock = kvrace::shared_lock<Mutex>;
  template <class T>
  using allocator = kvrace::allocator<T>;

  // An object with a checked lifetime: destroyed once, not used afterwards, not left at the end of the run.
  template <class T, class... Arguments>
  [[nodiscard]] static T* make(Arguments&&... arguments) {
    void* memory = detail::lifetime_begin(sizeof(T), alignof(T), detail::site{});
    try {
      return new (memory) T(std::forward<Arguments>(arguments)...);
    } catch (...) {
      detail::lifetime_end(memory, detail::site{});
      throw;
    }
  }
  template <class T>
  static void destroy(T* object, detail::site where = detail::site::current()) {
    if (object == nullptr) return;
    detail::lifetime_end(object, where);
    object->~T();
    if constexpr (detail::instrumentation::checks_memory) detail::lifetime_over(object, sizeof(T));
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
  // The value of an atomic without an access, for audits at points where no task is inside the object under test.
  template <class T>
  [[nodiscard]] static T peek(const kvrace::atomic<T>& object) {
    if (detail::state.graph != nullptr) [[unlikely]]
      detail::graph_settle(object.state_, object.storage());
    return object.value_;
  }
  // Names a primitive for reports.
  static void name(const kvrace::mutex& object, std::string_view text) { name_it(object.lock_, text); }
  static void name(const kvrace::shared_mutex& object, std::string_view text) { name_it(object.lock_, text); }
  static void name(const kvrace::condition_variable& object, std::string_view text) { name_it(object.queue_, text); }
  static void name(const kvrace::shadow& object, std::string_view text) { name_it(object.history_, text); }
  template <class T>
  static void name(const kvrace::atomic<T>& object, std::string_view text) {
    name_it(object.state_, text);
  }
  template <class T>
  static void name(const kvrace::var<T>& object, std::string_view text) {
    name_it(object.history_, text);
  }

 private:
  static void name_it(const detail::object& object, std::string_view text) {
    if (detail::state.recording) [[unlikely]]
      detail::name_object(object, text);
  }
};

}  // namespace kvrace
