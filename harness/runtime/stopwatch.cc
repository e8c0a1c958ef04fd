#include "runtime/stopwatch.h"

#include <algorithm>
#include <chrono>

namespace kvrace::detail {

double monotonic_time_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool paced_check::look() {
  const double elapsed_s = monotonic_time_s() - last_s_;
  if (elapsed_s < interval_s_ / 4)
    stride_ = std::min<std::uint64_t>(stride_ * 2, std::uint64_t{1} << 20U);
  else if (elapsed_s > interval_s_)
    stride_ = std::max<std::uint64_t>(stride_ / 2, 1);
  countdown_ = stride_;
  if (elapsed_s < interval_s_) return false;
  last_s_ += elapsed_s;
  return true;
}

}  // namespace kvrace::detail
