// thread, yield and sleep_for on virtual time.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <tuple>
#include <utility>

#include <kvrace/detail/core.h>

namespace kvrace {

namespace detail {
void join(unsigned slot, site where);
void yield(site where);
void sleep(std::chrono::nanoseconds duration, site where);
[[noreturn]] void thread_misused(const char* message, site where);
}  // namespace detail

// As std::thread; every thread is a task of the run. Destroying a joinable one is a violation of oracle "thread_misuse".
class thread {
 public:
  thread() noexcept = default;
  template <class F, class... Arguments>
    requires(!std::is_same_v<std::remove_cvref_t<F>, thread>)
  explicit thread(F&& function, Arguments&&... arguments) {
    slot_ = detail::spawn("thread", [call = std::tuple<std::decay_t<F>, std::decay_t<Arguments>...>(
                                         std::forward<F>(function), std::forward<Arguments>(arguments)...)]() mutable {
      std::apply([](auto& callee, auto&... values) { std::invoke(std::move(callee), std::move(values)...); }, call);
    });
    generation_ = detail::state.generation;
  }
  thread(thread&& other) noexcept
      : slot_(std::exchange(other.slot_, detail::slot_none)), generation_(other.generation_) {}
  thread& operator=(thread&& other) noexcept {
    if (joinable()) detail::thread_misused("assigned to while joinable", detail::site::current());
    slot_ = std::exchange(other.slot_, detail::slot_none);
    generation_ = other.generation_;
    return *this;
  }
  ~thread() {
    if (joinable() && generation_ == detail::state.generation && std::uncaught_exceptions() == 0) [[unlikely]]
      detail::thread_misused("destroyed while joinable", detail::site::current());
  }

  [[nodiscard]] bool joinable() const noexcept { return slot_ != detail::slot_none; }
  void join(detail::site where = detail::site::current()) {
    if (!joinable()) [[unlikely]] detail::thread_misused("joined while not joinable", where);
    detail::join(slot_, where);
    slot_ = detail::slot_none;
  }
  void detach(detail::site where = detail::site::current()) {
    if (!joinable()) [[unlikely]] detail::thread_misused("detached while not joinable", where);
    slot_ = detail::slot_none;
  }
  static unsigned hardware_concurrency() noexcept { return tasks_max; }

 private:
  unsigned slot_ = detail::slot_none;
  std::uint32_t generation_ = 0;
};

// Gives way: the next decision counts no preemption.
inline void yield(detail::site where = detail::site::current()) { detail::yield(where); }

// Virtual time: it advances only when no task is enabled. Under prove() there is no time and sleeping is a yield.
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& duration, detail::site where = detail::site::current()) {
  detail::sleep(std::chrono::ceil<std::chrono::nanoseconds>(duration), where);
}

}  // namespace kvrace
