// atomic_flag.
#pragma once

#include <kvrace/primitives/atomic.h>

namespace kvrace {

// As std::atomic_flag of C++20: clear when made.
class atomic_flag {
 public:
  atomic_flag() noexcept : value_(false) {}
  atomic_flag(const atomic_flag&) = delete;
  atomic_flag& operator=(const atomic_flag&) = delete;

  [[nodiscard]] bool test(std::memory_order order = std::memory_order_seq_cst,
                          detail::site where = detail::site::current()) const {
    return value_.load(order, where);
  }
  bool test_and_set(std::memory_order order = std::memory_order_seq_cst, detail::site where = detail::site::current()) {
    return value_.exchange(true, order, where);
  }
  void clear(std::memory_order order = std::memory_order_seq_cst, detail::site where = detail::site::current()) {
    value_.store(false, order, where);
  }
  void wait(bool old, std::memory_order order = std::memory_order_seq_cst, detail::site where = detail::site::current()) const {
    value_.wait(old, order, where);
  }
  void notify_one(detail::site where = detail::site::current()) { value_.notify_one(where); }
  void notify_all(detail::site where = detail::site::current()) { value_.notify_all(where); }

 private:
  friend struct sync;
  atomic<bool> value_;
};

}  // namespace kvrace
