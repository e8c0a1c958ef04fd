// thread, yield and sleep_for on virtual time.
#pragma once

#include <chrono>
#include <compare>
#include <exception>
#include <functional>
#include <tuple>
#include <utility>

#include <kvrace/detail/core.h>
#include <kvrace/primitives/time.h>

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
  thread(thread&& other) noexcept : slot_(std::exchange(other.slot_, detail::slot_none)), generation_(other.generation_) {}
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

  // As std::thread::id: of a task of the run in progress.
  class id {
   public:
    id() noexcept = default;
    friend bool operator==(id, id) noexcept = default;
    friend auto operator<=>(id, id) noexcept = default;

   private:
    friend class thread;
    friend id this_task() noexcept;
    friend struct std::hash<id>;
    explicit id(unsigned number) noexcept : number_(number) {}
    unsigned number_ = ~0U;  // none
  };
  [[nodiscard]] id get_id() const noexcept { return joinable() ? id(slot_) : id(); }

  [[nodiscard]] bool joinable() const noexcept { return slot_ != detail::slot_none; }
  void join(detail::site where = detail::site::current()) {
    if (!joinable()) [[unlikely]]
      detail::thread_misused("joined while not joinable", where);
    detail::join(slot_, where);
    slot_ = detail::slot_none;
  }
  void detach(detail::site where = detail::site::current()) {
    if (!joinable()) [[unlikely]]
      detail::thread_misused("detached while not joinable", where);
    slot_ = detail::slot_none;
  }
  static unsigned hardware_concurrency() noexcept { return tasks_max; }

 private:
  unsigned slot_ = detail::slot_none;
  std::uint32_t generation_ = 0;
};

// As std::this_thread::get_id.
[[nodiscard]] inline thread::id this_task() noexcept {
  return detail::state.current == nullptr ? thread::id() : thread::id(detail::state.slot);
}

// What cancellation_point throws.
struct cancelled {};
// Where the caller may be cancelled, as a request whose client has gone: throws where limits::faults allows it and the strategy
// chooses so.
inline void cancellation_point(detail::site where = detail::site::current()) {
  if (detail::happens(detail::fault::cancellation, where)) [[unlikely]]
    throw cancelled{};
}

// Gives way: the next decision counts no preemption.
inline void yield(detail::site where = detail::site::current()) { detail::yield(where); }

// Virtual time: it advances only when no task is enabled. Under prove() there is no time and sleeping is a yield.
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& duration, detail::site where = detail::site::current()) {
  detail::sleep(std::chrono::ceil<std::chrono::nanoseconds>(duration), where);
}
template <class Duration>
void sleep_until(const std::chrono::time_point<virtual_clock, Duration>& time, detail::site where = detail::site::current()) {
  detail::sleep(std::chrono::ceil<std::chrono::nanoseconds>(time - virtual_clock::now()), where);
}

}  // namespace kvrace

template <>
struct std::hash<kvrace::thread::id> {
  std::size_t operator()(kvrace::thread::id id) const noexcept { return id.number_; }
};
