// promise, future, shared_future and packaged_task, and async in a task of its own.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <kvrace/primitives/gate.h>
#include <kvrace/primitives/lifetime.h>
#include <kvrace/primitives/thread.h>

namespace kvrace {

template <class T>
class promise;
template <class T>
class future;
template <class T>
class shared_future;

namespace detail {

// What a promise and its futures share. Its memory belongs to the run.
template <class T>
struct future_state {
  using stored = std::conditional_t<std::is_void_v<T>, std::tuple<>,
                                    std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>>;
  gate ready{object_type::future, 0};
  std::optional<stored> value;
  std::exception_ptr error;
  bool future_taken = false;
  bool fulfilled = false;  // along an execution graph: somebody has begun to

  template <class Fill>
  void fulfil(Fill fill, site where) {
    require_usable(ready, where);
    if (state.graph != nullptr) [[unlikely]]
      return fulfil_in_graph(fill, where);
    announce(operation_kind::release, &ready, where);
    if (ready.value != 0) throw std::future_error(std::future_errc::promise_already_satisfied);
    fill();
    instrumentation::release(&ready);
    release_store(ready.message);
    ready.value = 1;
    open_gate(ready);
  }
  void wait(site where) {
    require_usable(ready, where);
    if (state.graph != nullptr) [[unlikely]] {
      const auto look = [](std::uint64_t old, std::uint64_t&) { return old == filled ? gate_answer::reads : gate_answer::waits; };
      (void)gate_in_graph(ready, operation_kind::await, std::memory_order_acquire, look, where);
      return;
    }
    pass(ready, operation_kind::await, [this] { return ready.value != 0; }, where);
    see();
  }
  std::future_status wait_until(std::int64_t deadline_ns, site where) {
    require_usable(ready, where);
    if (state.graph != nullptr) [[unlikely]] {
      const auto look = [](std::uint64_t old, std::uint64_t&) {
        return old == filled ? gate_answer::reads : old == claimed ? gate_answer::waits : gate_answer::fails;
      };
      const std::uint64_t found = gate_in_graph(ready, operation_kind::await, std::memory_order_acquire, look, where);
      return found == filled ? std::future_status::ready : std::future_status::timeout;
    }
    if (!pass_until(ready, operation_kind::await, deadline_ns, [this] { return ready.value != 0; }, where))
      return std::future_status::timeout;
    see();
    return std::future_status::ready;
  }
  // Claims it, fills it, and lets others see it.
  template <class Fill>
  void fulfil_in_graph(Fill fill, site where) {
    const auto claim = [](std::uint64_t old, std::uint64_t& next) {
      next = claimed;
      return old == 0 ? gate_answer::writes : gate_answer::fails;
    };
    if (gate_in_graph(ready, operation_kind::release, std::memory_order_acquire, claim, where) != 0)
      throw std::future_error(std::future_errc::promise_already_satisfied);
    fulfilled = true;
    fill();
    const auto show = [](std::uint64_t, std::uint64_t& next) {
      next = filled;
      return gate_answer::writes;
    };
    (void)gate_in_graph(ready, operation_kind::release, std::memory_order_release, show, where, true);
  }
  static constexpr std::uint64_t claimed = 2;
  static constexpr std::uint64_t filled = 1;

  void see() {
    acquire(ready.message);
    instrumentation::acquire(&ready);
    if (state.recording) record_value(error != nullptr ? "an exception" : "a value");
  }
  void rethrow() {
    if (error != nullptr) std::rethrow_exception(error);
  }
};
template <class T>
using future_link = std::shared_ptr<future_state<T>>;
template <class T>
const future_link<T>& linked(const future_link<T>& link) {
  if (link == nullptr) throw std::future_error(std::future_errc::no_state);
  return link;
}

// What future and shared_future have in common.
template <class T>
class future_base {
 public:
  [[nodiscard]] bool valid() const noexcept { return link_ != nullptr; }
  void wait(site where = site::current()) const { linked<T>(link_)->wait(where); }
  template <class Rep, class Period>
  std::future_status wait_for(const std::chrono::duration<Rep, Period>& duration, site where = site::current()) const {
    return linked<T>(link_)->wait_until(deadline_after(duration), where);
  }
  template <class Duration>
  std::future_status wait_until(const std::chrono::time_point<virtual_clock, Duration>& time,
                                site where = site::current()) const {
    return linked<T>(link_)->wait_until(deadline_at(time), where);
  }

 protected:
  future_base() = default;
  explicit future_base(future_link<T> link) : link_(std::move(link)) {}
  future_link<T> link_;
};

}  // namespace detail

// As std::future. Errors of use are the std::future_errors of the standard library, thrown.
template <class T>
class future : public detail::future_base<T> {
 public:
  future() = default;

  T get(detail::site where = detail::site::current()) {
    const detail::future_link<T> link = std::exchange(this->link_, nullptr);
    detail::linked<T>(link)->wait(where);
    link->rethrow();
    if constexpr (std::is_reference_v<T>)
      return **link->value;
    else if constexpr (!std::is_void_v<T>)
      return std::move(*link->value);
  }
  shared_future<T> share() noexcept { return shared_future<T>(std::move(*this)); }

