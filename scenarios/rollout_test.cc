// Rollouts: what they route where, what a rollback ends, and every way a rollout block can be wrong.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "scenarios/embedded.h"
#include "scenarios/loader.h"
#include "scenarios/program.h"
#include "scenarios/rollout_report.h"
#include "scenarios/rollout_traffic.h"

using nlohmann::json;
using namespace std::chrono_literals;
using namespace kvrace::scenarios;

namespace {

json with_tasks() {
  return json::parse(R"({
    "name": "valid",
    "cache": { "locking": "mutex", "capacity_blocks": 2, "tokens_per_block": 1 },
    "rollout": { "candidate": { "locking": "epoch", "flaws": ["stale_index"] } },
    "tasks": [
      { "name": "a", "operations": [{ "serve": { "model": "m", "tokens": "A." } }] },
      { "name": "b", "operations": [{ "roll_back": {} }, { "roll_out": {} }, { "wait": { "us": 1 } }, { "invalidate": {} }] }
    ],
    "search": { "strategy": "random" },
    "expect": { "verdict": "not_found" }
  })");
}

json with_traffic() {
  return json::parse(R"({
    "name": "valid",
    "cache": { "locking": "mutex", "capacity_blocks": 64, "tokens_per_block": 4 },
    "traffic": { "seed": 1, "qps": 200, "duration_s": 60, "workers": 8 },
    "rollout": {
      "candidate": { "flaws": ["namespace_omitted"] },
      "ramp": [{ "percent": 5, "hold_s": 20 }, { "percent": 50, "hold_s": 20.5 }],
      "rules": {
        "interval_s": 4, "window_s": 8, "persistence_s": 16, "warm_up_s": 2, "gap_max_s": 9, "queries_min": 7,
        "hit_ratio_floor": 0, "hit_rate_floor": 0.5, "similarity_floor": 0.75, "trigger_ceiling": 0.000001
      },
      "begins_s": [1, 40],
      "blind": [{ "from_s": 2, "to_s": 3.5 }],
      "answers": [
        { "outcome": "rolled back", "reason": "similarity", "at_s": 20, "after_bad_s": 16 },
        { "outcome": "held" }
      ]
    },
    "search": { "strategy": "random" },
    "expect": { "verdict": "not_found" }
  })");
}

std::string line_for(const json& document) {
  const auto parsed = parse_scenario(document.dump(), "s.json");
  const input_error* const error = std::get_if<input_error>(&parsed);
  return error == nullptr ? std::string{} : error->to_line("s.json");
}

std::string line_for(json document, const char* pointer, const json& value) {
  document[json::json_pointer(pointer)] = value;
  return line_for(document);
}

scenario read(const json& document) { return std::get<scenario>(parse_scenario(document.dump(), "s.json")); }

}  // namespace

TEST_CASE("the caches of a rollout differ in what it says, and in nothing else") {
  const scenario whole = read(with_tasks());
  REQUIRE(whole.rollout);
  CHECK(whole.rollout->stable.locking == "mutex");
  CHECK(whole.rollout->stable.flaws.empty());
  CHECK(whole.rollout->candidate.locking == "epoch");
  CHECK(whole.rollout->candidate.flaws == std::vector<std::string>{"stale_index"});
  CHECK(whole.rollout->candidate.capacity_blocks == 2);
}

