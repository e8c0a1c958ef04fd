// Stale reads: whatever a sampled run of a random program observes, the definition of RC11 allows.
#include <kvrace/kvrace.h>

#include "proof/graph_enumerator.h"
#include "test_support.h"

using namespace kvrace::testing;
using kvrace::memory_model;

namespace {

constexpr std::uint64_t graphs_max = 20'000;

struct tally {
  unsigned compared = 0;
  unsigned races = 0;
  std::uint64_t seen = 0;  // outcomes of programs without races
  std::uint64_t weak = 0;  // of these, not sequentially consistent
};

void compare(const small_program& program, std::uint64_t seed, tally& so_far) {
  const all_graphs allowed = enumerate(program, memory_model::rc11, graphs_max);
  if (allowed.cut) return;
  ++so_far.compared;
  so_far.races += allowed.races ? 1 : 0;
  INFO(to_string(program) << " seed " << seed);
  std::set<observation> seen;
  for (const auto& strategy : {kvrace::random_walk(), kvrace::pos()}) {
    const kvrace::result found = kvrace::check(
        {.strategy = strategy, .seed = seed, .runs = 300, .stop_at_violation = false, .memory_model = memory_model::rc11},
        [&](kvrace::run& run) { seen.insert(execute(program, run)); });
    INFO(found);
    for (const kvrace::finding& each : found.findings)
      REQUIRE(((each.oracle == "data_race" && allowed.races) || (each.oracle == "deadlock" && allowed.blocked != 0)));
  }
  for (const observation& each : seen) {
    INFO(each);
    REQUIRE(allowed.observations.count(each) == 1);
  }
  if (allowed.races) return;
  const all_graphs sequential = enumerate(program, memory_model::sc, graphs_max);
  so_far.seen += seen.size();
  for (const observation& each : seen) so_far.weak += sequential.observations.count(each) == 0 ? 1 : 0;
}

tally compare_many(const vocabulary& words, std::uint64_t seeds) {
  tally so_far;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) compare(random_program(words, seed), seed, so_far);
  INFO(so_far.compared << " programs, " << so_far.races << " with races; outcomes " << so_far.seen << ", weak " << so_far.weak);
  CHECK(so_far.compared > seeds * 9 / 10);
  return so_far;
}

constexpr vocabulary two_long{.tasks_max = 2, .statements_max = 6, .orders = true};
constexpr vocabulary three{.tasks_max = 3, .statements_max = 4, .orders = true};
constexpr vocabulary four{.tasks_max = 4, .statements_max = 3, .orders = true};
constexpr vocabulary with_plain{.tasks_max = 3, .statements_max = 5, .orders = true, .plain = true};
constexpr vocabulary with_locks{.tasks_max = 3, .statements_max = 4, .orders = true, .locks = true, .shared_tries = false};

}  // namespace

TEST_CASE("stale reads: random programs observe nothing that RC11 forbids") {
  for (const vocabulary& words : {two_long, three, four}) CHECK(compare_many(words, 60).weak > 6);
  CHECK(compare_many(with_plain, 60).races > 10);
  CHECK(compare_many(with_locks, 60).weak > 0);
}

TEST_CASE("stale reads: many random programs observe nothing that RC11 forbids", "[exhaustive]") {
  for (const vocabulary& words : {two_long, three, four, with_plain}) CHECK(compare_many(words, 500).weak > 10);
  CHECK(compare_many(with_locks, 500).weak > 0);
}
