#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>

#include <kvrace/cache/configuration.h>
#include <kvrace/cache/simulation.h>

namespace kvrace::cache {
namespace {

std::string wrong_field(const configuration& configuration) {
  const auto error = validate(configuration);
  if (error) CHECK_FALSE(error->expected.empty());
  return error ? error->field : "";
}

TEST_CASE("The default configuration is valid") { CHECK(wrong_field({}).empty()); }

TEST_CASE("A wrong configuration is told by its field") {
  CHECK(wrong_field({.locking = "spinlock", .flaws = {}}) == "locking");
  CHECK(wrong_field({.capacity_blocks = 0, .flaws = {}}) == "capacity_blocks");
  CHECK(wrong_field({.tokens_per_block = 0, .flaws = {}}) == "tokens_per_block");
  CHECK(wrong_field({.hash_bits = 0, .flaws = {}}) == "hash_bits");
  CHECK(wrong_field({.hash_bits = 65, .flaws = {}}) == "hash_bits");
  CHECK(wrong_field({.flaws = {"stale_index", "no_such_flaw"}}) == "flaws/1");
  CHECK(wrong_field({.locking = "epoch", .eviction_feed = 1, .flaws = {}}) == "eviction_feed");
}

TEST_CASE("Two flaws of one seam exclude each other, two of different seams do not") {
  CHECK(wrong_field({.flaws = {"metadata_second_section", "metadata_unlocked"}}) == "flaws/1");
  CHECK(wrong_field({.flaws = {"stale_index", "stale_index"}}) == "flaws/1");
  CHECK(wrong_field({.flaws = {"metadata_second_section", "hit_not_pinned", "stale_index", "untagged_fields"}}).empty());
}

TEST_CASE("Every flaw names an oracle that exists and locking strategies that exist") {
  std::set<std::string_view> oracle_names = {"data_race", "use_after_destroy", "deadlock",
                                             oracle_of_instrumentation};  // beside the cache's own
  for (const oracle_description& each : oracles()) oracle_names.insert(each.name);
  std::set<std::string_view> locking_names;
  for (const locking_description& each : locking_strategies()) locking_names.insert(each.name);
  std::set<std::string_view> names;
  for (const flaw_description& flaw : flaws()) {
    INFO(flaw.name);
    CHECK(names.insert(flaw.name).second);
    CHECK(oracle_names.count(flaw.oracle) == 1);
    CHECK_FALSE(flaw.locking.empty());
    for (const std::string_view locking : flaw.locking) CHECK(locking_names.count(locking) == 1);
  }
}

TEST_CASE("There is a metric name for every metric") { CHECK(metric_names().size() == static_cast<std::size_t>(metric::count)); }

}  // namespace
}  // namespace kvrace::cache
