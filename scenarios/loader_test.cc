// Every way a scenario can be wrong, and the one line that says so.
#include "scenarios/loader.h"

#include <algorithm>
#include <chrono>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "scenarios/embedded.h"

using nlohmann::json;
using namespace kvrace;
using scenarios::input_error;
using scenarios::parse_scenario;
using scenarios::scenario;

namespace {

json valid() {
  return json::parse(R"({
    "name": "valid",
    "cache": { "locking": "mutex", "capacity_blocks": 2, "tokens_per_block": 1 },
    "tasks": [ { "name": "a", "operations": [ { "lookup": { "model": "m", "tokens": "ab" } } ] } ],
    "search": { "strategy": "random" },
    "expect": { "verdict": "not_found" }
  })");
}

json generated() {
  json document = valid();
  document.erase("tasks");
  document["generate"] = {{"seed", 1}, {"tasks", 2}, {"operations", 3}};
  return document;
}

// The line for `text`, or "" if it is accepted.
std::string line_for_text(std::string_view text, std::string_view path = "s.json") {
  const auto parsed = parse_scenario(text, path);
  const input_error* const error = std::get_if<input_error>(&parsed);
  return error == nullptr ? std::string{} : error->to_line(path);
}

std::string line_for(json document, const char* pointer, const json& value) {
  document[json::json_pointer(pointer)] = value;
  return line_for_text(document.dump());
}

std::string line_without(json document, const char* key) {
  document.erase(key);
  return line_for_text(document.dump());
}

}  // namespace

TEST_CASE("a valid scenario is accepted and read completely") {
  json document = valid();
  document["tasks"][0]["operations"] = json::parse(R"([
    { "serve": { "model": "m", "adapter": "x", "adapter_version": 3, "tenant": "t", "tokens": "a\u00e9\ud83d\ude00", "cancel": "after_fill" } },
    { "invalidate": {} },
    { "expect_match": { "model": "m", "tokens": [1, 4294967295], "expected_tokens": 1 } }
  ])");
  document["search"] = {{"strategy", "pct"}, {"depth", 2}, {"decisions_max", 50},
                        {"runs", 7},         {"seed", 9},  {"stop_at_violation", false}};
  document["limits"] = {{"steps_max", 99}};
  const auto parsed = parse_scenario(document.dump(), "some/path");
  const scenario& read = std::get<scenario>(parsed);
  CHECK(read.source.path == "some/path");
  CHECK(read.source.text == document.dump());
  CHECK(read.steps_max == 99);
  CHECK(read.search.strategy == scenarios::search::kind::pct);
  CHECK(read.search.depth == 2);
  CHECK(read.search.decisions_max == 50);
  CHECK(read.search.runs == 7u);
  CHECK(read.search.seed == 9);
  CHECK_FALSE(read.search.stop_at_violation);
  CHECK(read.expect.verdict == verdict::not_found);
  REQUIRE(read.tasks.size() == 1);
  const auto& operations = read.tasks[0].operations;
  REQUIRE(operations.size() == 3);
  CHECK(operations[0].what == scenarios::operation::kind::serve);
  CHECK(operations[0].prompt.owner == cache::identity{"m", "x", 3, "t"});
  CHECK(operations[0].prompt.tokens == std::vector<cache::token>{'a', 0xE9, 0x1F600});
  CHECK(operations[0].cancel == cache::cancel_point::after_fill);
  CHECK(operations[1].what == scenarios::operation::kind::invalidate);
  CHECK(operations[2].what == scenarios::operation::kind::expect_match);
  CHECK(operations[2].prompt.tokens == std::vector<cache::token>{1, 4294967295u});
  CHECK(operations[2].expected_tokens == 1);
}

