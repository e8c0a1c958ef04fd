// What a few independent measurements of one quantity say about its mean.
#pragma once

#include <span>

namespace kvrace::scenarios {

struct interval {
  double mean = 0;
  double low = 0;
  double high = 0;
};

// t for which Student's distribution with so many degrees of freedom, at least 1, has 95 % of its mass between -t and t.
[[nodiscard]] double student_t_95(std::size_t degrees);

// The mean of the values with its 95 % interval, Student's t: the values are taken for independent and about normal. With one
// value, or none that differs, there is no width. Requires a value.
[[nodiscard]] interval mean_with_interval(std::span<const double> values);

}  // namespace kvrace::scenarios
