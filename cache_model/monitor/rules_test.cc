#include <catch2/catch.hpp>

#include "cache_model/monitor/rules.h"

namespace kvrace::monitor {
namespace {

rules all_rules() {
  rules by;
  by.queries_min = 100;
  by.hit_ratio_floor_ppm = 900'000;
  by.hit_rate_floor_ppm = 500'000;
  by.similarity_floor_ppm = 950'000;
  by.trigger_ceiling_ppm = 50'000;
  return by;
}

counters healthy() {
  return {.queries = 100,
          .tokens_queried = 1'000,
          .tokens_hit = 800,
          .queries_triggering = 5,
          .similarity_sum = 100 * similarity_one,
          .similarity_count = 100};
}

judgement of(const judged_window& judged, rule which) { return *judged.by_rule[static_cast<std::size_t>(which)]; }

TEST_CASE("two healthy populations are good") {
  const judged_window judged = judge(all_rules(), healthy(), healthy());
  CHECK(judged.overall == judgement::good);
  for (const auto& each : judged.by_rule) CHECK(each == judgement::good);
}

TEST_CASE("each rule fails just beyond its limit, and not at it") {
  counters candidate = healthy();
  SECTION("hit ratio: nine tenths of 0.8") {
    candidate.tokens_hit = 720;
    CHECK(judge(all_rules(), candidate, healthy()).overall == judgement::good);
    candidate.tokens_hit = 719;
    CHECK(of(judge(all_rules(), candidate, healthy()), rule::hit_ratio) == judgement::bad);
  }
  SECTION("hit rate") {
    candidate.tokens_hit = 500;
    CHECK(of(judge(all_rules(), candidate, healthy()), rule::hit_rate) == judgement::good);
    candidate.tokens_hit = 499;
    CHECK(of(judge(all_rules(), candidate, healthy()), rule::hit_rate) == judgement::bad);
  }
  SECTION("similarity") {
    candidate.similarity_sum = 95 * similarity_one;
    CHECK(judge(all_rules(), candidate, healthy()).overall == judgement::good);
    --candidate.similarity_sum;
    CHECK(judge(all_rules(), candidate, healthy()).overall == judgement::bad);
  }
  SECTION("trigger frequency: above, not at") {
    CHECK(judge(all_rules(), candidate, healthy()).overall == judgement::good);
    candidate.queries_triggering = 6;
    CHECK(judge(all_rules(), candidate, healthy()).overall == judgement::bad);
  }
}

TEST_CASE("one query fewer than enough, of either population, is no data for any rule") {
  counters bad = healthy();
  bad.similarity_sum = 0;
  CHECK(judge(all_rules(), bad, healthy()).overall == judgement::bad);
  counters few = bad;
  few.queries = 99;
  const judged_window judged = judge(all_rules(), few, healthy());
  CHECK(judged.overall == judgement::no_data);
  for (const auto& each : judged.by_rule) CHECK(each == judgement::no_data);
  counters few_compared = healthy();
  few_compared.queries = 99;
  CHECK(judge(all_rules(), bad, few_compared).overall == judgement::no_data);
}

TEST_CASE("both populations bad is not the candidate's fault") {
  counters bad = healthy();
  SECTION("similarity") { bad.similarity_sum = 0; }
  SECTION("triggers") { bad.queries_triggering = 100; }
  SECTION("hit rate") { bad.tokens_hit = 0; }
  CHECK(judge(all_rules(), bad, bad).overall == judgement::both_bad);
}

TEST_CASE("the baseline alone bad is good for the candidate") {
  counters bad = healthy();
  bad.similarity_sum = 0;
  CHECK(judge(all_rules(), healthy(), bad).overall == judgement::good);
}

TEST_CASE("both bad by one rule, and the candidate alone by another, is bad") {
  counters both = healthy();
  both.queries_triggering = 100;
  counters candidate = both;
  candidate.similarity_sum = 0;
  CHECK(judge(all_rules(), candidate, both).overall == judgement::bad);
}

TEST_CASE("a rule that has no data keeps the candidate from being good, and not from being bad") {
  counters candidate = healthy();
  candidate.similarity_sum = candidate.similarity_count = 0;
  CHECK(judge(all_rules(), candidate, healthy()).overall == judgement::no_data);
  candidate.tokens_hit = 0;
  CHECK(judge(all_rules(), candidate, healthy()).overall == judgement::bad);
}

TEST_CASE("no token queried is no data, and not a rate of zero") {
  counters candidate = healthy();
  candidate.tokens_queried = candidate.tokens_hit = 0;
  CHECK(of(judge(all_rules(), candidate, healthy()), rule::hit_ratio) == judgement::no_data);
  CHECK(of(judge(all_rules(), healthy(), candidate), rule::hit_ratio) == judgement::no_data);
}

TEST_CASE("a baseline without hits makes no candidate bad by comparison") {
  rules by = all_rules();
  by.hit_rate_floor_ppm = std::nullopt;
  counters none = healthy();
  none.tokens_hit = 0;
  CHECK(judge(by, none, none).overall == judgement::good);
}

TEST_CASE("a rule that is not set is not judged") {
  rules by = all_rules();
  by.similarity_floor_ppm = std::nullopt;
  counters candidate = healthy();
  candidate.similarity_sum = candidate.similarity_count = 0;
  const judged_window judged = judge(by, candidate, healthy());
  CHECK(judged.overall == judgement::good);
  CHECK_FALSE(judged.by_rule[static_cast<std::size_t>(rule::similarity)]);
}

TEST_CASE("with the baseline gone its last window is compared with, and excuses nothing") {
  counters bad = healthy();
  bad.similarity_sum = 0;
  CHECK(judge(all_rules(), bad, bad, true).overall == judgement::bad);
  CHECK(judge(all_rules(), healthy(), healthy(), true).overall == judgement::good);
  // There was none.
  CHECK(of(judge(all_rules(), healthy(), {}, true), rule::hit_ratio) == judgement::no_data);
  CHECK(of(judge(all_rules(), bad, {}, true), rule::similarity) == judgement::bad);
}

TEST_CASE("pollution is for the report: no rule looks at it") {
  counters candidate = healthy();
  candidate.polluted = 100;
  CHECK(judge(all_rules(), candidate, healthy()).overall == judgement::good);
}

}  // namespace
}  // namespace kvrace::monitor
