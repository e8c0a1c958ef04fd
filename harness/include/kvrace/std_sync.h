// The production set: the same names as struct sync, meaning the standard library. Costs nothing over writing std directly.
#pragma once

#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
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
  std_var& operator+=(const T& amount) {
    value_ = static_cast<T>(value_ + amount);
    return *this;
  }
  std_var& operator-=(const T& amount) {
    value_ = static_cast<T>(value_ - amount);
    return *this;
  }
  std_var& operator++() { return *this += T{1}; }
  std_var& operator--() { return *this -= T{1}; }
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

// As kvrace::task_local, by thread: a T of its own for each thread that asks, made at first use.
template <class T>
class std_task_local {
 public:
  [[nodiscard]] T& get() {
    const std::lock_guard lock(mutex_);
    return values_[std::this_thread::get_id()];
  }
  T& operator*() { return get(); }
  T* operator->() { return &get(); }

 private:
  std::mutex mutex_;
  std::map<std::thread::id, T> values_;  // its nodes stay where they are
};

struct std_sync {
  using mutex = std::mutex;
  using timed_mutex = std::timed_mutex;
  using recursive_mutex = std::recursive_mutex;
  using recursive_timed_mutex = std::recursive_timed_mutex;
  using shared_mutex = std::shared_mutex;
  using shared_timed_mutex = std::shared_timed_mutex;
  using condition_variable = std::condition_variable;
  using condition_variable_any = std::condition_variable_any;
  template <std::ptrdiff_t least_max_value = std::counting_semaphore<>::max()>
  using counting_semaphore = std::counting_semaphore<least_max_value>;
  using binary_semaphore = std::binary_semaphore;
  using latch = std::latch;
  template <class... Completion>  // as std: none, or one
  using barrier = std::barrier<Completion...>;
  using once_flag = std::once_flag;
  template <class Function, class... Arguments>
  static void call_once(once_flag& flag, Function&& function, Arguments&&... arguments) {
    std::call_once(flag, std::forward<Function>(function), std::forward<Arguments>(arguments)...);
  }
  template <class T>
  using promise = std::promise<T>;
  template <class T>
  using future = std::future<T>;
  template <class T>
  using shared_future = std::shared_future<T>;
  template <class Signature>
  using packaged_task = std::packaged_task<Signature>;
  template <class F, class... Arguments>
  [[nodiscard]] static auto async(F&& function, Arguments&&... arguments) {
    return std::async(std::launch::async, std::forward<F>(function), std::forward<Arguments>(arguments)...);
  }
  using thread = std::thread;
  using jthread = std::jthread;
  using stop_source = std::stop_source;
  using stop_token = std::stop_token;
  template <class Callback>
  using stop_callback = std::stop_callback<Callback>;
  using atomic_flag = std::atomic_flag;
  using clock = std::chrono::steady_clock;
  template <class T>
  using shared_ptr = std::shared_ptr<T>;
  template <class T, class... Arguments>
  [[nodiscard]] static shared_ptr<T> make_shared(Arguments&&... arguments) {
    return std::make_shared<T>(std::forward<Arguments>(arguments)...);
  }
  template <class T>
  using task_local = std_task_local<T>;
  template <class T>
  using atomic = std::atomic<T>;
  template <class T>
  using var = std_var<T>;
  using shadow = std_shadow;
  template <class Mutex>
  using lock_guard = std::lock_guard<Mutex>;
  template <class... Mutexes>
  using scoped_lock = std::scoped_lock<Mutexes...>;
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
  template <class Duration>
  static void sleep_until(const std::chrono::time_point<clock, Duration>& time) {
    std::this_thread::sleep_until(time);
  }
  // The value of an atomic without an access, for audits at points where no task is inside the object under test.
  template <class T>
  [[nodiscard]] static T peek(const std::atomic<T>& object) {
    return object.load(std::memory_order_relaxed);
  }
  template <class Object>
  static void name(Object&, std::string_view) {}
  template <class Object>
  static void name(Object&, std::string_view, std::uint32_t) {}
};

}  // namespace kvrace
