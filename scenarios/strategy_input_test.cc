// Every key of every strategy, wrong in every way: one line that names the place and what was expected.
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "scenarios/loader.h"

using nlohmann::json;
using namespace kvrace;
using scenarios::input_error;
using scenarios::parse_scenario;
using scenarios::scenario;

namespace {

// The line for a scenario with this search, or "" if it is accepted.
std::string line_for(const json& search) {
  json document = json::parse(R"({
    "name": "valid",
    "cache": { "locking": "mutex", "capacity_blocks": 2, "tokens_per_block": 1 },
    "tasks": [ { "name": "a", "operations": [ { "lookup": { "model": "m", "tokens": "ab" } } ] } ],
    "expect": { "verdict": "not_found" }
  })");
  document["search"] = search;
  const auto parsed = parse_scenario(document.dump(), "s.json");
  const input_error* const error = std::get_if<input_error>(&parsed);
  return error == nullptr ? std::string{} : error->to_line("s.json");
}
std::string line_for(json search, const char* key, const json& value) {
  search[key] = value;
  return line_for(search);
}

// Each strategy with all keys that belong to it.
const std::map<std::string, json>& complete() {
  static const json sampled = {{"memory_model", "sc"}, {"runs", 5}, {"seed", 3}, {"stop_at_violation", false}};
  static const auto with = [](json own, const json& shared) {
    own.update(shared);
    return own;
  };
  static const std::map<std::string, json> searches = {
      {"random", with({{"strategy", "random"}, {"switch_probability", 0.5}}, sampled)},
      {"pct", with({{"strategy", "pct"}, {"depth", 2}, {"decisions_max", 50}}, sampled)},
      {"pos", with({{"strategy", "pos"}}, sampled)},
      {"surw", with({{"strategy", "surw"}, {"sets", {"block *", "pool"}}}, sampled)},
      {"round_robin", with({{"strategy", "round_robin"}, {"quantum", 2}}, sampled)},
      {"portfolio", with({{"strategy", "portfolio"}, {"decisions_max", 50}}, sampled)},
      {"replay_then", {{"strategy", "replay_then"}, {"schedule", "0.1:2"}, {"then", "pct"}, {"depth", 2}, {"runs", 5}}},
      {"bounded", {{"strategy", "bounded"}, {"preemptions_max", 2}, {"states_max", 100}, {"runs", 5}}},
      {"prove", {{"strategy", "prove"}, {"memory_model", "sc"}, {"states_max", 100}, {"runs", 5}}},
      {"graphs", {{"strategy", "graphs"}, {"memory_model", "rc11"}, {"runs", 5}}},
  };
  return searches;
}

}  // namespace

TEST_CASE("every strategy is accepted with all of its keys, and refuses those of others by name") {
  json every_key = json::object();
  for (const auto& [name, search] : complete()) every_key.update(search);
  for (const auto& [name, search] : complete()) {
    INFO(name);
    CHECK(line_for(search) == "");
    for (const auto& [key, value] : every_key.items()) {
      if (search.contains(key) || (name == "replay_then" && key != "sets" && key != "quantum" && key != "preemptions_max" &&
                                   key != "states_max" && key != "switch_probability"))
        continue;
      INFO(key);
      CHECK(line_for(search, key.c_str(), value)
                .starts_with("s.json: /search/" + key + ": expected no such key with strategy " + name + ", only "));
    }
  }
}

