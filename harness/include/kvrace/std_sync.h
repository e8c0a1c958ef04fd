// The production set: the same names as struct sync, meaning the standard library. Costs nothing over writing std directly.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <thread>
#include <utility>

namespace kvrace {

// Plain data with the interface of kvrace::var.
template <class T>
class std_var {
 public:
  std_var() = default;
  explicit std_var(T value) : value_(std::move(value)) {}
  std_var(const std_var&) = delete;
  std_var& operator=(const std_var&) = default;
  std_var& operator=(T value) {
    value_ = std::move(value);
    return *this;
  }
  operator T() const { return value_; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] T load() const { return value_; }
  void store(T value) { value_ = std::move(value); }

 private:
  T value_{};
};

// Stands for plain data that cannot be a var, such as a container; see kvrace::shadow.
class std_shadow {
 public:
  void read() const {}
  void write() {}
};

struct std_sync {
  using mutex = std::mutex;
  using shared_mutex = std::shared_mutex;
  using condition_variable = std::condition_variable;
  using thread = std::thread;
  template <class T>
  using atomic = std::atomic<T>;
  template <class T>
  using var = std_var<T>;
  using shadow = std_shadow;
  template <class Mutex>
  using lock_guard = std::lock_guard<Mutex>;
  template <class Mutex>
  using unique_lock = std::unique_lock<Mutex>;
  template <class Mutex>
  using shared_lock = std::shared_lock<Mutex>;
  template <class T>
  using allocator = std::allocator<T>;

  template <class T, class... Arguments>
  [[nodiscard]] static T* make(Arguments&&... arguments) {
    return new T(std::forward<Arguments>(arguments)...);
  }
  template <class T>
  static void destroy(T* object) {
    delete object;
  }
  template <class T>
  static T* alive(T* object) {
    return object;
  }
  static void atomic_thread_fence(std::memory_order order) { std::atomic_thread_fence(order); }
  static void yield() { std::this_thread::yield(); }
  template <class Rep, class Period>
  static void sleep_for(const std::chrono::duration<Rep, Period>& duration) {
    std::this_thread::sleep_for(duration);
  }
  // The value of an atomic without an access, for audits at points where no task is inside the object under test.
  template <class T>
  [[nodiscard]] static T peek(const std::atomic<T>& object) {
    return object.load(std::memory_order_relaxed);
  }
  template <class Object>
  static void name(Object&, std::string_view) {}
};

}  // namespace kvrace
