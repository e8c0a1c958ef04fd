// Recorded traffic in a scenario: when it arrives, what its prompts are, and what is refused.
#include "scenarios/recorded_trace.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "scenarios/loader.h"
#include "scenarios/program.h"
#include "scenarios/trace_hits.h"
#include "scenarios/traffic.h"
#include "scenarios/traffic_account.h"

using nlohmann::json;
using namespace kvrace::scenarios;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

namespace {

const std::string traces = KVRACE_PROJECT_FOLDER "/scenarios/traces/";

std::string line(std::uint64_t timestamp, std::uint64_t length, const std::vector<std::uint32_t>& blocks) {
  return json{{"timestamp", timestamp}, {"input_length", length}, {"output_length", 10}, {"hash_ids", blocks}}.dump() + "\n";
}

std::shared_ptr<const recorded_trace> trace_of(std::string_view text, const recording_options& options = {}) {
  return std::get<std::shared_ptr<const recorded_trace>>(recorded_trace::read(bytes_of(text), options));
}

std::string refused(std::string_view text, const recording_options& options = {}) {
  const auto read = recorded_trace::read(bytes_of(text), options);
  const input_error* const error = std::get_if<input_error>(&read);
  return error == nullptr ? "" : error->to_line("t");
}

json valid(const std::string& file = traces + "chat.jsonl") {
  return {{"name", "valid"},
          {"cache", {{"locking", "mutex"}, {"capacity_blocks", 12}, {"tokens_per_block", 2}}},
          {"traffic", {{"seed", 1}, {"trace", {{"file", file}}}}},
          {"search", {{"strategy", "random"}, {"runs", 1}}},
          {"expect", {{"verdict", "not_found"}}}};
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

std::vector<arrival> arrivals_of(const scenario& asked) {
  arrival_stream stream(*asked.traffic, asked.cache.configuration.tokens_per_block);
  std::vector<arrival> all;
  for (arrival next; stream.next(next);) all.push_back(next);
  return all;
}

}  // namespace

TEST_CASE("jitter spreads the requests of a tick over it, and keeps their order") {
  std::string text;
  for (std::uint64_t tick = 0; tick < 50; ++tick)
    for (int request = 0; request < 20; ++request) text += line(tick * 3'000, 1, {0});
  const auto still = trace_of(text);
  const auto moved = trace_of(text, {.jitter = milliseconds(3'000), .seed = 1});
  const auto other = trace_of(text, {.jitter = milliseconds(3'000), .seed = 2});
  const auto wide = trace_of(text, {.jitter = milliseconds(10'000), .seed = 1});
  std::set<nanoseconds> times;
  double sum_ms = 0;
  bool differ = false;
  for (std::size_t request = 0; request < still->size(); ++request) {
    const nanoseconds shift = moved->time(request) - still->time(request);
    CHECK(shift >= nanoseconds(0));
    CHECK(shift < milliseconds(3'000));
    CHECK((request == 0 || moved->time(request - 1) <= moved->time(request)));
    CHECK((request == 0 || wide->time(request - 1) <= wide->time(request)));
    sum_ms += static_cast<double>(shift.count()) / 1e6;
    differ = differ || moved->time(request) != other->time(request);
    times.insert(moved->time(request));
  }
  CHECK(times.size() == still->size());
  CHECK(differ);
  // Five standard errors of a mean of 1,000 even draws: 5 * 3000 / sqrt(12 * 1000).
  CHECK(sum_ms / 1'000 == Approx(1'500).margin(137));
  CHECK(trace_of(text, {.jitter = milliseconds(3'000), .seed = 1})->time(7) == moved->time(7));
}

TEST_CASE("times are scaled to the rate that is asked for") {
  json document = valid();
  document["traffic"]["tick_us"] = 0;
  document["traffic"]["trace"]["jitter_ms"] = 3'000;
  const scenario as_recorded = read(document);
  document["traffic"]["trace"]["speed"] = 100;
  const scenario faster = read(document);
  document["traffic"]["trace"].erase("speed");
  document["traffic"]["qps"] = 600;
  const scenario at_600 = read(document);
  CHECK(at_600.traffic->qps == 600);
  CHECK(faster.traffic->qps == Approx(as_recorded.traffic->qps * 100));
  const std::vector<arrival> slow = arrivals_of(as_recorded);
  const std::vector<arrival> fast = arrivals_of(faster);
  const std::vector<arrival> rated = arrivals_of(at_600);
  REQUIRE(slow.size() == 48);
  REQUIRE(rated.size() == 48);
  for (std::size_t index = 0; index < slow.size(); ++index) {
    CHECK(slow[index].time == as_recorded.traffic->trace->time(index));
    CHECK(std::abs((fast[index].time - slow[index].time / 100).count()) <= 1);
  }
  // 48 requests in 51 seconds: the last one is within a tick of the end.
  CHECK(rated.back().time <= milliseconds(80));
  CHECK(rated.back().time >= milliseconds(80) * 48 / 51);
}

TEST_CASE("a prompt of the trace has its blocks, its length and its answer's") {
  std::ofstream("recorded.jsonl") << line(0, 1'300, {7, 8, 9}) << line(5, 512, {7});
  json document = valid(std::filesystem::absolute("recorded.jsonl"));
  document["cache"]["tokens_per_block"] = 4;
  document["traffic"]["service"] = {{"decode_us_per_token", 3}};
  const std::vector<arrival> all = arrivals_of(read(document));
  REQUIRE(all.size() == 2);
  CHECK(all[0].prompt.tokens == std::vector<kvrace::cache::token>{7, 7, 7, 7, 8, 8, 8, 8, 9, 9});
  CHECK(all[0].recorded_tokens == 1'300);
  CHECK(all[0].decode == std::chrono::microseconds(30));
  CHECK(all[1].prompt.tokens == std::vector<kvrace::cache::token>{7, 7, 7, 7});
  std::filesystem::remove("recorded.jsonl");
}

TEST_CASE("prompts of a trace without blocks begin as in the prefix tree and go on as nobody else's") {
  json document = valid(traces + "lengths.csv");
  document["traffic"]["prefix_tree"] = {{"depth", 2}, {"fanout", 1}};
  const std::vector<arrival> all = arrivals_of(read(document));
  REQUIRE(all.size() == 40);
  std::set<std::vector<kvrace::cache::token>> tails;
  std::size_t with_tail = 0;
  for (const arrival& each : all) {
    const std::vector<kvrace::cache::token>& tokens = each.prompt.tokens;
    CHECK(tokens.size() / 2 == each.recorded_tokens / 512);
    for (std::size_t at = 0; at < std::min<std::size_t>(tokens.size(), 4); ++at) CHECK(tokens[at] == 1 + at / 2);
    if (tokens.size() <= 4) continue;
    ++with_tail;
    tails.insert(std::vector<kvrace::cache::token>(tokens.begin() + 4, tokens.begin() + 5));
  }
  CHECK(with_tail > 10);
  CHECK(tails.size() == with_tail);
}

TEST_CASE("with one worker under the scheduler a trace hits as in the cache alone") {
  json document = valid();
  document["traffic"]["workers"] = 1;
  document["traffic"]["service"] = {{"prefill_us_per_token", 0}, {"decode_us_per_token", 0}};
  for (const std::uint64_t capacity : {1u, 5u, 12u, 64u, 1'000u}) {
    document["cache"]["capacity_blocks"] = capacity;
    const scenario asked = read(document);
    traffic_account account(*asked.traffic);
    REQUIRE(search_for_violations(asked, nullptr, &account).passed());
    std::uint64_t tokens_hit = 0;
    for (const kvrace::reports::rate& each : account.facts().total.rates)
      if (each.name == "hit") tokens_hit = each.numerator;
    const auto text = std::get<std::string>(read_file(traces + "chat.jsonl", scenario_bytes_max));
    trace_reader reader(bytes_of(text), 512);
    trace_question question;
    question.capacities = {capacity};
    const trace_answer alone = count_hits(reader, question);
    CHECK(tokens_hit == alone.hits.back().hits * 512);
  }
}

TEST_CASE("what the open end of a prompt takes is that of its own tokens") {
  std::ofstream("open.jsonl") << line(0, 513, {1, 2}) << line(1'000, 1'023, {1, 3}) << line(2'000, 512, {1});
  json document = valid(std::filesystem::absolute("open.jsonl"));
  document["traffic"]["tick_us"] = 0;
  document["traffic"]["service"] = {{"prefill_us_per_token", 100}, {"decode_us_per_token", 0}};
  const scenario asked = read(document);
  traffic_account account(*asked.traffic);
  REQUIRE(search_for_violations(asked, nullptr, &account).passed());
  // 513 tokens, 511 behind a block that is there, and all of a block whose last token is computed anew.
  const kvrace::reports::traffic_window total = account.facts().total;
  CHECK(total.latency_ms.max == Approx(51.3).epsilon(0.02));
  CHECK(total.latency_ms.p50 == Approx(51.2).epsilon(0.02));
  std::filesystem::remove("open.jsonl");
}

TEST_CASE("too little or too much of a trace is refused by name") {
  CHECK(refused(line(0, 1, {0}), {.requests = 2}) == "t: expected at least 2 requests, as the key 'requests' says, not 1");
  CHECK(trace_of(line(0, 1, {0}) + "broken", {.requests = 1})->size() == 1);
  CHECK(refused(line(0, 1, {0}) + "broken").starts_with("t: 2: column 1: expected JSON: "));
  CHECK(refused("TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00,4294967295,5\n") ==
        "t: 2: expected at most 65536 blocks in a prompt, not 8388608");
}

TEST_CASE("every field of a traffic block with a trace is checked") {
  CHECK(line_for(valid()).empty());
  const auto with = [](const char* pointer, const json& value) { return line_for(valid(), pointer, value); };
  CHECK(with("/traffic/requests", 10) == "s.json: /traffic: expected exactly one of the keys requests, duration_s, trace");
  CHECK(with("/traffic/trace/file", "") == "s.json: /traffic/trace/file: expected a string that is not empty");
  CHECK(with("/traffic/trace/files", "x").starts_with("s.json: /traffic/trace/files: expected one of the keys "));
  CHECK(with("/traffic/trace/file", "nowhere.jsonl") ==
        "s.json: /traffic/trace/file: nowhere.jsonl: cannot be read: No such file or directory");
  CHECK(with("/traffic/trace/tokens_per_block", 16)
            .ends_with("chat.jsonl: 1: /hash_ids: expected 125 blocks of 16 tokens, as input_length is 1990, not 4"));
  CHECK(with("/traffic/trace/speed", 0) == "s.json: /traffic/trace/speed: expected a number above 0 and up to 1000000000, not 0");
  CHECK(with("/traffic/trace/jitter_ms", -1) ==
        "s.json: /traffic/trace/jitter_ms: expected a number from 0 to 1000000000, not -1");
  CHECK(with("/traffic/trace/requests", 49)
            .ends_with("chat.jsonl: expected at least 49 requests, as the key 'requests' says, not 48"));
  CHECK(with("/traffic/arrivals", "poisson") ==
        "s.json: /traffic/arrivals: expected no such key with a trace, which has its own");
  CHECK(with("/traffic/service", {{"output_tokens", 5}}) ==
        "s.json: /traffic/service/output_tokens: expected no such key with a trace, which has its own");
  CHECK(with("/traffic/prefix_tree", {{"depth", 2}, {"fanout", 2}}) ==
        "s.json: /traffic/prefix_tree: expected no such key with a trace, which has its own");
  CHECK(with("/cache/tokens_per_block", 1).starts_with("s.json: /cache/tokens_per_block: expected 2 to 512 with a trace"));
  CHECK(with("/cache/tokens_per_block", 1'024).starts_with("s.json: /cache/tokens_per_block: expected 2 to 512 with a trace"));
  json document = valid();
  document["traffic"]["qps"] = 100;
  CHECK(line_for(document).empty());
  CHECK(line_for(document, "/traffic/trace/speed", 2).starts_with("s.json: /traffic/trace/speed: expected no such key with qps"));
  document["traffic"]["trace"]["requests"] = 1;
  CHECK(line_for(document).starts_with(
      "s.json: /traffic/qps: expected no such key with a trace whose requests are all at one time"));
}

TEST_CASE("a trace is looked for beside its scenario, and the command line may name another") {
  const std::string text = valid("traces/chat.jsonl").dump();
  CHECK(std::holds_alternative<scenario>(parse_scenario(text, KVRACE_PROJECT_FOLDER "/scenarios/s.json")));
  CHECK(std::holds_alternative<input_error>(parse_scenario(text, KVRACE_PROJECT_FOLDER "/s.json")));
  const auto other = parse_scenario(text, KVRACE_PROJECT_FOLDER "/s.json", traces + "lengths.csv");
  REQUIRE(std::holds_alternative<scenario>(other));
  CHECK(std::get<scenario>(other).traffic->trace->size() == 40);
  CHECK(std::holds_alternative<scenario>(parse_scenario(text, "194_trace_epoch")));
}
