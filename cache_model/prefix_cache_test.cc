// What every locking strategy does without concurrency, and that real threads do not break it.
#include <catch2/catch.hpp>

#include <atomic>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "cache_model/test_support.h"

namespace kvrace::cache {
namespace {

using test::production_cache;
using test::prompt_of;
using test::random_numbers;
using test::random_prompt;

std::string each_exact_strategy() { return GENERATE(std::string("mutex"), std::string("rwlock")); }
std::string each_strategy() { return GENERATE(std::string("mutex"), std::string("rwlock"), std::string("epoch")); }

// The sequential specification, written to be read: blocks in eviction order, searched from end to end.
class reference_model {
 public:
  reference_model(std::size_t capacity, std::uint32_t tokens_per_block) : tokens_per_block_(tokens_per_block), order_(capacity) {}

  std::size_t lookup(const prompt& prompt) { return request(prompt, full_blocks(prompt, tokens_per_block_), false); }
  std::size_t serve(const prompt& prompt) {
    return request(prompt, prompt.tokens.empty() ? 0 : (prompt.tokens.size() - 1) / tokens_per_block_, true);
  }

 private:
  struct block {
    std::vector<token> key;  // empty: nothing cached
    std::uint64_t published = 0;
  };

  std::size_t request(const prompt& prompt, std::size_t hits_max, bool reserves) {
    std::vector<block> table;
    for (std::size_t i = 0; i < hits_max; ++i) {
      const auto found = newest(key(prompt, i));
      if (found == order_.end()) break;
      table.push_back(*found);
      order_.erase(found);
    }
    const std::size_t hits = table.size();
    if (reserves) {
      while (table.size() < full_blocks(prompt, tokens_per_block_) && !order_.empty()) {
        order_.pop_front();
        table.push_back({key(prompt, table.size()), ++published_});
      }
    }
    for (std::size_t i = table.size(); i-- > 0;) order_.push_back(table[i]);
    return hits;
  }
  std::vector<token> key(const prompt& prompt, std::size_t index) const {
    return {prompt.tokens.begin(), prompt.tokens.begin() + static_cast<std::ptrdiff_t>((index + 1) * tokens_per_block_)};
  }
  std::deque<block>::iterator newest(const std::vector<token>& key) {
    auto found = order_.end();
    for (auto each = order_.begin(); each != order_.end(); ++each)
      if (each->key == key && (found == order_.end() || each->published > found->published)) found = each;
    return found;
  }