TEST_CASE("text that is not JSON is refused with line and column") {
  CHECK(line_for_text("") == "s.json: 1:1: expected a JSON object, not an empty file");
  CHECK(line_for_text(" \n\t ") == "s.json: 1:1: expected a JSON object, not an empty file");
  CHECK(line_for_text("{\n  \"name\": \"x\",\n") ==
        "s.json: 3:1: expected JSON: unexpected end of input; expected string literal");
  CHECK(line_for_text("{\"name\" 1}") == "s.json: 1:9: expected JSON: unexpected number literal; expected ':'");
  CHECK(line_for_text("{} {}") == "s.json: 1:4: expected JSON: unexpected '{'; expected end of input");
  CHECK(line_for_text("nul") == "s.json: 1:4: expected JSON: invalid literal");
  CHECK(line_for_text("{\"name\": 1e999}") == "s.json: 1:14: expected a number that fits a double");
  CHECK(line_for_text("{\"name\": \"\xC3\x28\"}") == "s.json: 1:11: expected UTF-8, not byte \\xC3");
  CHECK(line_for_text("\n\xFF") == "s.json: 2:1: expected UTF-8, not byte \\xFF");
  CHECK(line_for_text("{\"\xED\xA0\x80\": 1}") == "s.json: 1:3: expected UTF-8, not byte \\xED");
  CHECK(line_for_text("{\"name\": \"\\ud800\"}").starts_with("s.json: 1:17: expected JSON: invalid string: surrogate"));
  CHECK(line_for_text(std::string_view("{\"name\": \"a\0b\"}", 15)) == "s.json: 1:12: expected JSON, not a NUL byte");
  CHECK(line_for_text(valid().dump() + std::string("\n\0 and more", 11)) == "s.json: 2:1: expected JSON, not a NUL byte");
}

TEST_CASE("every prefix of a valid file is refused") {
  const std::string text(scenarios::embedded_scenarios().front().text);
  REQUIRE(line_for_text(text).empty());
  const std::size_t end = text.rfind('}');
  for (std::size_t length = 0; length <= end; ++length) REQUIRE_FALSE(line_for_text(text.substr(0, length)).empty());
}

