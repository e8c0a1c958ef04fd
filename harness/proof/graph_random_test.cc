// Exploration against enumeration by definition, and against the bounded search: random programs under every memory model.
#include <kvrace/kvrace.h>

#include "proof/graph_enumerator.h"
#include "proof/small_program_interpreter.h"
#include "test_support.h"

using namespace kvrace::testing;
using kvrace::memory_model;

namespace {

constexpr std::uint64_t graphs_max = 20'000;

struct tally {
  unsigned compared = 0;
  unsigned blocked = 0;
  unsigned races = 0;
  std::uint64_t graphs = 0;
  std::uint64_t enumerated = 0;
};

struct explored {
  kvrace::result found;
  std::set<observation> observations;
};
explored explore_graphs(const small_program& program, memory_model model) {
  explored made;
  made.found = kvrace::prove({.memory_model = model, .engine = kvrace::proof_engine::graphs, .count_distinct = true},
                             [&](kvrace::run& run) {
                               run.at_quiescence([] {});  // so that graphs are executed as interleavings, too
                               made.observations.insert(execute(program, run));
                             });
  const kvrace::search_counts& counts = made.found.counts;
  if (model == memory_model::sc) CHECK(counts.graphs_unjudged == 0);
  CHECK((made.found.verdict == kvrace::verdict::violation ||
         counts.graphs_judged + counts.graphs_unjudged == counts.executions_distinct));
  return made;
}

void compare(const small_program& program, memory_model model, tally& so_far) {
  const all_graphs all = enumerate(program, model, graphs_max);
  if (all.cut) return;
  ++so_far.compared;
  so_far.graphs += all.complete;
  so_far.enumerated += all.visited;
  INFO(to_string(program) << " under " << to_string(model));
  const explored seen = explore_graphs(program, model);
  INFO(seen.found);
  if (all.races || all.blocked != 0) {
    so_far.races += all.races ? 1 : 0;
    so_far.blocked += all.blocked != 0 ? 1 : 0;
    const std::string oracle = outcome(seen.found);
    // A task that only a waiting writer bars is no deadlock.
    REQUIRE(((oracle == "data_race" && all.races) || (oracle == "deadlock" && all.blocked != 0) ||
             (oracle == "PROVED" && !all.races && seen.found.counts.blocked == all.blocked)));
    if (oracle != "PROVED") return;
  }
  REQUIRE(seen.found.verdict == kvrace::verdict::proved);
  REQUIRE(seen.found.counts.graphs_duplicate == 0);
  REQUIRE(seen.found.counts.executions_distinct == all.complete);
  REQUIRE(seen.observations == all.observations);
}

tally compare_many(const vocabulary& words, std::uint64_t seeds) {
  tally so_far;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const small_program program = random_program(words, seed);
    for (const auto model : {memory_model::sc, memory_model::rc11, memory_model::rc11_genmc}) compare(program, model, so_far);
  }
  return so_far;
}

constexpr vocabulary atomics{.statements_max = 3};
constexpr vocabulary ordered{.statements_max = 4, .orders = true};
constexpr vocabulary mixed{.statements_max = 4, .orders = true, .choices = true};
constexpr vocabulary locked{.statements_max = 4, .orders = true, .locks = true, .shared_tries = false};
constexpr vocabulary only_locks{.atomics = false, .locks = true, .shared_tries = false};
constexpr vocabulary racy{.statements_max = 4, .orders = true, .plain = true};

// Under sc, graphs against the enumeration of interleavings: the same observations, and a deadlock or a race where there is one.
unsigned compare_with_interleavings(const vocabulary& words, std::uint64_t seeds, unsigned* deadlocks) {
  unsigned compared = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const small_program program = random_program(words, seed);
    const all_behaviours all = interpret(program, graphs_max);
    if (all.cut) continue;
    ++compared;
    INFO(to_string(program));
    const explored seen = explore_graphs(program, memory_model::sc);
    INFO(seen.found);
    CHECK(seen.found.counts.graphs_duplicate == 0);
    *deadlocks += all.deadlocks ? 1 : 0;
    const std::string oracle = outcome(seen.found);
    if (all.deadlocks || all.races) {
      REQUIRE(((oracle == "deadlock" && all.deadlocks) || (oracle == "data_race" && all.races)));
      continue;
    }
    REQUIRE(oracle == "PROVED");
    std::set<observation> expected;
    for (const auto& [observed, preemptions] : all.observations) expected.insert(observed);
    REQUIRE(seen.observations == expected);
  }
  return compared;
}

// The same against the engine that explores interleavings, for what the interpreter does not know.
unsigned compare_engines(const vocabulary& words, std::uint64_t seeds, unsigned* deadlocks) {
  unsigned compared = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const small_program program = random_program(words, seed);
    std::set<observation> expected;
    const kvrace::result interleavings =
        kvrace::prove({.states_max = 20'000}, [&](kvrace::run& run) { expected.insert(execute(program, run)); });
    if (interleavings.verdict == kvrace::verdict::incomplete) continue;
    ++compared;
    const explored seen = explore_graphs(program, memory_model::sc);
    INFO(to_string(program) << '\n' << interleavings << seen.found);
    *deadlocks += outcome(interleavings) == "deadlock" ? 1 : 0;
    REQUIRE(outcome(seen.found) == outcome(interleavings));
    CHECK(seen.found.counts.graphs_duplicate == 0);
    if (outcome(seen.found) == "PROVED") REQUIRE(seen.observations == expected);
  }
  return compared;
}

}  // namespace

