// The declared eviction order of the lock-free cache, against a specification written to be read.
#include <catch2/catch.hpp>

#include <bit>
#include <deque>
#include <string>
#include <vector>

#include "cache_model/test_support.h"

namespace kvrace::cache {
namespace {

using test::production_cache;
using test::prompt_of;
using test::random_numbers;
using test::random_prompt;

// CLOCK over the buckets of the index.
class clock_model {
 public:
  clock_model(std::size_t capacity, std::uint32_t tokens_per_block, std::uint32_t hash_bits)
      : tokens_per_block_(tokens_per_block),
        hash_mask_(hash_bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << hash_bits) - 1),
        free_(capacity),
        buckets_(std::bit_ceil(capacity)) {}

  std::size_t lookup(const prompt& prompt) { return request(prompt, full_blocks(prompt, tokens_per_block_), false); }
  std::size_t serve(const prompt& prompt) {
    return request(prompt, prompt.tokens.empty() ? 0 : (prompt.tokens.size() - 1) / tokens_per_block_, true);
  }

 private:
  struct instance {
    std::vector<token> key;
    bool referenced = false;
    bool hit = false;
  };
  using bucket = std::deque<instance>;  // newest first

  std::size_t request(const prompt& prompt, std::size_t hits_max, bool reserves) {
    basic_request<std_sync> keys;
    keys.begin(*seams().key, prompt, tokens_per_block_);
    std::size_t hits = 0;
    for (instance* found = nullptr; hits < hits_max && (found = find(prompt, keys, hits)) != nullptr; ++hits)
      found->referenced = found->hit = true;
    std::size_t reserved = hits;
    if (reserves)
      while (reserved < keys.slots.size() && allocate()) ++reserved;
    for (std::size_t i = hits; i < reserved; ++i) bucket_of(keys.keys.hash(i)).push_front({key(prompt, i)});
    for (bucket& each : buckets_)
      for (instance& one : each) one.referenced = false;
    return hits;
  }
  bool allocate() {
    if (free_ != 0) {
      --free_;
      return true;
    }
    for (std::size_t step = 0; step < 2 * buckets_.size(); ++step) {
      bucket& passed = buckets_[hand_++ % buckets_.size()];
      for (auto each = passed.begin(); each != passed.end(); ++each) {
        if (each->referenced) continue;
        if (!each->hit) {
          passed.erase(each);
          return true;
        }
        each->hit = false;
      }
    }
    return false;
  }
  instance* find(const prompt& prompt, const basic_request<std_sync>& keys, std::size_t position) {
    for (instance& each : bucket_of(keys.keys.hash(position)))
      if (each.key == key(prompt, position)) return &each;
    return nullptr;
  }
  bucket& bucket_of(std::uint64_t hash) { return buckets_[static_cast<std::size_t>(hash & hash_mask_) % buckets_.size()]; }
  std::vector<token> key(const prompt& prompt, std::size_t index) const {
    return {prompt.tokens.begin(), prompt.tokens.begin() + static_cast<std::ptrdiff_t>((index + 1) * tokens_per_block_)};
  }

  std::uint32_t tokens_per_block_;
  std::uint64_t hash_mask_;
  std::size_t free_;
  std::size_t hand_ = 0;
  std::vector<bucket> buckets_;
};

TEST_CASE("Hits and evictions of the lock-free cache are those of CLOCK over its buckets") {
  const std::uint32_t hash_bits = GENERATE(64U, 8U, 1U);
  std::size_t hits = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    random_numbers random(seed);
    const std::uint32_t capacity = 1 + random.below(9);
    const std::uint32_t tokens_per_block = 1 + random.below(3);
    production_cache cache(
        "epoch", {.capacity_blocks = capacity, .tokens_per_block = tokens_per_block, .hash_bits = hash_bits, .seams = {}});
    clock_model model(capacity, tokens_per_block, hash_bits);
    for (int step = 0; step < 300; ++step) {
      const prompt prompt = random_prompt(random, 6 * tokens_per_block, 2);
      INFO("hash bits " << hash_bits << ", seed " << seed << ", step " << step);
      const bool looks_up = random.below(3) == 0;
      const std::size_t expected = looks_up ? model.lookup(prompt) : model.serve(prompt);
      REQUIRE((looks_up ? cache.lookup(prompt) : cache.serve(prompt)) == expected);
      hits += expected;
    }
    REQUIRE(cache.audit().clean(capacity));
  }
  CHECK(hits > 0);
}

TEST_CASE("A block that was hit outlives one round of the hand, an unhit one of the same bucket does not") {
  production_cache cache("epoch", {.capacity_blocks = 2, .tokens_per_block = 1, .hash_bits = 1, .seams = {}});
  cache.serve(prompt_of("A"));
  cache.serve(prompt_of("B"));
  CHECK(cache.lookup(prompt_of("A")) == 1);
  cache.serve(prompt_of("C"));
  CHECK(cache.lookup(prompt_of("A")) == 1);
  CHECK(cache.lookup(prompt_of("B")) == 0);
}

TEST_CASE("The lock-free cache keeps its blocks through ten thousand evictions and invalidations") {
  production_cache cache("epoch", {.capacity_blocks = 5, .tokens_per_block = 1, .hash_bits = 2, .seams = {}});
  random_numbers random(9);
  for (int step = 0; step < 10'000; ++step) {
    if (random.below(50) == 0) cache->invalidate();
    cache.serve(random_prompt(random, 4, 3));
    REQUIRE(cache.audit().clean(5));
  }
}

}  // namespace
}  // namespace kvrace::cache
