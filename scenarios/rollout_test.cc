// Rollouts: what they route where, what a rollback ends, and every way a rollout block can be wrong.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "scenarios/loader.h"
#include "scenarios/program.h"

using nlohmann::json;
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