 private:
  friend class promise<T>;
  friend class shared_future<T>;
  using detail::future_base<T>::future_base;
};

// As std::shared_future.
template <class T>
class shared_future : public detail::future_base<T> {
 public:
  shared_future() = default;
  shared_future(future<T>&& from) noexcept  // NOLINT(google-explicit-constructor): as std
      : detail::future_base<T>(std::exchange(from.link_, nullptr)) {}

  decltype(auto) get(detail::site where = detail::site::current()) const {
    const detail::future_link<T>& link = detail::linked<T>(this->link_);
    link->wait(where);
    link->rethrow();
    if constexpr (std::is_reference_v<T>)
      return static_cast<T>(**link->value);
    else if constexpr (!std::is_void_v<T>)
      return static_cast<const T&>(*link->value);
  }
};

// As std::promise. A promise that is destroyed without a value breaks, which its future sees as an exception.
template <class T>
class promise {
 public:
  promise() : link_(std::allocate_shared<detail::future_state<T>>(allocator<detail::future_state<T>>())) {}
  promise(promise&&) noexcept = default;
  promise& operator=(promise&& other) noexcept {
    promise(std::move(other)).swap(*this);
    return *this;
  }
  ~promise() {
    if (link_ == nullptr || link_->ready.generation != detail::state.generation || link_->ready.value != 0 || link_->fulfilled)
      return;
    set_exception(std::make_exception_ptr(std::future_error(std::future_errc::broken_promise)));
  }
  void swap(promise& other) noexcept { link_.swap(other.link_); }

  [[nodiscard]] future<T> get_future() {
    if (std::exchange(detail::linked<T>(link_)->future_taken, true))
      throw std::future_error(std::future_errc::future_already_retrieved);
    return future<T>(link_);
  }
  void set_value(detail::site where = detail::site::current())
    requires std::is_void_v<T>
  {
    detail::linked<T>(link_)->fulfil([this] { link_->value.emplace(); }, where);
  }
  template <class U>
    requires(!std::is_void_v<T>)
  void set_value(U&& value, detail::site where = detail::site::current()) {
    const auto fill = [this, &value] {
      if constexpr (std::is_reference_v<T>)
        link_->value.emplace(&value);
      else
        link_->value.emplace(std::forward<U>(value));
    };
    detail::linked<T>(link_)->fulfil(fill, where);
  }
  void set_exception(std::exception_ptr error, detail::site where = detail::site::current()) {
    detail::linked<T>(link_)->fulfil([&] { link_->error = std::move(error); }, where);
  }

 private:
  detail::future_link<T> link_;
};

namespace detail {
template <class T, class Function, class... Arguments>
void fulfil_by(promise<T>& into, Function& function, Arguments&&... arguments) {
  try {
    if constexpr (std::is_void_v<T>) {
      std::invoke(function, std::forward<Arguments>(arguments)...);
      into.set_value();
    } else {
      into.set_value(std::invoke(function, std::forward<Arguments>(arguments)...));
    }
  } catch (...) {
    into.set_exception(std::current_exception());
  }
}
}  // namespace detail

template <class Signature>
class packaged_task;

// As std::packaged_task.
template <class T, class... Arguments>
class packaged_task<T(Arguments...)> {
 public:
  packaged_task() = default;
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, packaged_task>)
  explicit packaged_task(F&& function) : function_(std::forward<F>(function)), promise_(std::in_place) {}
  packaged_task(packaged_task&&) noexcept = default;
  packaged_task& operator=(packaged_task&&) noexcept = default;

  [[nodiscard]] bool valid() const noexcept { return promise_.has_value(); }
  [[nodiscard]] future<T> get_future() { return mine().get_future(); }
  void operator()(Arguments... arguments) { detail::fulfil_by(mine(), function_, std::forward<Arguments>(arguments)...); }

 private:
  promise<T>& mine() {
    if (!promise_) throw std::future_error(std::future_errc::no_state);
    return *promise_;
  }
  std::function<T(Arguments...)> function_;
  std::optional<promise<T>> promise_;
};

// As std::async(std::launch::async, ...), in a task of its own, but the future does not wait when it is destroyed: the body joins
// all tasks.
template <class F, class... Arguments>
[[nodiscard]] auto async(F&& function, Arguments&&... arguments) {
  using returned = std::invoke_result_t<std::decay_t<F>, std::decay_t<Arguments>...>;
  promise<returned> made;
  future<returned> later = made.get_future();
  thread([made = std::move(made), call = std::decay_t<F>(std::forward<F>(function)),
          values = std::tuple<std::decay_t<Arguments>...>(std::forward<Arguments>(arguments)...)]() mutable {
    std::apply([&](auto&... each) { detail::fulfil_by(made, call, std::move(each)...); }, values);
  }).detach();
  return later;
}

}  // namespace kvrace