TEST_CASE("numbers of strategies have ranges, and other types are refused in words") {
  struct number {
    const char* strategy;
    const char* key;
    const char* expected;
  };
  for (const number& each :
       {number{"random", "switch_probability", "a number above 0 and up to 1"}, number{"pct", "depth", "an integer from 1 to "},
        number{"pct", "decisions_max", "an integer from 1 to "}, number{"portfolio", "decisions_max", "an integer from 1 to "},
        number{"round_robin", "quantum", "an integer from 1 to "}, number{"replay_then", "depth", "an integer from 1 to "},
        number{"bounded", "preemptions_max", "an integer from 0 to "}, number{"bounded", "states_max", "an integer from "},
        number{"pos", "runs", "an integer from 1 to "}, number{"surw", "seed", "an integer from 0 to "}})
    for (const json& wrong : {json(-1), json(1e300), json("2"), json(true), json(nullptr), json::array()}) {
      INFO(each.strategy << ' ' << each.key << ' ' << wrong);
      CHECK(line_for(complete().at(each.strategy), each.key, wrong)
                .starts_with("s.json: /search/" + std::string(each.key) + ": expected " + each.expected));
    }
  for (const json& wrong : {json("yes"), json(1), json(nullptr)})
    CHECK(line_for(complete().at("pos"), "stop_at_violation", wrong).starts_with("s.json: /search/stop_at_violation: expected "));
}

TEST_CASE("the sets of surw are names, each given once") {
  const json& surw = complete().at("surw");
  CHECK(line_for(surw, "sets", "pool") == "s.json: /search/sets: expected an array, not 'pool'");
  CHECK(line_for(surw, "sets", json::array()) == "s.json: /search/sets: expected at least 1 item, not 0");
  CHECK(line_for(surw, "sets", {"pool", 3}) == "s.json: /search/sets/1: expected a string, not 3");
  CHECK(line_for(surw, "sets", {""}) == "s.json: /search/sets/0: expected a string that is not empty");
  CHECK(line_for(surw, "sets", {"pool", "block 1", "pool"}) == "s.json: /search/sets/2: expected 'pool' once");
  CHECK(line_for(surw, "sets", json(65, "pool")) == "s.json: /search/sets: expected at most 64 items, not 65");
  json document = json::parse(R"({ "strategy": "replay_then", "schedule": "0.1:2", "then": "surw", "sets": ["epoch"] })");
  CHECK(line_for(document) == "");
}

TEST_CASE("replay_then needs a schedule of its own setting, and a strategy to go on with") {
  const json& search = complete().at("replay_then");
  json without = search;
  without.erase("schedule");
  CHECK(line_for(without) == "s.json: /search: expected the key 'schedule' with strategy replay_then");
  CHECK(line_for(search, "schedule", 5) == "s.json: /search/schedule: expected a string, not 5");
  CHECK(line_for(search, "schedule", "nonsense").starts_with("s.json: /search/schedule: "));
  CHECK(line_for(search, "schedule", "search/0.1:2") ==
        "s.json: /search/schedule: expected a schedule without a prefix: one of a sampled run, as memory_model is sc");
  CHECK(line_for(search, "memory_model", "rc11") ==
        "s.json: /search/schedule: expected a schedule that begins with rc11/, as memory_model says");
  CHECK(line_for(search, "then", "round_robin") ==
        "s.json: /search/then: expected one of random, pct, pos, surw, portfolio, not 'round_robin'");
  CHECK(line_for(search, "then", "prove").starts_with("s.json: /search/then: expected one of random, pct, pos, surw, portfolio"));
  CHECK(line_for(search, "then", "random").starts_with("s.json: /search/depth: expected no such key with strategy replay_then"));
}

TEST_CASE("memory models are named, and a proof by interleavings knows one") {
  for (const auto& [name, search] : complete())
    if (search.contains("memory_model"))
      CHECK(line_for(search, "memory_model", "tso") == "s.json: /search/memory_model: expected one of sc, rc11, not 'tso'");
  CHECK(line_for(complete().at("prove"), "memory_model", "rc11") ==
        "s.json: /search/memory_model: expected sc with strategy prove: rc11 belongs to graphs and to samples");
  json bounded = complete().at("bounded");
  bounded.erase("preemptions_max");
  CHECK(line_for(bounded) == "s.json: /search: expected the key 'preemptions_max' with strategy bounded");
}
