// The cache under control: proofs of small programs, random workloads, what is counted, and what a finding carries.
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cache_model/test_programs.h"

namespace kvrace::cache {
namespace {

using namespace std::chrono_literals;
using namespace test;

TEST_CASE("Two tasks of up to three operations over two blocks are proved", "[exhaustive]") {
  const std::vector<std::vector<calls>> programs = {
      {{serve("A."), serve("B."), lookup("A")}, {serve("C."), lookup("A"), serve("A.")}},
      {{serve("A."), serve("B."), serve("A.")}, {serve("C."), serve("A."), serve("B.")}},
      {{serve("AB."), lookup("AB")}, {serve("AD."), lookup("A"), serve("C.")}},
      {{serve("A."), invalidate(), lookup("A")}, {serve("A."), lookup("A"), serve("A.")}},
      {{serve("AB.", cancel_point::after_reserve), serve("A."), lookup("A")},
       {serve("A.", cancel_point::after_fill), serve("A.", cancel_point::after_lookup), lookup("AB")}},
  };
  for (const locking_description& locking : locking_strategies()) {
    if (locking.name == "epoch") continue;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const result result =
          prove({.metrics = metric_names()}, program_under_test{configuration_of(std::string(locking.name)), programs[i], {}});
      INFO(locking.name << ", program " << i << ": " << result);
      CHECK(result.verdict == verdict::proved);
    }
  }
}

TEST_CASE("Two tasks over one or two blocks are proved without locks", "[exhaustive]") {
  const std::vector<std::pair<std::uint32_t, std::vector<calls>>> programs = {
      {2, {{serve("A."), lookup("A")}, {serve("B."), lookup("A")}}},
      {2, {{serve("A."), lookup("A")}, {invalidate(), lookup("A")}}},
      {1, {{serve("A."), lookup("A")}, {serve("B.")}}},
      {1, {{serve("A.")}, {serve("B."), serve("A.")}}},
      {1, {{serve("A."), serve("AB.", cancel_point::after_reserve)}, {serve("B.")}}},
  };
  for (const auto& [capacity, tasks] : programs) {
    const result result =
        prove({.metrics = metric_names()}, program_under_test{configuration_of("epoch", {}, capacity), tasks, {}});
    INFO(result);
    CHECK(result.verdict == verdict::proved);
  }
}

TEST_CASE("A block that is held through an invalidation is evicted by nobody") {
  const program_under_test program{
      configuration_of("epoch", {}, 1), {{serve("A"), lookup("A")}, {invalidate()}, {serve("B")}}, {}};
  const result sampled = sample(program, 1, 20'000);
  INFO(sampled);
  CHECK(sampled.verdict == verdict::not_found);
  const result exhausted = prove({.preemptions_max = 2, .metrics = metric_names()}, program);
  INFO(exhausted);
  CHECK(exhausted.verdict == verdict::exhausted);
}

TEST_CASE("Random workloads of the repaired cache violate nothing") {
  for (const locking_description& locking : locking_strategies()) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const result result = sample(random_program(std::string(locking.name), seed), seed, 300);
      INFO(locking.name << ", seed " << seed << ": " << result);
      REQUIRE(result.verdict == verdict::not_found);
    }
  }
}

TEST_CASE("Lookup counts full blocks, serving recomputes at least the last token") {
  for (const locking_description& locking : locking_strategies()) {
    const result result = sample(
        {.configuration = configuration_of(std::string(locking.name), {}, 4, 2), .tasks = {{[](simulation& s) {
                                                                                   CHECK(s.serve(prompt_of("AABBC")) == 0);
                                                                                   CHECK(s.lookup(prompt_of("AABBC")) == 4);
                                                                                   CHECK(s.lookup(prompt_of("AABB")) == 4);
                                                                                   CHECK(s.serve(prompt_of("AABB")) == 2);
                                                                                   CHECK(s.serve(prompt_of("AABBC")) == 4);
                                                                                   CHECK(s.lookup(prompt_of("")) == 0);
                                                                                   CHECK(s.serve(prompt_of("")) == 0);
                                                                                 }}}},
        1, 1, false);
    CHECK(result.passed());
    const auto metrics = metrics_of(result);
    CHECK(metrics.at("requests_completed") == 7);
    CHECK(metrics.at("tokens_queried") == 5 + 5 + 4 + 4 + 5);
    CHECK(metrics.at("tokens_hit") == 4 + 4 + 2 + 4);
    CHECK(metrics.at("blocks_audited") == 4);
    CHECK(metrics.at("blocks_ghost") == 0);
  }
}

TEST_CASE("A promise is retrieved once, and one that never is leaves its blocks referenced") {
  for (const locking_description& locking : locking_strategies()) {
    const auto sampled = [&](calls task) {
      return sample({.configuration = configuration_of(std::string(locking.name)), .tasks = {std::move(task)}}, 1, 1);
    };
    const result kept = sampled({[](simulation& s) {
      CHECK(s.retrieve() == 0);
      s.serve(prompt_of("AB."));
      CHECK(s.promise(prompt_of("AB")) == 2);
      CHECK(s.retrieve() == 2);
      CHECK(s.retrieve() == 0);
      CHECK(s.promise(prompt_of("X")) == 0);
      CHECK(s.retrieve() == 0);
    }});
    INFO(kept);
    CHECK(kept.passed());
    CHECK(oracle_of(sampled({serve("A."), promise("A")})) == "reference_balance");
  }
}