TEST_CASE("deep nesting is refused before it is parsed") {
  CHECK(line_for_text(std::string(100'000, '[')) == "s.json: 1:65: expected at most 64 nested arrays and objects");
  CHECK(line_for_text("\n\n" + std::string(64, '[') + "{") == "s.json: 3:65: expected at most 64 nested arrays and objects");
  // Brackets inside a string nest nothing.
  CHECK(line_for(valid(), "/name", std::string(100, '[')) == "");
  CHECK(line_for(valid(), "/question", "\"" + std::string(100, '[')) == "");
}

TEST_CASE("a key that is there twice is refused with its place") {
  CHECK(line_for_text(R"({"name": 1, "name": 2})") == "s.json: /name: expected this key once");
  CHECK(line_for_text(R"({"tasks": [{}, {"a~/b": [0, {"x": 1, "x": 1}]}]})") ==
        "s.json: /tasks/1/a~0~1b/1/x: expected this key once");
}

TEST_CASE("wrong types and ranges are refused in the schema's terms") {
  CHECK(line_for_text("[]") == "s.json: (root): expected an object, not an array");
  CHECK(line_for_text("null") == "s.json: (root): expected an object, not null");
  CHECK(line_for(valid(), "/name", 5) == "s.json: /name: expected a string, not 5");
  CHECK(line_for(valid(), "/name", "") == "s.json: /name: expected a string that is not empty");
  CHECK(line_for(valid(), "/name", std::string(121, 'x')) == "s.json: /name: expected at most 120 characters, not 121");
  CHECK(line_for(valid(), "/cache", "mutex") == "s.json: /cache: expected an object, not 'mutex'");
  CHECK(line_for(valid(), "/cache/capacity_blocks", 0) ==
        "s.json: /cache/capacity_blocks: expected an integer from 1 to 65536, not 0");
  CHECK(line_for(valid(), "/cache/capacity_blocks", -1) ==
        "s.json: /cache/capacity_blocks: expected an integer from 1 to 65536, not -1");
  CHECK(line_for(valid(), "/cache/capacity_blocks", 1.5) ==
        "s.json: /cache/capacity_blocks: expected an integer from 1 to 65536, not 1.5");
  CHECK(line_for(valid(), "/cache/capacity_blocks", "2") ==
        "s.json: /cache/capacity_blocks: expected an integer from 1 to 65536, not '2'");
  CHECK(line_for(valid(), "/cache/tokens_per_block", true) ==
        "s.json: /cache/tokens_per_block: expected an integer from 1 to 1024, not true");
  CHECK(line_for(valid(), "/cache/hash_bits", 65) == "s.json: /cache/hash_bits: expected an integer from 1 to 64, not 65");
  CHECK(line_for(valid(), "/search/seed", 18446744073709551615u) ==
        "s.json: /search/seed: expected an integer from 0 to 9007199254740991, not 18446744073709551615");
  CHECK(line_for(valid(), "/search/seed", 1e300) ==
        "s.json: /search/seed: expected an integer from 0 to 9007199254740991, not 1e+300");
  CHECK(line_for(valid(), "/search/runs", 0) == "s.json: /search/runs: expected an integer from 1 to 9007199254740991, not 0");
  CHECK(line_for(valid(), "/search/switch_probability", 0) ==
        "s.json: /search/switch_probability: expected a number above 0 and up to 1, not 0");
  CHECK(line_for(valid(), "/search/strategy", "randon") ==
        "s.json: /search/strategy: expected one of random, pct, pos, surw, round_robin, portfolio, replay_then, bounded, prove, "
        "graphs, not 'randon'; did you mean 'random'?");
  CHECK(line_for(valid(), "/tasks", json::array()) == "s.json: /tasks: expected at least 1 item, not 0");
  CHECK(line_for(valid(), "/tasks", json(65, valid()["tasks"][0])) == "s.json: /tasks: expected at most 64 items, not 65");
  CHECK(line_for(valid(), "/tasks/0/name", "a b") ==
        "s.json: /tasks/0/name: expected 1 to 32 letters, digits, '_', '-' or '.', not 'a b'");
  CHECK(line_for(valid(), "/tasks/0/operations/0/lookup/tokens", 7) ==
        "s.json: /tasks/0/operations/0/lookup/tokens: expected a string or an array, not 7");
  CHECK(line_for(valid(), "/tasks/0/operations/0/lookup/tokens", {1, -2}) ==
        "s.json: /tasks/0/operations/0/lookup/tokens/1: expected an integer from 0 to 4294967295 or an object, not -2");
}

TEST_CASE("prompts are tokens, repetitions of tokens, text or bytes") {
  json document = valid();
  const auto prompt_of = [&](const json& operation) {
    document["tasks"][0]["operations"] = {{{"serve", operation}}};
    const auto parsed = parse_scenario(document.dump(), "s.json");
    REQUIRE(std::holds_alternative<scenario>(parsed));
    return std::get<scenario>(parsed).tasks[0].operations[0].prompt;
  };
  using tokens = std::vector<cache::token>;
  CHECK(prompt_of({{"model", "m"}, {"tokens", {7, {{"repeat", "ab"}, {"times", 2}}, 8}}}).tokens ==
        tokens{7, 'a', 'b', 'a', 'b', 8});
  const cache::prompt text = prompt_of({{"model", "m"}, {"text", "a###\u00e9"}});
  CHECK(text.tokens == tokens{'a', ' ', 0xE9});
  CHECK(text.input->triggers == 1);
  const cache::prompt bytes = prompt_of({{"model", "m"}, {"bytes", "61 F0 9f988A ff"}});
  CHECK(bytes.tokens == tokens{'a', 0x1F60A, 0xFFFD});
  CHECK(bytes.input->replaced == 1);
  CHECK(bytes.meant == nullptr);
  document["cache"]["input"] = {{"chunk_bytes", 3}};
  document["cache"]["flaws"] = {"bytes_decoded_by_chunk"};
  CHECK(prompt_of({{"model", "m"}, {"bytes", "61f09f988a"}}).tokens == tokens{'a', 0xFFFD, 0xFFFD, 0xFFFD});
}

TEST_CASE("a prompt that cannot be read is named") {
  const auto line_for_prompt = [](const json& members) {
    json operation = {{"model", "m"}};
    operation.update(members);
    return line_for(valid(), "/tasks/0/operations/0", {{"serve", operation}});
  };
  const std::string place = "s.json: /tasks/0/operations/0/serve";
  CHECK(line_for_prompt(json::object()) == place + ": expected exactly one of the keys tokens, text, bytes");
  CHECK(line_for_prompt({{"text", "a"}, {"tokens", "a"}}) == place + ": expected exactly one of the keys tokens, text, bytes");
  CHECK(line_for_prompt({{"text", std::string("ab\0c", 4)}}) == place + "/text: expected no NUL, which byte 3 is");
  CHECK(line_for_prompt({{"text", std::string(1U << 20U, 'a')}}) ==
        place + "/text: expected at most 65536 characters, not 1048576");
  CHECK(line_for_prompt({{"bytes", "61 00"}}) == place + "/bytes: expected no NUL, which byte 2 is");
  CHECK(line_for_prompt({{"bytes", "6"}}) ==
        place + "/bytes: expected bytes as pairs of hexadecimal digits, not '6' at character 1");
  CHECK(line_for_prompt({{"bytes", "61 6x"}}) ==
        place + "/bytes: expected bytes as pairs of hexadecimal digits, not '6x' at character 4");
  std::string many;
  for (int i = 0; i < 65'537; ++i) many += "61";
  CHECK(line_for_prompt({{"bytes", many}}) == place + "/bytes: expected at most 65536 bytes, not 65537");
  CHECK(line_for_prompt({{"tokens", {1, {{"repeat", "ab"}, {"times", 65'536}}}}}) ==
        place + "/tokens: expected at most 65536 tokens, not 131073");
  // A lone surrogate, and bytes of a UTF-8 that is none, are refused as JSON.
  for (const char* const hostile : {"\\ud800", "\xED\xA0\x80", "\xC0\xAF", "\xF0\x9F\x98"}) {
    std::string document = valid().dump();
    document.replace(document.find("\"tokens\":\""), 10, std::string("\"text\":\"") + hostile);
    CHECK(line_for_text(document).starts_with("s.json: 1:"));
  }
}

TEST_CASE("compression is read, and its flaw needs it") {
  json document = valid();
  document["cache"]["compression"] = {{"buffers", 3}, {"block_tokens", 5}, {"head_tile", 2}};
  const auto parsed = parse_scenario(document.dump(), "s.json");
  REQUIRE(std::holds_alternative<scenario>(parsed));
  const cache::compression_options& read = std::get<scenario>(parsed).cache.configuration.compression;
  CHECK(read.buffers == 3);
  CHECK(read.block_tokens == 5);
  CHECK(read.head_tile == 2);
  CHECK_FALSE(std::get<scenario>(parsed).needs_time());
  document["cache"]["compression"]["scrub_us"] = 7;
  document["search"]["strategy"] = "prove";
  CHECK(line_for_text(document.dump()).starts_with("s.json: /search/strategy: expected a strategy that samples"));
  CHECK(line_for(valid(), "/cache/compression", json::object()) == "s.json: /cache/compression: expected the key 'buffers'");
  CHECK(line_for(valid(), "/cache/flaws", {"short_last_block"}) ==
        "s.json: /cache: expected the key 'compression' with flaw short_last_block");
}

TEST_CASE("leases, waits and prefill times are read, and need a strategy that samples") {
  json document = valid();
  document["cache"]["lease_us"] = 1.5;
  document["tasks"][0]["operations"] = {{{"serve", {{"model", "m"}, {"tokens", "ab"}, {"prefill_us_per_token", 2}}}},
                                        {{"wait", {{"us", 3}}}}};
  const auto parsed = parse_scenario(document.dump(), "s.json");
  REQUIRE(std::holds_alternative<scenario>(parsed));
  const scenario& read = std::get<scenario>(parsed);
  CHECK(read.cache.configuration.lease == std::chrono::nanoseconds(1'500));
  CHECK(read.tasks[0].operations[0].times.prefill_per_token == std::chrono::microseconds(2));
  CHECK(read.tasks[0].operations[1].duration == std::chrono::microseconds(3));
  CHECK(read.needs_time());
  for (const char* timed : {"/cache/lease_us", "/tasks/0/operations"}) {
    json proved = valid();
    proved["search"]["strategy"] = "prove";
    proved[json::json_pointer(timed)] = document[json::json_pointer(timed)];
    CHECK(line_for(proved, "/name", "timed").starts_with("s.json: /search/strategy: expected a strategy that samples"));
  }
}

TEST_CASE("very long strings do no harm") {
  const std::string long_text(1'000'000, 'x');
  CHECK(line_for(valid(), "/tasks/0/name", long_text).size() < 300);
  CHECK(line_for(valid(), "/cache/locking", long_text).size() < 300);
  CHECK(line_for(valid(), ("/" + long_text).c_str(), 1).size() < 500);
}

TEST_CASE("missing and unknown keys are named") {
  for (const char* key : {"name", "cache", "search", "expect"})
    CHECK(line_without(valid(), key) == "s.json: (root): expected the key '" + std::string(key) + "'");
  CHECK(line_without(valid(), "tasks") == "s.json: (root): expected exactly one of the keys tasks, generate, traffic");
  CHECK(line_for(valid(), "/generate", generated()["generate"]) ==
        "s.json: (root): expected exactly one of the keys tasks, generate, traffic");
  CHECK(line_for(valid(), "/cache/loking", "mutex") ==
        "s.json: /cache/loking: expected one of the keys capacity_blocks, compression, connections, eviction_feed, flaws, "
        "hash_bits, input, lease_us, locking, reserved_blocks, tokens_per_block; did you mean 'locking'?");
  const std::string operations =
      "admit, device_step, expect_match, fetch, follow_evictions, invalidate, load, lookup, maintain, promise, put, retrieve, "
      "roll_back, roll_out, serve, update, wait";
  CHECK(line_for(valid(), "/tasks/0/operations/0", {{"insert", json::object()}}) ==
        "s.json: /tasks/0/operations/0/insert: expected one of the keys " + operations);
  CHECK(line_for(valid(), "/tasks/0/operations/0", json::object()) ==
        "s.json: /tasks/0/operations/0: expected exactly one of the keys " + operations);
  CHECK(line_for(valid(), "/tasks/0/operations/0/invalidate", json::object()) ==
        "s.json: /tasks/0/operations/0: expected exactly one of the keys " + operations);
  CHECK(line_for(valid(), "/tasks/0/operations/0", {{"invalidate", {{"x", 1}}}}) ==
        "s.json: /tasks/0/operations/0/invalidate/x: expected no key here");
  CHECK(line_for(valid(), "/tasks/0/operations/0/lookup/cancel", "after_fill") ==
        "s.json: /tasks/0/operations/0/lookup/cancel: expected one of the keys adapter, adapter_version, bytes, model, priority, "
        "tenant, text, tokens");
  CHECK(line_for(valid(), "/expect", json::object()) == "s.json: /expect: expected exactly one of the keys verdict, violation");
}

TEST_CASE("names that do not exist are refused with the nearest one") {
  CHECK(line_for(valid(), "/cache/locking", "mutx").ends_with("not 'mutx'; did you mean 'mutex'?"));
  CHECK(line_for(valid(), "/cache/locking", "mutx")
            .starts_with("s.json: /cache/locking: expected a locking strategy, one of mutex, "));
  CHECK(line_for(valid(), "/cache/flaws", {"namespace_omited"}).starts_with("s.json: /cache/flaws/0: expected a flaw, one of "));
  CHECK(line_for(valid(), "/cache/flaws", {"namespace_omited"})
            .ends_with("not 'namespace_omited'; did you mean 'namespace_omitted'?"));
  CHECK(line_for(valid(), "/oracles", {"ghost_entri"}).ends_with("not 'ghost_entri'; did you mean 'ghost_entry'?"));
  CHECK(line_for(valid(), "/oracles", {"data_race"}).starts_with("s.json: /oracles/0: expected an oracle of the cache, one of "));
  CHECK(line_for(valid(), "/expect", {{"violation", "data_rase"}}).ends_with("not 'data_rase'; did you mean 'data_race'?"));
  CHECK(line_for(valid(), "/cache/flaws", {"\x1b[31m\n"}).find("not '\\x1B[31m\\n'") != std::string::npos);
}

TEST_CASE("flaws that do not fit are refused") {
  json document = valid();
  document["cache"]["flaws"] = {"metadata_second_section", "metadata_unlocked"};
  CHECK(line_for_text(document.dump()).starts_with("s.json: /cache/flaws/1: expected "));
  document["cache"]["flaws"] = {"namespace_omitted", "namespace_omitted"};
  CHECK(line_for_text(document.dump()).starts_with("s.json: /cache/flaws/1: expected "));
  document["cache"]["compression"] = {{"buffers", 1}};
  for (const cache::flaw_description& flaw : cache::flaws()) {
    for (const cache::locking_description& locking : cache::locking_strategies()) {
      const bool fits = std::find(flaw.locking.begin(), flaw.locking.end(), locking.name) != flaw.locking.end();
      document["cache"]["locking"] = locking.name;
      document["cache"]["flaws"] = {flaw.name};
      INFO(flaw.name << " with " << locking.name);
      CHECK(line_for_text(document.dump()).starts_with(fits ? "" : "s.json: /cache/flaws/0: expected "));
      CHECK(line_for_text(document.dump()).empty() == fits);
    }
  }
}

TEST_CASE("evictions are followed only where there is a feed of them") {
  json document = valid();
  document["tasks"][0]["operations"][0] = {{"follow_evictions", {{"count", 1}}}};
  CHECK(line_for_text(document.dump()) ==
        "s.json: /tasks/0/operations/0: expected the key 'eviction_feed' in /cache with follow_evictions");
  document["cache"]["eviction_feed"] = 1;
  CHECK(line_for_text(document.dump()).empty());
  document["cache"]["locking"] = "epoch";
  CHECK(line_for_text(document.dump()) ==
        "s.json: /cache/eviction_feed: expected a locking strategy that evicts in a critical section, mutex or rwlock");
}

TEST_CASE("calls on what stands beside the cache name their keys, and say which parts there are") {
  json document = valid();
  document["cache"]["connections"] = 3;
  document["limits"] = {{"cancellations", 2}};
  document["tasks"][0]["operations"] = {{{"update", {{"key", "x"}}}}, {{"load", {{"key", "y"}}}}, {{"put", {{"key", "x"}}}}};
  const scenario read = std::get<scenario>(parse_scenario(document.dump(), ""));
  CHECK(read.cache.parts.keys == std::vector<std::string>{"x", "y"});
  CHECK((read.cache.parts.read_through && read.cache.parts.buffered));
  CHECK_FALSE((read.cache.parts.connections || read.cache.parts.batch));
  CHECK(read.cache.parts.connections_max == 3);
  CHECK(read.cancellations == 2);
  CHECK(read.tasks[0].operations[1].key == 1);
  CHECK(read.tasks[0].operations[2].key == 0);
}

TEST_CASE("fields that do not fit each other are refused") {
  json document = valid();
  document["tasks"].push_back(document["tasks"][0]);
  CHECK(line_for_text(document.dump()) == "s.json: /tasks/1/name: expected a name of its own, not that of /tasks/0");
  CHECK(line_for(valid(), "/tasks/0/name", "body") ==
        "s.json: /tasks/0/name: expected another name: reports call what starts the tasks 'body'");
  CHECK(line_for(valid(), "/search/depth", 3) ==
        "s.json: /search/depth: expected no such key with strategy random, only strategy, switch_probability, memory_model, "
        "runs, seed, stop_at_violation");
  CHECK(line_for(valid(), "/search", {{"strategy", "bounded"}}) ==
        "s.json: /search: expected the key 'preemptions_max' with strategy bounded");
  CHECK(line_for(valid(), "/search", {{"strategy", "prove"}, {"seed", 1}})
            .starts_with("s.json: /search/seed: expected no such key with strategy prove"));
  CHECK(line_for(valid(), "/expect/verdict", "proved") ==
        "s.json: /expect/verdict: expected not_found: a sampling strategy shows no more");
  document = valid();
  document["search"] = {{"strategy", "prove"}};
  CHECK(line_for(document, "/expect/verdict", "exhausted").starts_with("s.json: /expect/verdict: expected proved or not_found"));
  CHECK(line_for(document, "/expect/verdict", "proved") == "");
  document = valid();
  document["oracles"] = {"pollution", "pollution"};
  CHECK(line_for_text(document.dump()) == "s.json: /oracles/1: expected 'pollution' once");
  document["oracles"] = {"pollution"};
  CHECK(line_for(document, "/expect", {{"violation", "ghost_entry"}}) ==
        "s.json: /expect/violation: expected an oracle that /oracles switches on, not ghost_entry");
  CHECK(line_for(document, "/expect", {{"violation", "data_race"}}) == "");
  CHECK(line_for(valid(), "/expect", {{"violation", "linearizability"}}) ==
        "s.json: /expect/violation: expected an oracle that /oracles switches on, not linearizability");
  document["oracles"] = {"linearizability"};
  document["cache"]["lease_us"] = 100;
  CHECK(line_for_text(document.dump()).starts_with("s.json: /oracles/0: expected no linearizability with lease_us"));
}

TEST_CASE("generators that cannot work are refused") {
  CHECK(line_for_text(generated().dump()) == "");
  CHECK(line_for(generated(), "/generate/tasks", 65) == "s.json: /generate/tasks: expected an integer from 1 to 64, not 65");
  CHECK(line_for(generated(), "/generate/mix", {{"serve", 0}}) == "s.json: /generate/mix: expected a weight above 0");
  CHECK(line_for(generated(), "/generate/mix", json::object()) ==
        "s.json: /generate/mix: expected at least one of the keys invalidate, lookup, serve");
  CHECK(line_for(generated(), "/generate/keys", {{"distribution", "uniform"}, {"exponent", 1}}) ==
        "s.json: /generate/keys/exponent: expected no such key with distribution uniform");
  CHECK(line_for(generated(), "/generate/cancellation_probability", 1.01) ==
        "s.json: /generate/cancellation_probability: expected a number from 0 to 1, not 1.01");
  CHECK(line_for(generated(), "/generate/prefix_tree", {{"depth", 16}, {"fanout", 3}}) ==
        "s.json: /generate/prefix_tree: expected fanout to the power of depth to be at most 65536");
  json document = generated();
  document["cache"]["tokens_per_block"] = 1024;
  document["generate"]["prefix_tree"] = {{"depth", 16}, {"fanout", 2}};
  document["generate"]["operations"] = 10'000;
  CHECK(line_for_text(document.dump()) ==
        "s.json: /generate: expected at most 10000000 tokens in all (tasks x operations x tokens in a prompt), not 327700000");
}

TEST_CASE("the oracles key switches off the others") {
  json document = valid();
  document["oracles"] = {"pollution"};
  const scenario read = std::get<scenario>(parse_scenario(document.dump(), ""));
  std::vector<std::string> others;
  for (const cache::oracle_description& oracle : cache::oracles())
    if (oracle.name != "pollution") others.emplace_back(oracle.name);
  CHECK(read.cache.oracles_off == others);
}

TEST_CASE("linearizability is checked where it is named") {
  json document = valid();
  CHECK_FALSE(std::get<scenario>(parse_scenario(document.dump(), "")).cache.linearizability);
  document["oracles"] = {"pollution", "linearizability"};
  CHECK(std::get<scenario>(parse_scenario(document.dump(), "")).cache.linearizability);
}

TEST_CASE("a line stays one line, whatever the path is called") {
  CHECK(line_for_text("[", "a\nb\x1b[2J\xFF.json").starts_with("a\\nb\\x1B[2J\\xFF.json: 1:"));
  CHECK(line_for_text("[",
                      "\xE2\x80\xAE"
                      "evil.json")
            .starts_with("\\u{202E}evil.json: "));
  const std::string line = line_for_text("[", std::string(5'000, 'p') + "/end.json");
  CHECK(line.size() < 500);
  CHECK(line.find("...") != std::string::npos);
  CHECK(line.find("/end.json: 1:") != std::string::npos);
}

TEST_CASE("every embedded scenario is valid, named after its number, and the first is the incident") {
  const auto files = scenarios::embedded_scenarios();
  REQUIRE(files.size() >= 14);
  unsigned long former = 0;
  for (const scenarios::embedded_file& file : files) {
    INFO(file.name);
    CHECK(line_for_text(file.text, file.name) == "");
    const unsigned long number = std::stoul(std::string(file.name));
    CHECK(number > former);  // no number twice
    former = number;
  }
  CHECK(files.front().name.substr(0, 2) == "01");
  const scenario first = std::get<scenario>(parse_scenario(files.front().text, ""));
  CHECK(first.cache.configuration.flaws == std::vector<std::string>{"metadata_second_section"});
}

TEST_CASE("an embedded scenario is found by number, name and name without number") {
  const std::string name(scenarios::embedded_scenarios().front().name);
  for (const std::string& called : {std::string("1"), std::string("01"), std::string("001"), name, name.substr(3)})
    CHECK(std::get<scenario>(scenarios::find_scenario(called)).source.path == name);
  const auto missing = scenarios::find_scenario(name + "x");
  CHECK(std::get<input_error>(missing).to_line("n") ==
        "n: expected a file or a scenario named by 'kvrace list'; did you mean '" + name + "'?");
  CHECK(std::get<input_error>(scenarios::find_scenario("no/such.json")).to_line("no/such.json") ==
        "no/such.json: cannot be read: No such file or directory");
  CHECK(std::get<input_error>(scenarios::find_scenario("/")).to_line("/") == "/: cannot be read: Is a directory");
  CHECK(std::get<input_error>(scenarios::find_scenario("/dev/zero")).to_line("z") == "z: expected at most 16777216 bytes");
  CHECK(std::get<input_error>(scenarios::find_scenario("")).to_line("") ==
        ": expected a file or a scenario named by 'kvrace list'");
}

TEST_CASE("the digest is FNV-1a as published") {
  CHECK(scenarios::digest_of("") == 0xcbf29ce484222325u);
  CHECK(scenarios::digest_of("a") == 0xaf63dc4c8601ec8cu);
  CHECK(scenarios::digest_of("foobar") == 0x85944171f73967e8u);
}

TEST_CASE("the schema describes every field and forbids unknown ones everywhere") {
  const json schema = json::parse(scenarios::scenario_schema());
  const std::function<void(const json&, const std::string&)> visit = [&](const json& node, const std::string& place) {
    INFO(place);
    if (node.contains("$ref")) return;
    CHECK(node.contains("description"));
    if (node.value("type", json()) == "object") CHECK(node.value("additionalProperties", true) == false);
    for (const char* group : {"properties", "definitions"})
      if (node.contains(group))
        for (const auto& [name, child] : node[group].items()) visit(child, place + "/" + name);
    if (node.contains("items")) visit(node["items"], place + "/items");
  };
  visit(schema, "");
}
