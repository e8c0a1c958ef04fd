// stop_source, stop_token, stop_callback and jthread.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include <kvrace/primitives/gate.h>
#include <kvrace/primitives/lifetime.h>
#include <kvrace/primitives/thread.h>

namespace kvrace {

namespace detail {

struct stop_callback_base {
  std::function<void()> call;
  bool registered = false;
  unsigned runs_in = slot_none;  // the task that is executing it
};

// Value of the gate: 1 once a stop is requested. Registering, deregistering and requesting are one operation each; the request
// runs the callbacks after it, and whoever destroys one that is running elsewhere waits for its end.
struct stop_state {
  gate requested{object_type::stop_state, 0};
  std::uint32_t registrations = 0;  // message: what callbacks were made of
  std::vector<stop_callback_base*, allocator<stop_callback_base*>> callbacks;

  ~stop_state() { message_release(requested, registrations); }

  bool is_requested(site where) {
    require_usable(requested, where);
    announce(operation_kind::load, &requested, where);
    see();
    return requested.value != 0;
  }
  bool request(site where) {
    require_usable(requested, where);
    announce(operation_kind::release, &requested, where);
    if (requested.value != 0) return false;
    detail::acquire(registrations);
    instrumentation::acquire(this);
    instrumentation::release(&requested);
    release_store(requested.message);
    requested.value = 1;
    while (!callbacks.empty()) {
      stop_callback_base& next = *callbacks.front();
      callbacks.erase(callbacks.begin());
      next.registered = false;
      next.runs_in = state.slot;
      next.call();
      announce(operation_kind::release, &requested, where);
      instrumentation::release(&requested);
      release_join(requested.message);
      next.runs_in = slot_none;
      open_gate(requested);
    }
    return true;
  }
  void add(stop_callback_base& callback, site where) {
    require_usable(requested, where);
    announce(operation_kind::store, &requested, where);
    if (requested.value != 0) {
      see();
      callback.call();
      return;
    }
    instrumentation::release(this);
    release_join(registrations);
    callback.registered = true;
    callbacks.push_back(&callback);
  }
  void remove(stop_callback_base& callback, site where) {
    if (requested.generation != state.generation) return;  // the run was cut
    // Its own end is not waited for by a callback that destroys itself. It may begin to run while this task stands before its
    // operation: then once more.
    const auto runs_nowhere_else = [&] { return callback.runs_in == slot_none || callback.runs_in == state.slot; };
    do pass(requested, operation_kind::await, runs_nowhere_else, where);
    while (!runs_nowhere_else());
    see();
    if (!callback.registered) return;
    std::erase(callbacks, &callback);
    callback.registered = false;
  }
  void see() {
    if (requested.value == 0) return;
    detail::acquire(requested.message);
    instrumentation::acquire(&requested);
  }
};
using stop_link = std::shared_ptr<stop_state>;

}  // namespace detail

// As std::stop_token.
class stop_token {
 public:
  stop_token() noexcept = default;
  [[nodiscard]] bool stop_requested(detail::site where = detail::site::current()) const {
    return link_ != nullptr && link_->is_requested(where);
  }
  [[nodiscard]] bool stop_possible() const noexcept { return link_ != nullptr; }
  friend bool operator==(const stop_token&, const stop_token&) noexcept = default;

 private:
  friend class stop_source;
  template <class Callback>
  friend class stop_callback;
  explicit stop_token(detail::stop_link link) : link_(std::move(link)) {}
  detail::stop_link link_;
};

// As std::stop_source.
class stop_source {
 public:
  stop_source() : link_(std::allocate_shared<detail::stop_state>(allocator<detail::stop_state>())) {}
  explicit stop_source(std::nostopstate_t) noexcept {}
  [[nodiscard]] stop_token get_token() const noexcept { return stop_token(link_); }
  [[nodiscard]] bool stop_possible() const noexcept { return link_ != nullptr; }
  [[nodiscard]] bool stop_requested(detail::site where = detail::site::current()) const {
    return link_ != nullptr && link_->is_requested(where);
  }
  bool request_stop(detail::site where = detail::site::current()) { return link_ != nullptr && link_->request(where); }
  friend bool operator==(const stop_source&, const stop_source&) noexcept = default;

 private:
  detail::stop_link link_;
};

// As std::stop_callback.
template <class Callback>
class stop_callback {
 public:
  using callback_type = Callback;
  template <class C>
    requires std::constructible_from<Callback, C>
  explicit stop_callback(const stop_token& token, C&& callback, detail::site where = detail::site::current())
      : link_(token.link_), callback_(std::forward<C>(callback)), where_(where) {
    base_.call = [this] { std::invoke(std::move(callback_)); };
    if (link_ != nullptr) link_->add(base_, where);
  }
  stop_callback(const stop_callback&) = delete;
  stop_callback& operator=(const stop_callback&) = delete;
  ~stop_callback() {
    if (link_ != nullptr) link_->remove(base_, where_);
  }

 private:
  detail::stop_link link_;
  Callback callback_;
  detail::site where_;
  detail::stop_callback_base base_;
};
template <class Callback>
stop_callback(stop_token, Callback, detail::site = {}) -> stop_callback<Callback>;

// As std::jthread: asks its task to stop and joins it when it is destroyed.
class jthread {
 public:
  jthread() noexcept : stop_(std::nostopstate) {}
  template <class F, class... Arguments>
    requires(!std::is_same_v<std::remove_cvref_t<F>, jthread>)
  explicit jthread(F&& function, Arguments&&... arguments)
      : thread_([&] {
          if constexpr (std::is_invocable_v<std::decay_t<F>, stop_token, std::decay_t<Arguments>...>)
            return thread(std::forward<F>(function), stop_.get_token(), std::forward<Arguments>(arguments)...);
          else
            return thread(std::forward<F>(function), std::forward<Arguments>(arguments)...);
        }()) {}
  jthread(jthread&&) noexcept = default;
  jthread& operator=(jthread&& other) noexcept {
    if (this == &other) return *this;
    end(detail::site{});
    stop_ = std::move(other.stop_);
    thread_ = std::move(other.thread_);
    return *this;
  }
  ~jthread() {
    if (std::uncaught_exceptions() == 0) end(detail::site{});
  }
  [[nodiscard]] bool joinable() const noexcept { return thread_.joinable(); }
  void join(detail::site where = detail::site::current()) { thread_.join(where); }
  void detach(detail::site where = detail::site::current()) { thread_.detach(where); }
  [[nodiscard]] thread::id get_id() const noexcept { return thread_.get_id(); }
  [[nodiscard]] stop_source get_stop_source() noexcept { return stop_; }
  [[nodiscard]] stop_token get_stop_token() const noexcept { return stop_.get_token(); }
  bool request_stop(detail::site where = detail::site::current()) { return stop_.request_stop(where); }

 private:
  void end(detail::site where) {
    if (!thread_.joinable()) return;
    stop_.request_stop(where);
    thread_.join(where);
  }
  stop_source stop_;
  thread thread_;
};

}  // namespace kvrace
