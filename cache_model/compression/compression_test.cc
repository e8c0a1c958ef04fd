// Compression in blocks: a reader sees its own rows and zeros, whatever the length and whoever had the buffers before.
#include <kvrace/cache/compression.h>

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

#include <kvrace/std_sync.h>

#include "cache_model/compression/compressed_rows.h"
#include "cache_model/flaws/flaws.h"
#include "cache_model/test_programs.h"

namespace kvrace::cache {
namespace {

using namespace std::chrono_literals;
using namespace test;

// The digests of a prompt of so many tokens, like those of no other `prompt`.
std::vector<std::uint64_t> digests_of(std::uint64_t prompt, std::size_t tokens) {
  std::vector<std::uint64_t> digests;
  for (std::size_t i = 0; i < tokens; ++i) digests.push_back(prompt << 32U | (i + 1));
  return digests;
}

const compression_policy& repaired() {
  static const compression_policy policy;
  return policy;
}
const compression_policy& flawed() {
  static const seams planted = [] {
    seams result;
    find_flaw("short_last_block")->plant(result);
    return result;
  }();
  return *planted.compression;
}

// Reads every row of every block, as a decoder does that knows the number of blocks only, and says how many are of `prompt`,
// zero, or neither.
struct rows_read {
  std::size_t own = 0;
  std::size_t zero = 0;
  std::size_t foreign = 0;
};
rows_read read_all(const row_buffers<std_sync>& buffers, const compressed_rows<std_sync>& rows, std::uint32_t block_tokens,
                   std::uint64_t prompt) {
  rows_read result;
  for (std::size_t block = 0; block < rows.blocks(); ++block)
    for (std::uint32_t row = 0; row < block_tokens; ++row) {
      const compressed_row& found = buffers.read(rows.buffer(block))[row];
      if (found.zero())
        ++result.zero;
      else
        ++(found.digest >> 32U == prompt ? result.own : result.foreign);
    }
  return result;
}

// A request of `length` tokens in buffers that another one has filled before.
struct second_request {
  rows_read rows;
  bool oracle_objects = false;
};
second_request compress_second(const compression_policy& policy, std::uint32_t block_tokens, std::uint32_t length) {
  const auto before = digests_of(1, std::size_t{block_tokens} * 4);
  const auto digests = digests_of(2, length);
  row_buffers<std_sync> buffers(4, block_tokens, {});
  compressed_rows<std_sync> rows;
  rows.compress(buffers, policy, block_tokens, 1, before, 0);
  rows.give_back(buffers);
  rows.compress(buffers, policy, block_tokens, 2, digests, 0);
  return {read_all(buffers, rows, block_tokens, 2), rows.read(buffers).has_value()};
}

TEST_CASE("A reader of padded blocks sees all of its own rows, then zeros, at every length up to four blocks") {
  for (const std::uint32_t block_tokens : {1U, 2U, 3U, 4U, 7U, 16U, 64U, 128U, 256U})
    for (std::uint32_t length = 1; length <= 4 * block_tokens; ++length) {
      const second_request seen = compress_second(repaired(), block_tokens, length);
      INFO("length " << length << ", blocks of " << block_tokens);
      REQUIRE(seen.rows.own == length);
      REQUIRE(seen.rows.zero == padding_rows(length, block_tokens));
      REQUIRE(seen.rows.foreign == 0);
      REQUIRE_FALSE(seen.oracle_objects);
    }
}

TEST_CASE("A reader of a short last block sees as many foreign rows as are missing, and the oracle says so") {
  for (const std::uint32_t block_tokens : {1U, 2U, 3U, 4U, 7U, 16U, 64U, 128U, 256U})
    for (std::uint32_t length = 1; length <= 4 * block_tokens; ++length) {
      const second_request seen = compress_second(flawed(), block_tokens, length);
      INFO("length " << length << ", blocks of " << block_tokens);
      REQUIRE(seen.rows.own == length);
      REQUIRE(seen.rows.foreign == padding_rows(length, block_tokens));
      REQUIRE(seen.oracle_objects == (length % block_tokens != 0));
    }
}

TEST_CASE("Every block is full after padding, a multiple needs none, and none needs a whole block") {
  for (std::uint32_t block_tokens = 1; block_tokens <= 300; ++block_tokens)
    for (std::uint32_t rows = 0; rows <= 4 * block_tokens; ++rows) {
      const std::uint32_t padding = padding_rows(rows, block_tokens);
      REQUIRE((rows + padding) % block_tokens == 0);
      REQUIRE(padding < block_tokens);
      REQUIRE((rows % block_tokens != 0 || padding == 0));
      REQUIRE(compressed_blocks(rows, block_tokens) == (rows + padding) / block_tokens);
    }
}

TEST_CASE("No tile of a head reaches into the next block, and no smaller block would do") {
  for (std::uint32_t tile = 1; tile <= 64; ++tile)
    for (std::uint32_t asked = 1; asked <= 300; ++asked) {
      const std::uint32_t block_tokens = aligned_block_tokens(asked, tile);
      REQUIRE(block_tokens >= asked);
      REQUIRE(block_tokens - asked < tile);
      for (std::uint32_t first = 0; first < 3 * block_tokens; first += tile)
        REQUIRE(first / block_tokens == (first + tile - 1) / block_tokens);
    }
}

TEST_CASE("Blocks have 64, 128 or 256 tokens, and padding costs what the thresholds say") {
  CHECK(compression_block_tokens(1) == 64);
  CHECK(compression_block_tokens(1'023) == 64);
  CHECK(compression_block_tokens(1'024) == 128);
  CHECK(compression_block_tokens(4'095) == 128);
  CHECK(compression_block_tokens(4'096) == 256);
  CHECK(compression_block_tokens(1'000'000) == 256);
  for (std::uint64_t tokens = 1'024; tokens <= 20'000; ++tokens)
    REQUIRE(padding_rows(tokens, compression_block_tokens(tokens)) * 100 < tokens * (tokens < 4'096 ? 13 : 7));
}

TEST_CASE("Buffers are taken in the order in which they were given back, all that are wanted or none") {
  row_buffers<std_sync> buffers(3, 1, {});
  std::uint32_t a[2];
  std::uint32_t b[3];
  REQUIRE(buffers.take(a, 2));
  CHECK(a[0] == 0);
  CHECK(a[1] == 1);
  CHECK_FALSE(buffers.take(b, 2));
  REQUIRE(buffers.take(b, 1));
  CHECK(b[0] == 2);
  buffers.give_back(a + 1, 1);
  buffers.give_back(b, 1);
  buffers.give_back(a, 1);
  REQUIRE(buffers.take(b, 3));
  CHECK(b[0] == 1);
  CHECK(b[1] == 2);
  CHECK(b[2] == 0);
}

TEST_CASE("A request that finds too few buffers keeps its rows as they are, and nobody reads them out of a buffer") {
  row_buffers<std_sync> buffers(2, 4, {});
  compressed_rows<std_sync> large;
  large.compress(buffers, flawed(), 4, 1, digests_of(1, 9), 0);
  CHECK(large.blocks() == 0);
  CHECK_FALSE(large.read(buffers).has_value());
  const auto digests = digests_of(2, 8);
  compressed_rows<std_sync> small;
  small.compress(buffers, flawed(), 4, 2, digests, 0);
  CHECK(small.blocks() == 2);
}

program_under_test two_requests(std::uint32_t buffers, std::chrono::nanoseconds scrub, std::chrono::nanoseconds between) {
  program_under_test program{.configuration = configuration_of("mutex", {"short_last_block"}, 2, 2),
                             .tasks = {{serve("AB"), wait(between), serve("C")}}};
  program.configuration.compression = {.buffers = buffers, .block_tokens = 2, .scrub = scrub};
  return program;
}

TEST_CASE("What a buffer held is found by who takes it next, unless it was scrubbed before or never used") {
  CHECK(oracle_of(sample(two_requests(1, {}, 1ms), 1, 1)) == "pollution");
  CHECK(oracle_of(sample(two_requests(1, 2ms, 1ms), 1, 1)) == "pollution");
  CHECK(oracle_of(sample(two_requests(1, 1ms, 1ms), 1, 1)).empty());
  CHECK(oracle_of(sample(two_requests(2, {}, 1ms), 1, 1)).empty());
}

TEST_CASE("The rows of an equal prompt are not foreign") {
  program_under_test program{.configuration = configuration_of("mutex", {"short_last_block"}, 2, 2),
                             .tasks = {{serve("ABCD"), serve("ABC"), serve("ABCD")}}};
  program.configuration.compression = {.buffers = 1, .block_tokens = 8};
  CHECK(oracle_of(sample(program, 1, 1)) == "pollution");  // the fourth row is not of the second prompt
  program.tasks = {{serve("ABCD"), serve("ABCD")}};
  CHECK(oracle_of(sample(program, 1, 1)).empty());
}

TEST_CASE("A cancelled request gives its buffers back, and a request of no full block is compressed too") {
  program_under_test program{.configuration = configuration_of("epoch", {"short_last_block"}, 2, 4),
                             .tasks = {{serve("ABCDE", cancel_point::after_lookup), serve("ABCDE", cancel_point::after_reserve),
                                        serve("AB", cancel_point::after_fill), serve("C")}}};
  program.configuration.compression = {.buffers = 1, .block_tokens = 4};
  CHECK(oracle_of(sample(program, 1, 1)) == "pollution");
  program.configuration.flaws.clear();
  CHECK(oracle_of(sample(program, 1, 1)).empty());
}

TEST_CASE("Padded blocks stay clean under random workloads, with every locking strategy") {
  for (const locking_description& locking : locking_strategies())
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      program_under_test program = random_program(std::string(locking.name), seed);
      const auto buffers = static_cast<std::uint32_t>(1 + seed % 4);
      program.configuration.compression = {.buffers = buffers, .block_tokens = 1 + buffers, .head_tile = 1 + buffers % 2};
      const result result = sample(program, seed, 100);
      INFO(locking.name << ", seed " << seed << ": " << result);
      REQUIRE(result.verdict == verdict::not_found);
    }
}

}  // namespace
}  // namespace kvrace::cache
