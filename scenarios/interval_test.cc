// Against the table of Student's distribution, and by hand.
#include <catch2/catch.hpp>

#include <array>

#include "scenarios/interval.h"

using kvrace::scenarios::interval;
using kvrace::scenarios::mean_with_interval;
using kvrace::scenarios::student_t_95;

TEST_CASE("the quantiles are those of the table, for odd and even degrees of freedom") {
  const std::array<std::pair<std::size_t, double>, 9> table = {
      {{1, 12.706}, {2, 4.303}, {3, 3.182}, {4, 2.776}, {10, 2.228}, {19, 2.093}, {39, 2.023}, {100, 1.984}, {1'000, 1.962}}};
  for (const auto& [degrees, t] : table) CHECK(student_t_95(degrees) == Approx(t).margin(0.0006));
}

TEST_CASE("an interval is as wide as the values say") {
  // Mean 4, standard deviation 2, standard error 1: t is 3.182.
  const interval four = mean_with_interval(std::array{2.0, 4.0 - 1.4142135623730951, 4.0 + 1.4142135623730951, 6.0});
  CHECK(four.mean == Approx(4));
  CHECK(four.high - four.mean == Approx(3.182).margin(0.001));
  CHECK(four.mean - four.low == Approx(four.high - four.mean));
}

TEST_CASE("values that do not differ, or a single one, have no width") {
  const interval same = mean_with_interval(std::array{0.25, 0.25, 0.25});
  CHECK((same.low == 0.25 && same.mean == 0.25 && same.high == 0.25));
  const interval one = mean_with_interval(std::array{0.5});
  CHECK((one.low == 0.5 && one.mean == 0.5 && one.high == 0.5));
}