TEST_CASE("the enumeration itself counts what is known") {
  const auto store = [](unsigned object, int value) {
    return statement{action::store, object, value, 0, std::memory_order_relaxed};
  };
  const auto load = [](unsigned object) { return statement{action::load, object, 0, 0, std::memory_order_relaxed}; };
  const small_program buffering{{{store(0, 1), load(1)}, {store(1, 1), load(0)}}};
  CHECK(enumerate(buffering, memory_model::sc, 10'000).complete == 3);
  CHECK(enumerate(buffering, memory_model::rc11, 10'000).complete == 4);
  const small_program writes{{{store(0, 1), store(1, 2)}, {store(1, 1), store(0, 2)}}};
  CHECK(enumerate(writes, memory_model::sc, 10'000).complete == 3);
  CHECK(enumerate(writes, memory_model::rc11, 10'000).complete == 4);
  const small_program loads{{{load(0), store(1, 1)}, {load(1), store(0, 1)}}};
  CHECK(enumerate(loads, memory_model::rc11, 10'000).complete == 3);  // no load buffering
  const std::vector<statement> section{{action::lock}, {action::add, 0, 1}, {action::unlock}};
  CHECK(enumerate({{section, section, section}}, memory_model::rc11, 10'000).complete == 6);
  const std::vector<statement> up{{action::lock}, {action::lock_exclusive}};
  const std::vector<statement> down{{action::lock_exclusive}, {action::lock}};
  CHECK(enumerate({{up, down}}, memory_model::sc, 10'000).blocked == 1);
  CHECK(enumerate({{up, down}}, memory_model::sc, 10'000).complete == 2);
}

TEST_CASE("exploration and enumeration agree on random programs under every memory model") {
  CHECK(compare_many(atomics, 60).compared > 150);
  CHECK(compare_many(ordered, 60).compared > 120);
  CHECK(compare_many(mixed, 60).compared > 120);
  CHECK(compare_many(locked, 60).compared > 120);
  CHECK(compare_many(only_locks, 200).blocked > 5);
  const tally races = compare_many(racy, 60);
  CHECK(races.races > 30);
}

TEST_CASE("graphs under sc show what interleavings show") {
  const vocabulary conditions{.statements_max = 4, .locks = true, .shared_tries = false, .condition = true};
  const vocabulary everything{
      .statements_max = 3, .locks = true, .shared_tries = false, .choices = true, .yields = true, .plain = true};
  unsigned deadlocks = 0;
  CHECK(compare_with_interleavings(conditions, 200, &deadlocks) > 100);
  CHECK(deadlocks > 10);
  CHECK(compare_with_interleavings(only_locks, 200, &deadlocks) > 100);
  CHECK(compare_with_interleavings(everything, 200, &deadlocks) > 100);
}

TEST_CASE("graphs and interleavings agree on semaphores, call_once and waiting for atomics") {
  unsigned deadlocks = 0;
  CHECK(compare_engines({.tasks_max = 3, .statements_max = 4, .atomics = false, .gates = true}, 300, &deadlocks) > 200);
  CHECK(compare_engines({.tasks_max = 3, .statements_max = 4, .gates = true}, 300, &deadlocks) > 200);
  CHECK(deadlocks > 50);
}

TEST_CASE("graphs and interleavings agree on flags under a mutex with a condition variable") {
  unsigned deadlocks = 0;
  CHECK(compare_engines({.statements_max = 3, .flag = true}, 400, &deadlocks) > 300);
  CHECK(deadlocks > 20);
}

TEST_CASE("exploration and enumeration agree on thousands of programs under every memory model", "[exhaustive]") {
  const vocabulary long_tasks{.tasks_max = 2, .statements_max = 6, .orders = true};
  const vocabulary everything{
      .statements_max = 5, .orders = true, .locks = true, .shared_tries = false, .choices = true, .plain = true};
  tally sum;
  for (const vocabulary& words : {atomics, ordered, mixed, locked, only_locks, racy, long_tasks, everything}) {
    const tally more = compare_many(words, 1'500);
    sum.compared += more.compared;
    sum.blocked += more.blocked;
    sum.races += more.races;
    sum.graphs += more.graphs;
    sum.enumerated += more.enumerated;
  }
  WARN(sum.compared << " programs and models compared, " << sum.blocked << " with blocked graphs, " << sum.races
                    << " with races, " << sum.graphs << " complete graphs, " << sum.enumerated << " enumerated");
  CHECK(sum.compared > 20'000);
}

TEST_CASE("graphs and interleavings agree on thousands of programs that wait for values", "[exhaustive]") {
  unsigned deadlocks = 0;
  unsigned compared = compare_engines({.statements_max = 5, .atomics = false, .gates = true}, 3'000, &deadlocks);
  compared += compare_engines({.statements_max = 5, .gates = true}, 3'000, &deadlocks);
  compared += compare_engines({.statements_max = 4, .locks = true, .shared_tries = false, .flag = true}, 3'000, &deadlocks);
  compared += compare_engines({.statements_max = 4, .locks = true, .shared_tries = false, .gates = true}, 2'000, &deadlocks);
  WARN(compared << " programs compared, " << deadlocks << " with a deadlock");
  CHECK(compared > 6'000);
  CHECK(deadlocks > 500);
}