TEST_CASE("A reference that another request gives back is a broken promise") {
  program_under_test program{configuration_of("mutex", {"foreign_unpin"}, 1),
                             {{serve("A."), promise("A"), retrieve()}, {lookup("A"), serve("B.")}}};
  program.limits.data_races = false;  // two own the block then, and race for it
  for (const oracle_description& each : oracles())
    if (each.name != "promise") program.oracles_off.emplace_back(each.name);
  CHECK(oracle_of(sample(program)) == "promise");
}

TEST_CASE("Cancelled, starved and evicting requests are counted") {
  const result result =
      sample({.configuration = configuration_of("mutex", {}, 1), .tasks = {{[](simulation& s) {
                                                                   s.serve(prompt_of("AB"));
                                                                   s.serve(prompt_of("C"), cancel_point::after_reserve);
                                                                 }}}},
             1, 1, false);
  const auto metrics = metrics_of(result);
  CHECK(metrics.at("requests_starved") == 1);
  CHECK(metrics.at("requests_cancelled") == 1);
  CHECK(metrics.at("requests_completed") == 1);
  CHECK(metrics.at("blocks_evicted") == 1);
}

TEST_CASE("Rates go on being counted after a violation that leaves the cache walkable") {
  const program_under_test program{configuration_of("mutex", {"stale_index"}),
                                   {{serve("A"), serve("B"), serve("C"), lookup("A"), lookup("C")}}};
  const auto metrics = metrics_of(sample(program, 1, 10, false));
  CHECK(metrics.at("requests_completed") == 50);
  CHECK(metrics.at("requests_polluted") == 10);
  CHECK(metrics.at("blocks_audited") == 20);
  CHECK(metrics.at("blocks_ghost") == 10);
}

// The table of the namespace contract: cached namespace, requested namespace, cached tokens, requested tokens.
struct fixture {
  const char* cached_model;
  const char* requested_model;
  const char* cached;
  const char* requested;
  std::size_t expected;
  std::size_t identity_omitted;
  std::size_t shorter_length;
};
const std::vector<fixture> fixtures = {
    {"m", "m", "a", "ab", 1, 1, 1},    {"m1", "m2", "ab", "ab", 0, 2, 0}, {"x", "x", "ab", "ac", 1, 1, 2},
    {"x", "x", "", "a", 0, 0, 0},      {"x", "y", "a", "", 0, 0, 0},      {"ad", "ad", "q", "q", 1, 1, 1},
    {"x", "x", "abc", "axc", 1, 2, 3},
};

TEST_CASE("The namespace contract's fixtures come out as published, repaired and in both wrong forms") {
  for (const locking_description& locking : locking_strategies()) {
    for (const fixture& f : fixtures) {
      for (const auto& [flaw, expected] : std::vector<std::pair<std::string, std::size_t>>{
               {"", f.expected}, {"namespace_omitted", f.identity_omitted}, {"shorter_length_repair", f.shorter_length}}) {
        INFO(locking.name << ", " << flaw << ": " << f.cached_model << ", " << f.requested_model << ", [" << f.cached << "], ["
                          << f.requested << "]");
        program_under_test program{configuration_of(std::string(locking.name), {}, 8), {}, {"pollution"}};
        if (!flaw.empty()) program.configuration.flaws = {flaw};
        program.tasks = {{serve(prompt_of(f.cached, model(f.cached_model))), [&f, matched = expected](simulation& s) {
                            CHECK(s.lookup(prompt_of(f.requested, model(f.requested_model))) == matched);
                          }}};
        CHECK(sample(program, 1, 1).passed());
        program.oracles_off.clear();
        program.tasks[0][1] = [&f](simulation& s) {
          s.expect_match(prompt_of(f.requested, model(f.requested_model)), f.expected);
        };
        CHECK(oracle_of(sample(program, 1, 1)) == (expected == f.expected ? "" : "namespace_contract"));
      }
    }
  }
}

TEST_CASE("A finding carries the ledger of its block in the order of events") {
  const result result =
      sample(program_under_test{configuration_of("mutex", {"stale_index"}), {{serve("A"), serve("B"), serve("C"), lookup("A")}}});
  REQUIRE(result.findings.size() == 1);
  const finding& found = result.findings.front();
  CHECK(found.subject == "block 0");
  std::vector<std::string> events;
  for (const ledger_event& each : found.ledger)
    if (each.subject == found.subject) events.push_back(each.event);
  CHECK(events == std::vector<std::string>{"allocate", "publish", "unpin", "evict", "allocate", "publish", "unpin"});
  CHECK(found.message.find("(m, A)") != std::string::npos);
  CHECK(found.message.find("(m, C)") != std::string::npos);
}

}  // namespace
}  // namespace kvrace::cache
