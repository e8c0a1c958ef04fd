#include "scenarios/trace_hits.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "scenarios/input_file.h"
#include "scenarios/loader.h"
#include "scenarios/random.h"
#include "scenarios/trace_prompt.h"
#include "scenarios/trace_report.h"

using namespace kvrace::scenarios;
using policy = hit_count::policy;

namespace {

using figure = std::tuple<policy, std::uint64_t, std::uint64_t>;  // policy, capacity, hits

constexpr std::uint64_t unbounded = kvrace::cache::plain_lru::unbounded;

std::vector<figure> figures_of(const trace_answer& answer) {
  std::vector<figure> figures;
  for (const hit_count& each : answer.hits) figures.emplace_back(each.by, each.capacity, each.hits);
  std::sort(figures.begin(), figures.end());
  return figures;
}

trace_answer answer_for(std::string_view text, const trace_question& question) {
  trace_reader reader(bytes_of(text), question.tokens_per_block);
  trace_answer answer = count_hits(reader, question);
  REQUIRE_FALSE(reader.error());
  return answer;
}

// Nullopt, with a word about it, where the public traces are not beside the project.
std::optional<trace_answer> answer_for_public(const std::string& name, const trace_question& question) {
  const std::string path = std::string(KVRACE_PROJECT_FOLDER "/../shared/traces/") + name;
  if (!std::filesystem::exists(path)) {
    WARN(path << " is not there, so its figures are not checked");
    return std::nullopt;
  }
  auto file = std::get<input_file>(input_file::open(path));
  trace_reader reader([&file](std::span<char> to) { return file.read(to); }, question.tokens_per_block);
  trace_answer answer = count_hits(reader, question);
  REQUIRE_FALSE(reader.error());
  return answer;
}

// Conversations that go on from prefixes of earlier ones: a block's name stands for all before it.
std::string conversations(std::uint64_t seed, unsigned requests) {
  random_engine random(seed);
  std::vector<std::vector<std::uint32_t>> prompts;
  std::uint32_t next = 0;
  std::string text;
  for (unsigned request = 0; request < requests; ++request) {
    std::vector<std::uint32_t> prompt;
    if (!prompts.empty() && random.chance(0.7)) {
      const auto& before = prompts[random.below(prompts.size())];
      prompt.assign(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(random.below(before.size() + 1)));
    }
    for (std::uint64_t more = 1 + random.below(5); more > 0; --more) prompt.push_back(next++);
    const std::uint64_t length = prompt.size() * 512 - random.below(512);
    text += R"({"timestamp": )" + std::to_string(request) + R"(, "input_length": )" + std::to_string(length) +
            R"(, "output_length": 1, "hash_ids": )" + nlohmann::json(prompt).dump() + "}\n";
    if (length % 512 != 0) prompt.pop_back();  // nobody goes on behind a partial block
    if (!prompt.empty()) prompts.push_back(std::move(prompt));
  }
  return text;
}

}  // namespace

