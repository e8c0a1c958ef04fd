// Where a load and a share stand in a picture of a sweep, in text and as SVG: both axes are logarithmic, and a share of 0 stands
// below the axis of shares, on a line of its own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/sweep.h"

namespace kvrace::reports {

class sweep_axes {
 public:
  // Of all curves, so that panels can be compared.
  explicit sweep_axes(const sweep_facts&);

  // 0 at the least load, 1 at the largest.
  [[nodiscard]] double across(double qps) const;
  // 0 at the least share that the axis shows, 1 at the largest. Requires a share above 0; a smaller one than the least is at 0.
  [[nodiscard]] double up(double share) const;
  // Powers of ten, ascending: the shares that are labelled.
  [[nodiscard]] const std::vector<double>& ticks() const { return ticks_; }
  [[nodiscard]] const std::vector<double>& loads() const { return loads_; }

 private:
  std::vector<double> loads_;  // ascending
  std::vector<double> ticks_;
};

// "0.31 %", with three digits.
[[nodiscard]] std::string percent_text(double share);
// "550", "12.5"
[[nodiscard]] std::string load_text(double qps);

// The locking strategies of the sweep, in order.
[[nodiscard]] std::vector<std::string> lockings_of(const sweep_facts&);
// The sets of flaws of the sweep, in order.
[[nodiscard]] std::vector<std::string> flaw_sets_of(const sweep_facts&);

}  // namespace kvrace::reports
