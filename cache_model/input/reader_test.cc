// From bytes to tokens: the chunks make no difference, unless a flaw is planted; and then it is known what was meant.
#include <kvrace/cache/input.h>

#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

#include "cache_model/test_programs.h"

namespace kvrace::cache {
namespace {

using namespace test;

configuration in_chunks(std::uint32_t chunk_bytes, std::vector<std::string> flaws = {}) {
  configuration result = configuration_of("mutex", std::move(flaws));
  result.input_chunk_bytes = chunk_bytes;
  return result;
}

prompt read(input_reader& reader, std::string_view bytes) {
  prompt result{.owner = model("m"), .tokens = {}};
  reader.read(bytes, result);
  return result;
}
prompt read(const configuration& configuration, std::string_view bytes) {
  input_reader reader(configuration);
  return read(reader, bytes);
}

// Emoji of which the first three bytes, or all but the last code points, are equal; and what is no UTF-8.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = {
      "",
      "plain",
      "\xF0\x9F\x98\x80?",
      "\xF0\x9F\x98\x8A?",
      "a\xF0\x9F\x98\x8A\xF0\x9F\x98\x80",
      "a\xF0\x9F\x98\x80\xF0\x9F\x98\x8A",
      "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7",
      "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA6",
      "\xF0\xB1\x8D\x90\xF0\xB1\x8D\x91",
      "\xF0\xB1\x8D\x91\xF0\xB1\x8D\x90",
      "Test\xE2\x9C\x85 ### [t]{1}",
      "e\xCC\x81\xCC\xA3 \xF0\x9F\x87\xA9\xF0\x9F\x87\xAA",
      "\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41",
      "\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41",
      "\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42",
      "\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41",
  };
  return all;
}

TEST_CASE("Chunks of any size make the same tokens, and no other than were meant") {
  input_reader whole(in_chunks(4'096));
  for (std::uint32_t chunk_bytes = 1; chunk_bytes <= 32; ++chunk_bytes) {
    input_reader reader(in_chunks(chunk_bytes));
    for (const std::string& text : texts()) {
      const prompt result = read(reader, text);
      REQUIRE(result.tokens == read(whole, text).tokens);
      REQUIRE(result.meant == nullptr);
    }
  }
}

TEST_CASE("Different texts are different tokens") {
  input_reader reader(in_chunks(7));
  std::map<std::vector<token>, std::string> seen;
  for (const std::string& text : texts()) {
    const prompt result = read(reader, text);
    const auto [first, is_new] = seen.emplace(result.tokens, result.input->text);
    REQUIRE((is_new || first->second == result.input->text));
  }
}

TEST_CASE("With a flaw different texts can become the same tokens, and what was meant differs all the same") {
  for (const char* const flaw : {"bytes_decoded_by_chunk", "clusters_split_by_chunk"}) {
    std::size_t collisions = 0;
    std::size_t shared = 0;
    for (std::uint32_t chunk_bytes = 1; chunk_bytes <= 32; ++chunk_bytes) {
      input_reader reader(in_chunks(chunk_bytes, {flaw}));
      for (const std::string& a : texts())
        for (const std::string& b : texts()) {
          const prompt first = read(reader, a);
          const prompt second = read(reader, b);
          if (first.input->text == second.input->text) continue;
          INFO(flaw << ", chunks of " << chunk_bytes << ": " << first.input->text << ", " << second.input->text);
          REQUIRE(meaning_of(first).tokens != meaning_of(second).tokens);
          REQUIRE(meaning_of(first).tokens.size() == first.tokens.size());
          collisions += first.tokens == second.tokens ? 1 : 0;
          shared += !first.tokens.empty() && !second.tokens.empty() && first.tokens.front() == second.tokens.front() &&
                            meaning_of(first).tokens.front() != meaning_of(second).tokens.front()
                        ? 1
                        : 0;
        }
    }
    CHECK((std::string_view(flaw) != "bytes_decoded_by_chunk" || collisions > 0));
    CHECK(shared > 0);
  }
}

TEST_CASE("An emoji between two chunks is two replacement characters with the flaw, and one token without it") {
  const prompt flawed = read(in_chunks(3, {"bytes_decoded_by_chunk"}), "\xF0\x9F\x98\x8A");
  CHECK(flawed.tokens == std::vector<token>{0xFFFD, 0xFFFD});
  CHECK(flawed.input->replaced == 2);
  const prompt repaired = read(in_chunks(3), "\xF0\x9F\x98\x8A");
  CHECK(repaired.tokens == std::vector<token>{0x1F60A});
  CHECK(repaired.input->replaced == 0);
}

TEST_CASE("What is no UTF-8 is replaced and counted") {
  const prompt result = read(in_chunks(2), "\xED\xA0\x80\x41");
  CHECK(result.tokens == std::vector<token>{0xFFFD, 0xFFFD, 0xFFFD, 0x41});
  CHECK(result.input->replaced == 3);
  CHECK(result.meant == nullptr);
}

TEST_CASE("Triggers are counted whether they are replaced or not") {
  const prompt repaired = read(in_chunks(1), "a####b[x]{1}");
  CHECK(repaired.tokens == std::vector<token>{'a', ' ', 'b', ' '});
  CHECK(repaired.input->triggers == 2);
  CHECK(repaired.input->triggers_left == 0);
  const prompt flawed = read(in_chunks(1, {"input_not_sanitized"}), "a####b[x]{1}");
  CHECK(flawed.tokens.size() == 12);
  CHECK(flawed.input->triggers == 2);
  CHECK(flawed.input->triggers_left == 2);
  CHECK(flawed.meant == nullptr);
}

TEST_CASE("A megabyte without a break is read") {
  std::string bytes = "a";
  for (int i = 0; i < 1 << 19; ++i) bytes += "\xCC\x81";
  const prompt result = read(in_chunks(4'096), bytes);
  CHECK(result.input->clusters_cut == 8'192);
  CHECK(result.tokens.size() == 8'193);
}

TEST_CASE("Requests count what was found in their input") {
  const configuration configuration = in_chunks(4'096);
  program_under_test program{.configuration = configuration,
                             .tasks = {{serve(read(configuration, "a###")), lookup(read(configuration, "\xFF")), serve("A")}}};
  auto metrics = metrics_of(sample(program, 1, 1));
  CHECK(metrics["inputs"] == 2);
  CHECK(metrics["inputs_triggering"] == 1);
  CHECK(metrics["triggers"] == 1);
  CHECK(metrics["characters_replaced"] == 1);
  CHECK(metrics["clusters_cut"] == 0);
}

}  // namespace
}  // namespace kvrace::cache