  std::uint32_t tokens_per_block_;
  std::deque<block> order_;
  std::uint64_t published_ = 0;
};

TEST_CASE("Hits and evictions are those of an exact LRU, tail of the prompt first, where that is promised") {
  const std::string locking = each_exact_strategy();
  const std::uint32_t hash_bits = GENERATE(64U, 8U, 1U);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    random_numbers random(seed);
    const std::uint32_t capacity = 1 + random.below(9);
    const std::uint32_t tokens_per_block = 1 + random.below(3);
    production_cache cache(
        locking, {.capacity_blocks = capacity, .tokens_per_block = tokens_per_block, .hash_bits = hash_bits, .seams = {}});
    reference_model model(capacity, tokens_per_block);
    for (int step = 0; step < 300; ++step) {
      const prompt prompt = random_prompt(random, 6 * tokens_per_block, 2);
      INFO(locking << ", hash bits " << hash_bits << ", seed " << seed << ", step " << step);
      if (random.below(3) == 0)
        REQUIRE(cache.lookup(prompt) == model.lookup(prompt));
      else
        REQUIRE(cache.serve(prompt) == model.serve(prompt));
    }
    REQUIRE(cache.audit().clean(capacity));
  }
}

TEST_CASE("Hits counted block by block are hits counted by longest prefix, where the order is exact LRU") {
  static const struct : key_policy {
    bool run_ends_at_gap() const override { return false; }
  } counts_every_block;
  const std::string locking = each_exact_strategy();
  random_numbers random(7);
  for (const std::uint32_t capacity : {1U, 2U, 5U, 12U, 40U}) {
    seams by_block;
    by_block.key = &counts_every_block;
    production_cache prefix(locking, {.capacity_blocks = capacity, .tokens_per_block = 1, .seams = {}});
    production_cache block(locking, {.capacity_blocks = capacity, .tokens_per_block = 1, .seams = by_block});
    std::size_t hits = 0;
    for (int step = 0; step < 2'000; ++step) {
      const prompt prompt = random_prompt(random, 8, 3);
      auto request = prefix.begin(prompt);
      auto same = block.begin(prompt);
      const std::size_t expected = prefix->acquire(request, {.blocks_max = request.slots.size(), .reserve = true});
      REQUIRE(block->acquire(same, {.blocks_max = same.slots.size(), .reserve = true}) == expected);
      hits += expected;
      for (auto [cache, served] : {std::pair(&prefix, &request), std::pair(&block, &same)}) {
        cache->fill(*served);
        (*cache)->publish(*served);
        (*cache)->release(*served);
      }
    }
    CHECK(hits > 0);
  }
}

TEST_CASE("A full hit leaves the last token to recompute") {
  production_cache cache(each_strategy(), {.capacity_blocks = 8, .tokens_per_block = 2, .seams = {}});
  cache.serve(prompt_of("AABB"));
  CHECK(cache.lookup(prompt_of("AABB")) == 2);
  CHECK(cache.serve(prompt_of("AABB")) == 1);
  CHECK(cache.serve(prompt_of("AABB.")) == 2);
}

TEST_CASE("A run of hits stops at the first gap") {
  production_cache cache(each_strategy(), {.capacity_blocks = 3, .tokens_per_block = 1, .seams = {}});
  cache.serve(prompt_of("ABC"));
  CHECK(cache.lookup(prompt_of("AXC")) == 1);
  CHECK(cache.lookup(prompt_of("XBC")) == 0);
}

TEST_CASE("A referenced block is never handed out, and a request that finds none goes on without") {
  const std::string locking = each_strategy();
  production_cache cache(locking, {.capacity_blocks = 2, .tokens_per_block = 1, .seams = {}});
  auto holder = cache.begin(prompt_of("AB"));
  cache->acquire(holder, {.reserve = true});
  auto other = cache.begin(prompt_of("CD"));
  cache->acquire(other, {.reserve = true});
  CHECK(other.starved);
  CHECK(other.slots[0].what == production_cache::slot_type::kind::none);
  cache->release(other);
  cache->release(holder);
  CHECK(cache.audit().clean(2));
}

TEST_CASE("Nothing unpublished is found") {
  production_cache cache(each_strategy(), {.capacity_blocks = 2, .tokens_per_block = 1, .seams = {}});
  auto request = cache.begin(prompt_of("A"));
  cache->acquire(request, {.reserve = true});
  CHECK(cache.lookup(prompt_of("A")) == 0);
  cache.fill(request);
  CHECK(cache.lookup(prompt_of("A")) == 0);
  cache->publish(request);
  CHECK(cache.lookup(prompt_of("A")) == 1);
  cache->release(request);
  CHECK(cache.lookup(prompt_of("A")) == 1);
}

TEST_CASE("A request given up at any point leaks nothing and publishes nothing it has not filled") {
  const std::string locking = each_strategy();
  const int steps = GENERATE(0, 1, 2, 3);
  production_cache cache(locking, {.capacity_blocks = 3, .tokens_per_block = 1, .seams = {}});
  cache.serve(prompt_of("A"));
  for (int round = 0; round < 5; ++round) {
    auto request = cache.begin(prompt_of("AB"));
    cache->acquire(request, {.blocks_max = 1, .reserve = steps > 0});
    if (steps > 1) cache.fill(request);
    if (steps > 2) cache->publish(request);
    cache->release(request);
    REQUIRE(cache.audit().clean(3));
    CHECK(cache.lookup(prompt_of("AB")) == (steps > 2 ? 2 : 1));
  }
}

TEST_CASE("A block that was given up is used again before anything is evicted") {
  production_cache cache(each_strategy(), {.capacity_blocks = 2, .tokens_per_block = 1, .seams = {}});
  cache.serve(prompt_of("A"));
  auto abandoned = cache.begin(prompt_of("B"));
  cache->acquire(abandoned, {.reserve = true});
  cache->release(abandoned);
  cache.serve(prompt_of("C"));
  CHECK(cache.lookup(prompt_of("A")) == 1);
  CHECK(cache.lookup(prompt_of("C")) == 1);
}

TEST_CASE("After an invalidation nothing cached before is found, and a fill in flight is dropped") {
  production_cache cache(each_strategy(), {.capacity_blocks = 3, .tokens_per_block = 1, .seams = {}});
  cache.serve(prompt_of("A"));
  auto in_flight = cache.begin(prompt_of("B"));
  cache->acquire(in_flight, {.reserve = true});
  auto reader = cache.begin(prompt_of("A"));
  REQUIRE(cache->acquire(reader, {.blocks_max = 1}) == 1);
  const std::uint32_t version = cache->invalidate();
  CHECK(cache->invalidate() == version + 1);
  CHECK(cache.lookup(prompt_of("A")) == 0);
  cache.fill(in_flight);
  cache->publish(in_flight);
  CHECK(cache.lookup(prompt_of("B")) == 0);
  CHECK(cache.reads_its_own(reader));
  cache->release(in_flight);
  cache->release(reader);
  CHECK(cache.lookup(prompt_of("A")) == 0);
  CHECK(cache.audit().clean(3));
  CHECK(cache.audit().indexed == 0);
  cache.serve(prompt_of("A"));
  CHECK(cache.lookup(prompt_of("A")) == 1);
}

TEST_CASE("Two copies of one key are legal, and either may be evicted") {
  production_cache cache(each_strategy(), {.capacity_blocks = 2, .tokens_per_block = 1, .seams = {}});
  auto first = cache.begin(prompt_of("A"));
  auto second = cache.begin(prompt_of("A"));
  cache->acquire(first, {.reserve = true});
  cache->acquire(second, {.reserve = true});
  for (auto* each : {&first, &second}) {
    cache.fill(*each);
    cache->publish(*each);
    cache->release(*each);
  }
  CHECK(cache.audit().clean(2));
  CHECK(cache.audit().indexed == 2);
  cache.serve(prompt_of("B"));
  CHECK(cache.lookup(prompt_of("A")) == 1);
  CHECK(cache.audit().clean(2));
}

TEST_CASE("Colliding hashes never serve a foreign block") {
  const std::string locking = each_strategy();
  const std::uint32_t hash_bits = GENERATE(1U, 8U);
  production_cache cache(locking, {.capacity_blocks = 64, .tokens_per_block = 1, .hash_bits = hash_bits, .seams = {}});
  random_numbers random(3);
  for (int step = 0; step < 3'000; ++step) {
    auto request = cache.begin(random_prompt(random, 3, 60));
    cache->acquire(request, {.blocks_max = request.slots.size(), .reserve = true});
    cache.fill(request);
    cache->publish(request);
    REQUIRE(cache.reads_its_own(request));
    cache->release(request);
  }
  CHECK(cache.audit().clean(64));
}

TEST_CASE("Real threads read their own rows only, and leave a clean cache") {
  const std::string locking = each_strategy();
  production_cache cache(locking, {.capacity_blocks = 6, .tokens_per_block = 2, .seams = {}});
  std::atomic<int> foreign{0};
  std::vector<std::thread> threads;
  for (unsigned id = 0; id < 4; ++id) {
    threads.emplace_back([&cache, &foreign, id] {
      random_numbers random(id);
      for (int step = 0; step < 4'000; ++step) {
        auto request = cache.begin(random_prompt(random, 8, 2));
        const std::uint32_t what = random.below(64);
        if (what == 0) cache->invalidate();
        cache->acquire(request, {.blocks_max = request.slots.size(), .reserve = what % 2 == 0});
        if (what % 4 == 0) cache.fill(request);
        if (what % 4 != 2 && !cache.reads_its_own(request)) ++foreign;
        if (what % 4 == 0) cache->publish(request);
        cache->release(request);
      }
    });
  }
  for (std::thread& each : threads) each.join();
  CHECK(foreign == 0);
  CHECK(cache.audit().clean(6));
}

}  // namespace
}  // namespace kvrace::cache
