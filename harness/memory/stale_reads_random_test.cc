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
  unsigned whole = 0;             // programs of which every outcome was met
  std::uint64_t allowed = 0;      // outcomes
  std::uint64_t seen = 0;
  std::uint64_t sequential = 0;
};

void compare(const small_program& program, std::uint64_t seed, std::uint64_t runs, tally& so_far) {
  const all_graphs all = enumerate(program, memory_model::rc11, graphs_max);
  if (all.cut) return;
  const all_graphs sequential = enumerate(program, memory_model::sc, graphs_max);
  ++so_far.compared;
  INFO(to_string(program) << " seed " << seed);
  std::set<observation> seen;
  for (const auto& strategy : {kvrace::random_walk(), kvrace::pos()}) {
    const kvrace::result found = kvrace::check(
        {.strategy = strategy, .seed = seed, .runs = runs, .stop_at_violation = false, .memory_model = memory_model::rc11},
        [&](kvrace::run& run) { seen.insert(execute(program, run)); });
    INFO(found);
    for (const kvrace::finding& each : found.findings)
      REQUIRE(((each.oracle == "data_race" && all.races) || (each.oracle == "deadlock" && all.blocked != 0)));
  }
  for (const observation& each : seen) {
    INFO(each);
    REQUIRE(all.observations.count(each) == 1);
  }
  if (all.races) {
    ++so_far.races;
    return;
  }
  so_far.allowed += all.observations.size();
  so_far.sequential += sequential.observations.size();
  so_far.seen += seen.size();
  so_far.whole += seen.size() == all.observations.size() ? 1 : 0;
}

}  // namespace

TEST_CASE("stale reads: random programs observe nothing that RC11 forbids") {
  const auto compare_many = [](const vocabulary& words, std::uint64_t seeds, std::uint64_t runs) {
    tally so_far;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) compare(random_program(words, seed), seed, runs, so_far);
    WARN(so_far.compared << " programs, " << so_far.races << " with races, " << so_far.whole
                         << " seen whole; outcomes: " << so_far.sequential << " sequentially consistent, " << so_far.allowed
                         << " allowed, " << so_far.seen << " seen");
    return so_far;
  };
  (void)compare_many({.tasks_max = 3, .statements_max = 4, .orders = true}, 300, 300);
  (void)compare_many({.tasks_max = 4, .statements_max = 3, .orders = true}, 300, 300);
  (void)compare_many({.tasks_max = 3, .statements_max = 5, .orders = true}, 300, 300);
  (void)compare_many({.tasks_max = 3, .statements_max = 5, .orders = true, .plain = true}, 300, 300);
}