TEST_CASE("hits of the conversation trace are those that are published about it") {
  const std::optional<trace_answer> answer = answer_for_public("conversation_trace.jsonl", {});
  if (!answer) return;
  CHECK(answer->facts.requests == 12'031);
  CHECK(answer->facts.blocks == 288'500);
  CHECK(answer->facts.blocks_full == 276'491);
  CHECK(answer->unchained == 0);
  CHECK(figures_of(*answer) == std::vector<figure>{{policy::plain_lru_all, 1'000, 12'831},
                                                   {policy::plain_lru_all, 10'000, 60'921},
                                                   {policy::plain_lru_all, 30'000, 93'967},
                                                   {policy::plain_lru_all, 100'000, 104'924},
                                                   {policy::plain_lru_all, unbounded, 105'710},
                                                   {policy::plain_lru_full, 1'000, 12'933},
                                                   {policy::plain_lru_full, 10'000, 61'996},
                                                   {policy::plain_lru_full, 30'000, 95'308},
                                                   {policy::plain_lru_full, 100'000, 104'926},
                                                   {policy::plain_lru_full, unbounded, 105'592},
                                                   {policy::cache, 1'000, 12'990},
                                                   {policy::cache, 10'000, 62'005},
                                                   {policy::cache, 30'000, 95'337},
                                                   {policy::cache, 100'000, 104'926}});
  CHECK_FALSE(contradicts_itself(*answer));
}

TEST_CASE("per block and per longest prefix a trace has as many hits, at every capacity") {
  trace_question question;
  question.capacities = {1, 2, 3, 10, 100, 1'000, 7'000, unbounded};
  question.locking.clear();
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const hit_count& each : answer_for(conversations(seed, 500), question).hits) CHECK(each.hits == each.prefix_hits);
  if (const auto answer = answer_for_public("synthetic_trace.jsonl", question)) {
    CHECK(answer->unchained == 0);
    for (const hit_count& each : answer->hits) CHECK(each.hits == each.prefix_hits);
  }
}

TEST_CASE("names that are not those of prefixes are told, and may hit behind a miss") {
  const std::string text = R"({"timestamp": 0, "input_length": 1024, "output_length": 1, "hash_ids": [1, 2]})"
                           "\n"
                           R"({"timestamp": 0, "input_length": 1024, "output_length": 1, "hash_ids": [3, 2]})"
                           "\n";
  trace_question question;
  question.capacities = {unbounded};
  const trace_answer answer = answer_for(text, question);
  CHECK(answer.unchained == 1);
  CHECK(answer.hits[0].hits == 1);
  CHECK(answer.hits[0].prefix_hits == 0);
  CHECK_FALSE(contradicts_itself(answer));
  CHECK(trace_text("t", question, answer).find("names are not those of prefixes") != std::string::npos);
}

TEST_CASE("with exact recency every locking strategy finds the same blocks again, and with room enough all do") {
  const std::string text = conversations(5, 400);
  trace_question question;
  question.capacities = {20, 100, 10'000};
  const auto hits_with = [&](const char* locking) {
    question.locking = locking;
    std::vector<std::uint64_t> hits;
    for (const hit_count& each : answer_for(text, question).hits)
      if (each.by == policy::cache) hits.push_back(each.hits);
    return hits;
  };
  const std::vector<std::uint64_t> mutex = hits_with("mutex");
  CHECK(hits_with("rwlock").back() == mutex.back());
  CHECK(hits_with("epoch").back() == mutex.back());
  CHECK(mutex[0] < mutex[1]);
  CHECK(mutex[1] < mutex[2]);
}

TEST_CASE("a prompt in a few tokens a block ends as it does in all of them") {
  std::vector<kvrace::cache::token> tokens;
  const std::vector<std::uint32_t> blocks = {7, 8};
  for (const std::uint32_t cache_tokens : {2u, 3u, 16u, 511u, 512u})
    for (const std::uint32_t length : {512u, 513u, 514u, 767u, 768u, 1'022u, 1'023u, 1'024u}) {
      const block_scale scale{.trace_tokens = 512, .cache_tokens = cache_tokens};
      write_trace_prompt(std::span(blocks).first((length + 511) / 512), length, scale, tokens);
      CHECK(tokens.size() / cache_tokens == length / 512);
      CHECK((tokens.size() - 1) / cache_tokens == (length - 1) / 512);
      if (cache_tokens == 512) CHECK(tokens.size() == length);
    }
}

TEST_CASE("only as many requests are read as were asked for") {
  trace_question question;
  question.requests_max = 3;
  CHECK(answer_for(conversations(1, 10), question).facts.requests == 3);
}

TEST_CASE("the report about a trace follows its schema") {
  const auto schema_text = nlohmann::json::parse(
      std::get<std::string>(read_file(KVRACE_PROJECT_FOLDER "/reports/schema/trace.schema.json", scenario_bytes_max)));
  valijson::Schema schema;
  valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_text), schema);
  const auto follows = [&](const trace_question& question, const std::string& text) {
    const nlohmann::json document = nlohmann::json::parse(trace_json("t\xff", question, answer_for(text, question)));
    return valijson::Validator().validate(schema, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
  };
  CHECK(follows({}, conversations(1, 20)));
  CHECK(follows({}, "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.009930+00:00,2162,5\n"));
}
