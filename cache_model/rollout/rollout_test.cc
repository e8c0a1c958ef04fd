// Requests that are routed among caches: where they go, what a rollback leaves, and what counts.
#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

#include <kvrace/cache/rollout.h>
#include <kvrace/check.h>
#include <kvrace/run.h>

#include "cache_model/test_programs.h"

namespace kvrace::cache {
namespace {

using namespace test;

rollout_options three_caches(const std::string& locking, traffic_split split) {
  const simulation_options each{.configuration = configuration_of(locking, {}, 4), .oracles_off = {}};
  return {.stable = each, .candidate = each, .baseline = true, .split = split};
}

// One run of one task.
void once(const rollout_options& options, const std::function<void(rollout&)>& calls) {
  const result found = check({.runs = 1, .metrics = metric_names()}, [&](run& run) {
    const auto routed = make_rollout(run, options);
    run.spawn("client", [&calls, caches = routed.get()] { calls(*caches); });
    run.join_all();
    routed->finish();
  });
  INFO(found);
  CHECK(found.findings.empty());
}

TEST_CASE("A request goes where it falls: the candidate's share comes first, then the baseline's") {
  once(three_caches("mutex", {.candidate = 50, .baseline = 30}), [](rollout& caches) {
    const auto population_of = [&](std::uint32_t draw) {
      caches.falls_to(draw);
      caches.serve(prompt_of("A."));
      return caches.served_by();
    };
    CHECK(population_of(0) == population::candidate);
    CHECK(population_of(49) == population::candidate);
    CHECK(population_of(50) == population::baseline);
    CHECK(population_of(79) == population::baseline);
    CHECK(population_of(80) == population::stable);
    CHECK(population_of(traffic_split::whole - 1) == population::stable);
  });
}

TEST_CASE("Each population has a cache of its own, and a rollback empties those of candidate and baseline") {
  for (const std::string locking : {"mutex", "rwlock", "epoch"}) {
    once(three_caches(locking, {.candidate = 1, .baseline = 1}), [](rollout& caches) {
      const auto found_by = [&](std::uint32_t draw) {
        caches.falls_to(draw);
        return caches.serve(prompt_of("A."));
      };
      for (const std::uint32_t draw : {0U, 1U, 2U}) {
        CHECK(found_by(draw) == 0);
        CHECK(found_by(draw) == 1);
      }
      caches.roll_back();
      CHECK(found_by(0) == 1);
      CHECK(caches.served_by() == population::stable);
      caches.route({.candidate = 1, .baseline = 1});
      CHECK(found_by(0) == 0);
      CHECK(caches.served_by() == population::candidate);
      CHECK(found_by(1) == 0);
      CHECK(found_by(2) == 1);
    });
  }
}

TEST_CASE("A request that a rollback overtakes is served once, by the stable cache, and counts once") {
  for (const std::string locking : {"mutex", "rwlock", "epoch"}) {
    bool overtaken = false;
    const result found = check({.runs = 200, .metrics = metric_names()}, [&](run& run) {
      const simulation_options each{.configuration = configuration_of(locking, {}, 4), .oracles_off = {}};
      const auto routed = make_rollout(run, {.stable = each, .candidate = each, .split = all_to_candidate});
      run.spawn("client", [&, caches = routed.get()] {
        caches->serve(prompt_of("A."));
        overtaken = overtaken || caches->served_by() == population::stable;
      });
      run.spawn("controller", [caches = routed.get()] { caches->roll_back(); });
      run.join_all();
      routed->finish();
    });
    INFO(locking << ": " << found);
    CHECK(found.findings.empty());
    CHECK(overtaken);
    CHECK(metrics_of(found)["requests_completed"] == 200);
    CHECK(metrics_of(found)["tokens_queried"] == 400);
  }
}

TEST_CASE("Of a request that read another's rows there is what it should have read beside what it has read") {
  rollout_options options = three_caches("mutex", all_to_candidate);
  options.candidate.configuration.flaws = {"namespace_omitted"};
  options.candidate.keeps_text = true;
  for (const oracle_description& each : oracles()) options.candidate.oracles_off.emplace_back(each.name);
  once(options, [](rollout& caches) {
    caches.serve(prompt_of("AB.", model("m1")));
    CHECK(caches.text().read.empty());
    caches.serve(prompt_of("AB.", model("m2")));
    CHECK(caches.outcome().polluted);
    const text_read text = caches.text();
    REQUIRE(text.meant.size() == 3);
    REQUIRE(text.read.size() == 3);
    CHECK(text.meant[0] != text.read[0]);
    CHECK(text.meant[1] != text.read[1]);
    CHECK(text.meant[2] == text.read[2]);  // computed by itself
  });
}

}  // namespace
}  // namespace kvrace::cache
