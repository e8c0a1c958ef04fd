// The only place that reads a clock: budgets and progress, never decisions.
#pragma once

#include <cstdint>

namespace kvrace::detail {

// Seconds since an arbitrary point, monotonic.
[[nodiscard]] double monotonic_time_s();

// Says when it is worth looking at the clock: about every `interval_s`, whatever one run costs.
class paced_check {
 public:
  explicit paced_check(double interval_s) : interval_s_(interval_s), last_s_(monotonic_time_s()) {}
  // To be called once per run; true when the interval is over.
  bool due() {
    if (--countdown_ != 0) [[likely]] return false;
    return look();
  }

 private:
  bool look();
  double interval_s_;
  double last_s_;
  std::uint64_t stride_ = 1;
  std::uint64_t countdown_ = 1;
};

}  // namespace kvrace::detail
