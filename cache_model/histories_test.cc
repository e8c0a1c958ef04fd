// The specifications of the cache's calls, and the caches held against them.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include <kvrace/check.h>

#include "cache_model/histories.h"
#include "cache_model/test_support.h"

namespace kvrace::cache {
namespace {

using test::prompt_of;

// Two requests for different prompts on two blocks, and a lookup beside them.
program requests(configuration configuration) {
  return [configuration = std::move(configuration)](run& run) {
    const auto simulation =
        make_simulation(run, {.configuration = configuration,
                              .oracles_off = {"ghost_entry", "pollution", "stale_handle", "publication", "stale"},
                              .linearizability = true});
    run.spawn("a", [&] {
      simulation->serve(prompt_of("AA."));
      simulation->lookup(prompt_of("AA."));
    });
    run.spawn("b", [&] {
      simulation->serve(prompt_of("BB."));
      simulation->serve(prompt_of("CC."));
    });
    run.join_all();
  };
}
result sampled(const configuration& configuration) {
  return check({.runs = 2'000, .metrics = metric_names()}, requests(configuration));
}
std::string outcome(const result& found) {
  return found.findings.empty() ? to_string(found.verdict) : found.findings.front().oracle;
}

}  // namespace

TEST_CASE("content: what is found is a copy that is there, and nothing only if there is none") {
  content_spec spec;
  CHECK(spec.apply(content_spec::find{}).size() == 1);
  CHECK_FALSE(spec.apply(content_spec::find{}).front().returned);
  spec.apply(content_spec::publish{{}, {1, 1}});
  spec.apply(content_spec::publish{{}, {0, 3}});
  CHECK(spec.apply(content_spec::find{}).size() == 2);
  spec.apply(content_spec::drop{{}, {1, 1}});
  CHECK(spec.apply(content_spec::find{}).front().returned == block_copy{0, 3});
}

TEST_CASE("order: taken is what was given back first, after what is not indexed") {
  order_spec spec{.order = {0, 1, 2}, .references = {0, 0, 0}};
  CHECK(spec.apply(order_spec::take{}) == 0);
  CHECK(spec.apply(order_spec::take{}) == 1);
  spec.apply(order_spec::unpin{1, true});
  spec.apply(order_spec::unpin{0, false});
  CHECK(spec.order == std::vector<std::uint32_t>{0, 2, 1});
  spec.apply(order_spec::pin{2});
  spec.apply(order_spec::forget{1});
  CHECK(spec.order == std::vector<std::uint32_t>{1, 0});
}

TEST_CASE("every locking strategy is linearizable") {
  for (const locking_description& each : locking_strategies()) {
    const result found = sampled({.locking = std::string(each.name), .capacity_blocks = 2, .tokens_per_block = 2, .flaws = {}});
    INFO(each.name << ": " << found);
    CHECK(found.verdict == verdict::not_found);
  }
}

TEST_CASE("an entry that outlives its eviction is not linearizable") {
  for (const char* locking : {"mutex", "rwlock"}) {
    const result found = sampled({.locking = locking, .capacity_blocks = 2, .tokens_per_block = 2, .flaws = {"stale_index"}});
    INFO(locking << ": " << found);
    REQUIRE(outcome(found) == "linearizability");
    CHECK(found.findings.front().subject == "key m, AA");
  }
}

TEST_CASE("a block that is evicted out of order is not exact LRU") {
  const result found =
      sampled({.locking = "mutex", .capacity_blocks = 2, .tokens_per_block = 2, .flaws = {"metadata_second_section"}});
  INFO(found);
  REQUIRE(outcome(found) == "linearizability");
  CHECK(found.findings.front().subject.empty());
}

}  // namespace kvrace::cache
