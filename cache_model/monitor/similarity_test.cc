#include <catch2/catch.hpp>

#include <set>
#include <vector>

#include "cache_model/monitor/similarity.h"

namespace kvrace::monitor {
namespace {

using text = std::vector<std::uint32_t>;

TEST_CASE("the same text gives exactly one") {
  for (std::uint32_t length = 0; length < 40; ++length) {
    text tokens(length);
    for (std::uint32_t i = 0; i < length; ++i) tokens[i] = i * i % 7;
    CHECK(similarity(1, tokens, tokens) == similarity_one);
  }
}

TEST_CASE("the same tokens in another order give exactly one too: the form looks at no positions") {
  CHECK(similarity(1, text{1, 2, 3}, text{3, 1, 2}) == similarity_one);
}

TEST_CASE("an empty candidate gives zero, and so does an empty reference") {
  CHECK(similarity(1, text{1, 2}, text{}) == 0);
  CHECK(similarity(1, text{}, text{1, 2}) == 0);
}

TEST_CASE("it is below one as soon as a token is not in the other text, and the same both ways round") {
  const std::uint64_t once = similarity(1, text{1, 2, 3}, text{1, 2, 4});
  CHECK(once < similarity_one);
  CHECK(once > similarity_one / 2);
  CHECK(similarity(1, text{1, 2, 4}, text{1, 2, 3}) == once);
}

TEST_CASE("F1 of texts whose products are known") {
  const int q = product(token_signs(9, 10), token_signs(9, 11));
  // x = [10], y = [10 11]: R = 1, P = (1 + max(q, 0)/64)/2.
  const std::uint64_t overlap = static_cast<std::uint64_t>(q > 0 ? q : 0);
  const std::uint64_t precise = 64 + overlap;  // of 128
  CHECK(similarity(9, text{10}, text{10, 11}) == 2 * precise * similarity_one / (precise + 128));
}

TEST_CASE("vectors are of unit length, different for different tokens, and differ with the seed") {
  std::set<std::uint64_t> seen;
  for (std::uint32_t token = 0; token < 2'000; ++token) {
    CHECK(product(token_signs(5, token), token_signs(5, token)) == 64);
    seen.insert(token_signs(5, token));
  }
  CHECK(seen.size() == 2'000);
  CHECK(token_signs(5, 1) != token_signs(6, 1));
}

// The second output of splitmix64 for seed 1234567 is published.
TEST_CASE("the signs of a token are an output of splitmix64") { CHECK(token_signs(1234567, 1) == 3203168211198807973u); }

}  // namespace
}  // namespace kvrace::monitor
