#include <catch2/catch.hpp>

#include "cache_model/monitor/counters.h"

namespace kvrace::monitor {
namespace {

TEST_CASE("a hit rate is that of all tokens, not the mean of the requests' rates") {
  counters sum;
  sum += {.queries = 1, .tokens_queried = 900, .tokens_hit = 0};
  sum += {.queries = 1, .tokens_queried = 100, .tokens_hit = 100};
  CHECK(sum.hit_rate() == ratio{100, 1'000});
}

TEST_CASE("nothing out of nothing is no data") {
  const counters none;
  CHECK_FALSE(none.hit_rate().has_data());
  CHECK_FALSE(none.similarity().has_data());
  CHECK_FALSE(none.trigger_frequency().has_data());
  CHECK(ratio{0, 1}.has_data());
}

TEST_CASE("a window is the difference of two readings") {
  const counters earlier{.queries = 10, .tokens_queried = 100, .tokens_hit = 50, .polluted = 1};
  const counters later{.queries = 15, .tokens_queried = 180, .tokens_hit = 120, .polluted = 1};
  CHECK(between(earlier, later) == counters{.queries = 5, .tokens_queried = 80, .tokens_hit = 70});
}

TEST_CASE("a counter that went down began anew from zero") {
  const counters earlier{.queries = 10, .tokens_queried = 100, .tokens_hit = 50};
  const counters later{.queries = 12, .tokens_queried = 30, .tokens_hit = 20};
  CHECK(between(earlier, later) == later);
}

TEST_CASE("limits are compared exactly") {
  CHECK(below(ratio{949'999, 1'000'000}, 950'000));
  CHECK_FALSE(below(ratio{950'000, 1'000'000}, 950'000));
  CHECK_FALSE(above(ratio{50, 1'000}, 50'000));
  CHECK(above(ratio{51, 1'000}, 50'000));
  // Two thirds of 9/10, rounded down, are less than 6/10.
  CHECK_FALSE(below(ratio{600'000'000'000, 1'000'000'000'000}, 666'666, ratio{9, 10}));
  CHECK(below(ratio{81, 100}, 900'001, ratio{9, 10}));
  CHECK_FALSE(below(ratio{81, 100}, 900'000, ratio{9, 10}));
}

TEST_CASE("the products of comparing large counts do not overflow") {
  const std::uint64_t large = (std::uint64_t{1} << 50) - 1;
  CHECK(below(ratio{large / 2, large}, 900'000, ratio{large, large}));
  CHECK_FALSE(below(ratio{large, large}, 1'000'000, ratio{large, large}));
}

}  // namespace
}  // namespace kvrace::monitor
