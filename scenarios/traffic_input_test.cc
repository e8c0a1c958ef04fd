// Every way a traffic block can be wrong, and the one line that says so.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "scenarios/loader.h"

using nlohmann::json;
using namespace kvrace::scenarios;

namespace {

json valid() {
  return json::parse(R"({
    "name": "valid",
    "cache": { "locking": "mutex", "capacity_blocks": 2, "tokens_per_block": 1 },
    "traffic": { "seed": 1, "requests": 10 },
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

TEST_CASE("a traffic block is read completely") {
  json document = valid();
  document["traffic"] = json::parse(R"({
    "seed": 5, "arrivals": "poisson", "qps": 250.5, "duration_s": 2.5, "workers": 7, "window_s": 0.25, "tick_us": 500,
    "service": { "prefill_us_per_token": 1.5, "decode_us_per_token": 2, "output_tokens": 3, "output_distribution": "fixed", "deferral_us": 4 },
    "keys": { "distribution": "zipf", "exponent": 0.5 }, "tenants": 3, "prefix_tree": { "depth": 2, "fanout": 5 },
    "mix": { "lookup": 1, "serve": 2, "invalidate": 3 }, "cancellation": { "probability": 0.25, "points": ["after_fill"] }
  })");
  const scenario whole = read(document);
  REQUIRE(whole.traffic);
  const traffic& shape = *whole.traffic;
  CHECK(shape.seed == 5);
  CHECK(shape.qps == 250.5);
  CHECK(shape.duration == std::chrono::milliseconds(2'500));
  CHECK_FALSE(shape.requests);
  CHECK(shape.workers == 7);
  CHECK(shape.window == std::chrono::milliseconds(250));
  CHECK(shape.tick == std::chrono::microseconds(500));
  CHECK(shape.times.prefill_us_per_token == 1.5);
  CHECK(shape.times.decode_us_per_token == 2);
  CHECK(shape.times.output_tokens == 3);
  CHECK_FALSE(shape.times.output_exponential);
  CHECK(shape.times.deferral_us == 4);
  CHECK(shape.zipf_exponent == 0.5);
  CHECK(shape.tenants == 3);
  CHECK(shape.tree_depth == 2);
  CHECK(shape.tree_fanout == 5);
  CHECK(shape.mix.lookup == 1);
  CHECK(shape.mix.serve == 2);
  CHECK(shape.mix.invalidate == 3);
  CHECK(shape.cancellation_probability == 0.25);
  CHECK(shape.cancellation_points == std::vector{kvrace::cache::cancel_point::after_fill});
  CHECK(whole.tasks.empty());
}

TEST_CASE("what a traffic block leaves out has its default") {
  const traffic shape = *read(valid()).traffic;
  CHECK(shape.qps == 800);
  CHECK(shape.workers == 64);
  CHECK(shape.tick == std::chrono::milliseconds(1));
  CHECK(shape.mix.serve == 1);
  CHECK(shape.cancellation_probability == 0);
}

TEST_CASE("traffic may take as many steps as its requests need") {
  json document = valid();
  document["traffic"]["requests"] = 10'000'000;
  document["traffic"]["window_s"] = 100;
  CHECK(read(document).steps_max > 2'000'000'000);
  document["limits"] = {{"steps_max", 5}};
  CHECK(read(document).steps_max == 5);
}

TEST_CASE("every field of a traffic block is checked") {
  CHECK(line_for(valid()).empty());
  const auto refused = [](const char* pointer, const json& value) { return line_for(valid(), pointer, value); };
  CHECK(refused("/traffic", 7) == "s.json: /traffic: expected an object, not 7");
  CHECK(refused("/traffic/seed", -1) == "s.json: /traffic/seed: expected an integer from 0 to 9007199254740991, not -1");
  CHECK(refused("/traffic/arrivals", "poison") ==
        "s.json: /traffic/arrivals: expected one of poisson, not 'poison'; did you mean 'poisson'?");
  CHECK(refused("/traffic/qps", 0) == "s.json: /traffic/qps: expected a number from 0.1 to 1000000, not 0");
  CHECK(refused("/traffic/qps", "800") == "s.json: /traffic/qps: expected a number from 0.1 to 1000000, not '800'");
  CHECK(refused("/traffic/requests", 0) == "s.json: /traffic/requests: expected an integer from 1 to 1000000000, not 0");
  CHECK(refused("/traffic/workers", 0) == "s.json: /traffic/workers: expected an integer from 1 to 64, not 0");
  CHECK(refused("/traffic/workers", 65) == "s.json: /traffic/workers: expected an integer from 1 to 64, not 65");
  CHECK(refused("/traffic/workers", 1.5) == "s.json: /traffic/workers: expected an integer from 1 to 64, not 1.5");
  CHECK(refused("/traffic/window_s", 0) == "s.json: /traffic/window_s: expected a number from 0.001 to 1000000, not 0");
  CHECK(refused("/traffic/tick_us", -1) == "s.json: /traffic/tick_us: expected a number from 0 to 1000000, not -1");
  CHECK(refused("/traffic/service", json::array()) == "s.json: /traffic/service: expected an object, not an array");
  for (const char* field : {"prefill_us_per_token", "decode_us_per_token", "output_tokens", "deferral_us"}) {
    const std::string pointer = std::string("/traffic/service/") + field;
    CHECK(refused(pointer.c_str(), -1) == "s.json: " + pointer + ": expected a number from 0 to 1000000, not -1");
  }
  CHECK(refused("/traffic/service/output_distribution", "normal") ==
        "s.json: /traffic/service/output_distribution: expected one of exponential, fixed, not 'normal'");
  CHECK(refused("/traffic/service/decode_ms", 1)
            .starts_with("s.json: /traffic/service/decode_ms: expected one of the keys decode_us_per_token, deferral_us, "));
  CHECK(refused("/traffic/tenants", 0) == "s.json: /traffic/tenants: expected an integer from 1 to 1000, not 0");
  CHECK(refused("/traffic/prefix_tree", json::object()) == "s.json: /traffic/prefix_tree: expected the key 'depth'");
  CHECK(refused("/traffic/mix/serv", 1)
            .starts_with("s.json: /traffic/mix/serv: expected one of the keys invalidate, lookup, serve"));
  CHECK(refused("/traffic/cancellation", json::object()) == "s.json: /traffic/cancellation: expected the key 'probability'");
  CHECK(refused("/traffic/cancellation", {{"probability", 1.5}}) ==
        "s.json: /traffic/cancellation/probability: expected a number from 0 to 1, not 1.5");
  CHECK(refused("/traffic/cancellation", {{"probability", 1}, {"points", {"after_lunch"}}})
            .starts_with("s.json: /traffic/cancellation/points/0: expected one of after_lookup, after_reserve, after_fill"));
  CHECK(refused("/traffic/cancellation", {{"probability", 1}, {"points", {"after_fill", "after_lookup", "after_fill"}}}) ==
        "s.json: /traffic/cancellation/points/2: expected 'after_fill' once");
  CHECK(refused("/traffic/cancellation", {{"probability", 1}, {"points", json::array()}}) ==
        "s.json: /traffic/cancellation/points: expected at least 1 item, not 0");
  CHECK(refused("/traffic/qqps", 1).starts_with("s.json: /traffic/qqps: expected one of the keys arrivals, "));
}

TEST_CASE("fields of a traffic block that do not fit each other are refused") {
  json document = valid();
  document["traffic"].erase("seed");
  CHECK(line_for(document) == "s.json: /traffic: expected the key 'seed'");
  document = valid();
  document["traffic"]["duration_s"] = 1;
  CHECK(line_for(document) == "s.json: /traffic: expected exactly one of the keys requests, duration_s, trace");
  document["traffic"].erase("duration_s");
  document["traffic"].erase("requests");
  CHECK(line_for(document) == "s.json: /traffic: expected exactly one of the keys requests, duration_s, trace");
  document["traffic"]["duration_s"] = 0;
  CHECK(line_for(document) == "s.json: /traffic/duration_s: expected a number above 0 and up to 1000000, not 0");
  document["traffic"]["duration_s"] = 1e-10;
  CHECK(line_for(document) == "s.json: /traffic/duration_s: expected at least a nanosecond");
  CHECK(line_for(valid(), "/traffic/requests", 100'000'000) ==
        "s.json: /traffic/window_s: expected at most 10000 windows, not 125001");
  document["traffic"]["duration_s"] = 1'000'000;
  document["traffic"]["qps"] = 1'000'000;
  document["traffic"]["window_s"] = 1'000;
  CHECK(line_for(document) == "s.json: /traffic/duration_s: expected at most 1000000000 requests, not 1000000000001");
  CHECK(line_for(valid(), "/traffic/mix", {{"serve", 0}}) == "s.json: /traffic/mix: expected a weight above 0");
  CHECK(line_for(valid(), "/traffic/keys", {{"distribution", "uniform"}, {"exponent", 1}}) ==
        "s.json: /traffic/keys/exponent: expected no such key with distribution uniform");
  CHECK(line_for(valid(), "/traffic/prefix_tree", {{"depth", 2}, {"fanout", 257}}) ==
        "s.json: /traffic/prefix_tree: expected fanout to the power of depth to be at most 65536");
  document = valid();
  document["tasks"] = json::parse(R"([ { "name": "a", "operations": [ { "invalidate": {} } ] } ])");
  CHECK(line_for(document) == "s.json: (root): expected exactly one of the keys tasks, generate, traffic");
}

TEST_CASE("traffic is never proved") {
  for (const char* strategy : {"prove", "bounded"}) {
    json document = valid();
    document["search"] = {{"strategy", strategy}};
    if (document["search"]["strategy"] == "bounded") document["search"]["preemptions_max"] = 1;
    CHECK(line_for(document) ==
          "s.json: /search/strategy: expected a strategy that samples, as there is no time in proofs and "
          "/traffic needs it, not '" +
              std::string(strategy) + "'");
  }
}
