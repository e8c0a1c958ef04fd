#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

#include <kvrace/cache/keys.h>
#include <kvrace/cache/seams.h>

#include "cache_model/flaws/untagged_fields.h"
#include "cache_model/test_support.h"

namespace kvrace::cache {
namespace {

using test::model;
using test::prompt_of;

std::string bytes_of(key_view key) { return {reinterpret_cast<const char*>(key.data()), key.size()}; }

std::vector<std::string> keys_of(const key_policy& policy, const prompt& prompt, std::uint32_t tokens_per_block) {
  key_list<std_sync> keys;
  keys.assign(policy, prompt, tokens_per_block);
  std::vector<std::string> result;
  for (std::size_t i = 0; i < keys.size(); ++i) result.push_back(bytes_of(keys[i]));
  return result;
}

// Every combination of field values in which neighbouring fields could be confused.
std::vector<prompt> grid() {
  const std::vector<std::string> texts = {
      "", "a", "b", "ab", "aa", "a1", "1", "m", "t", "#", std::string("\0", 1), std::string("a\0", 2)};
  std::vector<prompt> prompts;
  for (const char* const name : {"m", "ma", "mab", "m1"})
    for (const std::string& adapter : texts)
      for (const std::uint32_t version : {0U, 1U, 11U})
        for (const std::string& tenant : texts)
          for (const std::vector<token>& tokens : {std::vector<token>{1}, {2}, {1, 1}, {0x61}})
            prompts.push_back({{.model = name, .adapter = adapter, .adapter_version = version, .tenant = tenant}, tokens});
  return prompts;
}

std::size_t collisions(const key_policy& policy) {
  std::map<std::string, const prompt*> seen;
  std::size_t count = 0;
  const std::vector<prompt> prompts = grid();
  for (const prompt& each : prompts)
    if (!seen.emplace(keys_of(policy, each, 1).back(), &each).second) ++count;
  return count;
}

TEST_CASE("No two different prompts of a grid of field values have one key") { CHECK(collisions(key_policy()) == 0); }

TEST_CASE("Untagged fields do collide on the same grid") { CHECK(collisions(untagged_fields()) > 100); }

TEST_CASE("The key of a block is its parent's key followed by the block's tokens") {
  const std::vector<std::string> keys = keys_of(key_policy(), prompt_of("AABBC"), 2);
  REQUIRE(keys.size() == 2);
  CHECK(keys[1].compare(0, keys[0].size(), keys[0]) == 0);
  CHECK(keys[1].size() == keys[0].size() + 2 * sizeof(token));
}

TEST_CASE("Only full blocks have keys") {
  CHECK(keys_of(key_policy(), prompt_of("AAA"), 4).empty());
  CHECK(keys_of(key_policy(), prompt_of(""), 4).empty());
  CHECK(keys_of(key_policy(), prompt_of("AAAABBB"), 4).size() == 1);
}

TEST_CASE("A later block's key and hash depend on every token before it") {
  key_list<std_sync> a;
  key_list<std_sync> b;
  a.assign(key_policy(), prompt_of("XBCD"), 1);
  b.assign(key_policy(), prompt_of("YBCD"), 1);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK_FALSE(equal(a[i], b[i]));
    CHECK(a.hash(i) != b.hash(i));
  }
}

TEST_CASE("Hashes are the same in every build") {
  key_list<std_sync> keys;
  keys.assign(key_policy(), prompt_of("AAAABBBB"), 4);
  CHECK(keys.hash(0) == 0x6b1e1d0ad220f88a);
  CHECK(keys.hash(1) == 0x05db41f79715830f);
}

TEST_CASE("Hashes of many prompts spread over their low bits") {
  std::set<std::uint64_t> low;
  for (std::uint32_t i = 0; i < 4'096; ++i) {
    key_list<std_sync> keys;
    keys.assign(key_policy(), {.owner = model("m"), .tokens = {i}}, 1);
    low.insert(keys.hash(0) & 0xfffU);
  }
  // 4096 balls in 4096 bins leave about 1/e of them empty.
  CHECK(low.size() > 2'450);
  CHECK(low.size() < 2'750);
}

}  // namespace
}  // namespace kvrace::cache