TEST_CASE("a rollout beside traffic is read completely") {
  const scenario whole = read(with_traffic());
  REQUIRE(whole.rollout);
  const rollout& asked = *whole.rollout;
  REQUIRE(asked.ramp.size() == 2);
  CHECK(asked.ramp[0].candidate_permille == 50);
  CHECK(asked.ramp[1].hold == 20'500ms);
  CHECK(asked.rules.interval == 4s);
  CHECK(asked.rules.window == 8s);
  CHECK(asked.rules.persistence == 16s);
  CHECK(asked.rules.warm_up == 2s);
  CHECK(asked.rules.gap_max == 9s);
  CHECK(asked.rules.queries_min == 7);
  CHECK_FALSE(asked.rules.hit_ratio_floor_ppm);
  CHECK(asked.rules.hit_rate_floor_ppm == 500'000);
  CHECK(asked.rules.similarity_floor_ppm == 750'000);
  CHECK(asked.rules.trigger_ceiling_ppm == 1);
  CHECK(asked.canary);
  CHECK(asked.begins == std::vector<std::chrono::nanoseconds>{1s, 40s});
  REQUIRE(asked.blind.size() == 1);
  CHECK(asked.blind[0].to == 3'500ms);
  REQUIRE(asked.answers.size() == 2);
  CHECK(asked.answers[0].outcome == "rolled back");
  CHECK(asked.answers[0].reason == "similarity");
  CHECK(asked.answers[0].at == 20s);
  CHECK(asked.answers[0].after_bad == 16s);
  CHECK_FALSE(asked.answers[1].at);
}

TEST_CASE("a rollout beside traffic is refused by place and what was expected") {
  CHECK(line_for(with_traffic()) == "");
  CHECK(line_for(with_traffic(), "/traffic/workers", 64) ==
        "s.json: /traffic/workers: expected at most 63 beside /rollout, whose controller is a task too, not 64");
  CHECK(line_for(with_traffic(), "/rollout/ramp/1/percent", 5) == "s.json: /rollout/ramp/1/percent: expected more than before");
  CHECK(line_for(with_traffic(), "/rollout/begins_s/1", 1) == "s.json: /rollout/begins_s/1: expected a later time than before");
  CHECK(line_for(with_traffic(), "/rollout/blind/0/to_s", 2) ==
        "s.json: /rollout/blind/0/to_s: expected a later time than from_s");
  CHECK(line_for(with_traffic(), "/rollout/answers", {{{"outcome", "held"}}}) ==
        "s.json: /rollout/answers: expected one for each of the 2 rollouts");
  CHECK(line_for(with_traffic(), "/rollout/candidate/flaws/0", "short_last_block") ==
        "s.json: /cache: expected the key 'compression' with flaw short_last_block");
  json document = with_traffic();
  document["rollout"].erase("ramp");
  CHECK(line_for(document) == "s.json: /rollout: expected the key 'ramp' beside traffic");
  document = with_tasks();
  CHECK(line_for(document, "/rollout/canary", true) == "s.json: /rollout/canary: expected no such key without traffic");
}

TEST_CASE("requests are spread over the populations as the split says") {
  std::size_t below_5_percent = 0;
  for (std::uint64_t number = 0; number < 100'000; ++number) {
    const std::uint32_t draw = draw_of(7, number);
    REQUIRE(draw < kvrace::cache::traffic_split::whole);
    below_5_percent += draw < 50 ? 1 : 0;
  }
  CHECK(below_5_percent == Approx(5'000).margin(300));
}

TEST_CASE("bursts bring more requests in the last part of each period") {
  json document = with_traffic();
  document["traffic"]["bursts"] = {{"period_s", 20}, {"length_s", 5}, {"factor", 10}};
  CHECK(line_for(document, "/traffic/bursts/length_s", 20) == "s.json: /traffic/bursts/length_s: expected less than period_s");
  const traffic shape = *read(document).traffic;
  arrival_times times(shape);
  std::uint64_t within = 0;
  std::uint64_t outside = 0;
  for (std::chrono::nanoseconds time{}, before{}; times.next(time); before = time) {
    REQUIRE(before <= time);
    ++(time % 20s >= 15s ? within : outside);
  }
  CHECK(within == Approx(3 * 5 * 2'000).epsilon(0.03));
  CHECK(outside == Approx(3 * 15 * 200).epsilon(0.05));
  CHECK(shape.requests_expected() == Approx(within + outside).epsilon(0.03));
}

TEST_CASE("a rollout beside tasks is refused by place and what was expected") {
  json document = with_tasks();
  CHECK(line_for(document) == "");
  CHECK(line_for(document, "/rollout/candidate/locking", "spin") ==
        "s.json: /rollout/candidate/locking: expected one of mutex, rwlock, epoch");
  CHECK(line_for(document, "/rollout/stable", {{"flaws", {"aba_free_list"}}}) ==
        "s.json: /rollout/stable/flaws/0: expected a flaw that makes sense for locking strategy mutex");
  CHECK(line_for(document, "/tasks/0/operations/0", {{"roll_back", json::object()}}) ==
        "s.json: /tasks/1/operations/0: expected roll_out and roll_back in one task, as /tasks/0 has some");
  CHECK(line_for(document, "/tasks/0/operations/0", {{"retrieve", json::object()}}) ==
        "s.json: /tasks/0/operations/0: expected lookup, serve, invalidate, wait, roll_out or roll_back beside /rollout");
  document.erase("rollout");
  CHECK(line_for(document) ==
        "s.json: /tasks/1/operations/0: expected the key 'rollout' in the scenario with roll_out and roll_back");
}

TEST_CASE("a candidate whose cache publishes over an invalidation is not rolled back by one") {
  json document = with_tasks();
  document["rollout"] = {{"candidate", {{"flaws", {"load_over_invalidation"}}}}};
  document["tasks"][1]["operations"] =
      json::parse(R"([{ "roll_back": {} }, { "roll_out": {} }, { "lookup": { "model": "m", "tokens": "A." } }])");
  const kvrace::result found = search_for_violations(read(document), nullptr);
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings.front().oracle == "rollback");
}

namespace {

// What the scenario's answers came to, with this seed of arrivals, routing and schedule.
std::string outcome_of(scenario asked, std::uint64_t seed) {
  asked.traffic->seed = asked.search.seed = seed;
  rollout_traffic router(asked);
  const kvrace::result result = search_for_violations(asked, nullptr, nullptr, 1, {}, &router);
  INFO(result);
  CHECK(result.verdict == kvrace::verdict::not_found);
  kvrace::reports::expectation_facts expectation{.expected = "", .outcome = "met", .met = true};
  judge_rollouts(asked, router.facts(), expectation);
  return expectation.outcome;
}

}  // namespace

TEST_CASE("every rollout that is built in ends alike whatever the seed", "[exhaustive]") {
  for (const embedded_file& file : embedded_scenarios()) {
    const scenario asked = std::get<scenario>(parse_scenario(file.text, file.name));
    if (!asked.rollout || !asked.traffic) continue;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      INFO(file.name << ", seed " << seed);
      CHECK(outcome_of(asked, seed) == "met");
    }
  }
}
