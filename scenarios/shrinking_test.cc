#include "scenarios/shrinking.h"

#include <variant>

#include <catch2/catch.hpp>

#include "scenarios/embedded.h"
#include "scenarios/loader.h"
#include "scenarios/program.h"

using namespace kvrace;
using namespace kvrace::scenarios;

namespace {

scenario built_in(const std::string& name) {
  std::variant<scenario, input_error> found = find_scenario(name);
  REQUIRE(std::holds_alternative<scenario>(found));
  return std::get<scenario>(std::move(found));
}

struct before_and_after {
  scenario whole;
  kvrace::finding from;
  shrunk_scenario small;
};

before_and_after shrink_first(scenario whole) {
  const kvrace::result found = search_for_violations(whole, nullptr);
  REQUIRE(found.verdict == verdict::violation);
  const kvrace::finding& from = found.findings.front();
  shrunk_scenario small = shrink(whole, from, {.runs = 200'000});
  return {std::move(whole), from, std::move(small)};
}

}  // namespace

TEST_CASE("every built-in finding shrinks to at most two tasks and two preemptions, and replays") {
  std::size_t shrunk_ones = 0;
  for (const embedded_file& file : embedded_scenarios()) {
    const scenario whole = built_in(std::string(file.name));
    if (!whole.expect.violation || whole.traffic || whole.search.strategy == search::kind::graphs) continue;
    const before_and_after done = shrink_first(whole);
    INFO(file.name << ": " << done.small.schedule.minimal.schedule.to_string());
    const bool explored = whole.search.memory_model == memory_model::sc;  // stale reads are sampled only
    const bool deepest = whole.cache.configuration.flaws == std::vector<std::string>{"token_revived"};  // three tasks meet in it
    const bool stuck = whole.cache.configuration.flaws == std::vector<std::string>{"orphan_node"} &&
                       whole.expect.violation == "liveness";  // a ghost entry first, which then blocks an eviction
    CHECK((done.small.schedule.preemptions <= (deepest ? 4U : stuck ? 3U : 2U) || !explored));
    CHECK(done.small.schedule.preemptions <= preemptions_of(done.from));
    CHECK((done.small.schedule.certified || !explored));
    CHECK(size_of(done.small.reduced).tasks <= (deepest ? 3 : 2));
    CHECK(done.small.schedule.minimal.signature() == done.from.signature());

    // As few preemptions as searches of their own, bound by bound, know.
    if (explored && !whole.needs_time()) {
      unsigned least = 0;
      while (search_for(done.from.signature(),
                        {.preemptions_max = least, .limits = limits_of(done.small.reduced), .metrics = cache::metric_names()},
                        make_program(done.small.reduced))
                 .verdict == verdict::exhausted)
        ++least;
      CHECK(done.small.schedule.preemptions == least);
    }

    // The small scenario is a scenario file like any other.
    std::variant<scenario, input_error> again = parse_scenario(done.small.reduced.source.text, "small.json");
    REQUIRE(std::holds_alternative<scenario>(again));
    const kvrace::result replayed = follow(std::get<scenario>(again), done.small.schedule.minimal.schedule);
    REQUIRE(replayed.verdict == verdict::violation);
    CHECK(replayed.findings.front().trace_digest == done.small.schedule.minimal.trace_digest);
    ++shrunk_ones;
  }
  CHECK(shrunk_ones >= 14);
}

TEST_CASE("every built-in finding of traffic shrinks to at most two tasks and two preemptions of a scenario without time") {
  std::size_t shrunk_ones = 0;
  for (const embedded_file& file : embedded_scenarios()) {
    const scenario whole = built_in(std::string(file.name));
    if (!whole.expect.violation || !whole.traffic) continue;
    const before_and_after done = shrink_first(whole);
    INFO(file.name << ": " << done.small.schedule.minimal.schedule.to_string());
    CHECK_FALSE(done.small.reduced.traffic);
    CHECK(size_of(done.small.reduced).tasks <= 2);
    CHECK(done.small.schedule.preemptions <= 2);
    CHECK(done.small.schedule.certified);
    CHECK(done.small.operations_certified);
    CHECK(done.small.schedule.minimal.signature() == done.from.signature());
    CHECK(done.small.schedule.passing.has_value() == !done.small.schedule.minimal.schedule.deviations.empty());
    const kvrace::result replayed = follow(done.small.reduced, done.small.schedule.minimal.schedule);
    REQUIRE(replayed.verdict == verdict::violation);
    CHECK(replayed.findings.front().trace_digest == done.small.schedule.minimal.trace_digest);
    ++shrunk_ones;
  }
  CHECK(shrunk_ones >= 5);
}

TEST_CASE("the incident shrinks to one operation a task") {
  const before_and_after done = shrink_first(built_in("03_ghost_entry_rwlock"));
  CHECK(size_of(done.small.reduced).tasks == 2);
  CHECK(size_of(done.small.reduced).operations == 2);
  CHECK(done.small.schedule.preemptions == 1);
  CHECK(done.small.operations_certified);
  REQUIRE(done.small.schedule.passing);
  CHECK(follow(done.small.reduced, *done.small.schedule.passing).verdict == verdict::not_found);
}

TEST_CASE("what is left of the incident has plain prompts, no longer than it needs, and the smallest cache that fails") {
  const before_and_after done = shrink_first(built_in("03_ghost_entry_rwlock"));
  std::vector<std::string> tokens;
  for (const task& each : done.small.reduced.tasks)
    for (const auto& call : each.operations) tokens.emplace_back(call.prompt.tokens.begin(), call.prompt.tokens.end());
  CHECK(tokens == std::vector<std::string>{"AA", "BB"});
  CHECK(done.small.reduced.cache.configuration.capacity_blocks == 1);
}

TEST_CASE("an interrupt ends shrinking with the smallest so far, which replays") {
  struct impatient : kvrace::search_observer {
    bool on_progress(const kvrace::search_progress&) override { return false; }
  } observer;
  const scenario incident = built_in("03_ghost_entry_rwlock");
  const kvrace::result found = search_for_violations(incident, nullptr);
  REQUIRE(found.verdict == verdict::violation);
  const shrunk_scenario small = shrink(incident, found.findings.front(), {.runs = 20'000, .observer = &observer});
  CHECK(small.schedule.interrupted);
  CHECK_FALSE(small.schedule.certified);
  CHECK(follow(small.reduced, small.schedule.minimal.schedule).verdict == verdict::violation);
}

TEST_CASE("generated tasks shrink too") {
  scenario generated = built_in("generated_rates");
  generated.search.stop_at_violation = true;
  const scenario_size before = size_of(generated);
  const before_and_after done = shrink_first(std::move(generated));
  CHECK(size_of(done.small.reduced).operations < before.operations);
}

TEST_CASE("a task whose only operation is not needed goes, once others have") {
  std::variant<scenario, input_error> parsed = parse_scenario(R"({
    "name": "t",
    "cache": { "locking": "epoch", "capacity_blocks": 3, "tokens_per_block": 2, "flaws": ["relaxed_decrement"] },
    "tasks": [
      { "name": "t0", "operations": [ { "serve": { "model": "m", "tokens": "BAAA" } },
                                      { "serve": { "model": "m", "tokens": "AABA" } }, { "invalidate": {} } ] },
      { "name": "t1", "operations": [ { "serve": { "model": "m", "tokens": "BBB", "cancel": "after_reserve" } },
                                      { "invalidate": {} }, { "invalidate": {} } ] },
      { "name": "t2", "operations": [ { "serve": { "model": "m", "tokens": "BAAB" } },
                                      { "serve": { "model": "m", "tokens": "AABBA" } }, { "serve": { "model": "m", "tokens": "AAB" } } ] },
      { "name": "t3", "operations": [ { "invalidate": {} }, { "serve": { "model": "m", "tokens": "BBB" } },
                                      { "serve": { "model": "m", "tokens": "ABABB", "cancel": "after_reserve" } },
                                      { "serve": { "model": "m", "tokens": "AB" } } ] }
    ],
    "search": { "strategy": "portfolio", "runs": 3000, "seed": 13 },
    "expect": { "violation": "data_race" }
  })",
                                                              "t.json");
  REQUIRE(std::holds_alternative<scenario>(parsed));
  const before_and_after done = shrink_first(std::get<scenario>(std::move(parsed)));
  CHECK(size_of(done.small.reduced).tasks == 2);
  CHECK(size_of(done.small.reduced).operations == 2);
  CHECK(done.small.operations_certified);
}

TEST_CASE("a spent budget certifies nothing about operations") {
  const scenario incident = built_in("03_ghost_entry_rwlock");
  const kvrace::result found = search_for_violations(incident, nullptr);
  REQUIRE(found.verdict == verdict::violation);
  const shrunk_scenario small = shrink(incident, found.findings.front(), {.runs = 1});
  CHECK_FALSE(small.operations_certified);
  CHECK(follow(small.reduced, small.schedule.minimal.schedule).verdict == verdict::violation);
}
