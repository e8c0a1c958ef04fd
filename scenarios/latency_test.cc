#include "scenarios/latency.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "scenarios/random.h"

using namespace kvrace::scenarios;

TEST_CASE("a quantile is too high by less than a 128th, and never above the maximum") {
  random_engine random(1);
  for (const unsigned width : {3u, 8u, 9u, 20u, 34u, 50u}) {
    latency_histogram histogram;
    std::vector<std::int64_t> all;
    for (int i = 0; i < 2'000; ++i) {
      all.push_back(static_cast<std::int64_t>(random.next() >> (64 - width)));
      histogram.record(all.back());
    }
    std::sort(all.begin(), all.end());
    const latency_cells cells = histogram.take();
    CHECK(cells.count() == 2'000);
    CHECK(cells.max_ns == all.back());
    for (const unsigned per_mille : {1u, 500u, 900u, 990u, 1'000u}) {
      const std::int64_t exact = all[2 * per_mille - 1];
      const std::int64_t given = cells.quantile_ns(per_mille);
      CHECK(given >= exact);
      CHECK(static_cast<double>(given) < static_cast<double>(exact) * (1 + 1.0 / 128) + 1);
      CHECK(given <= cells.max_ns);
    }
  }
}

TEST_CASE("small latencies are exact, and none give 0") {
  latency_histogram histogram;
  CHECK(histogram.take().quantile_ns(500) == 0);
  for (std::int64_t latency = 0; latency < 256; ++latency) histogram.record(latency);
  const latency_cells cells = histogram.take();
  CHECK(cells.quantile_ns(500) == 127);
  CHECK(cells.quantile_ns(1'000) == 255);
  CHECK(histogram.take().count() == 0);
}

TEST_CASE("histograms taken apart add up to one") {
  latency_histogram whole;
  latency_histogram part;
  latency_cells sum;
  random_engine random(2);
  for (int i = 0; i < 1'000; ++i) {
    const auto latency = static_cast<std::int64_t>(random.below(1'000'000));
    whole.record(latency);
    part.record(latency);
    if (i % 100 == 99) sum.add(part.take());
  }
  const latency_cells at_once = whole.take();
  CHECK(sum.counts == at_once.counts);
  CHECK(sum.max_ns == at_once.max_ns);
}
