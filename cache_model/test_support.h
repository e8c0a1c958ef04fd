// What the tests of this folder share.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <kvrace/cache/prefix_cache.h>
#include <kvrace/cache/simulation.h>
#include <kvrace/std_sync.h>

#include "cache_model/locking/strategies.h"
#include "cache_model/mutants/programs.h"

namespace kvrace::cache::test {

using namespace programs;

// Steele, Lea, Flood: SplitMix64.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
    return z ^ (z >> 31U);
  }
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(next() % bound); }

 private:
  std::uint64_t state_;
};

// A prompt of up to `length_max` tokens out of an alphabet of `letters`: prefixes are shared often.
inline prompt random_prompt(random_numbers& random, std::uint32_t length_max, std::uint32_t letters) {
  prompt result{.owner = model("m"), .tokens = {}};
  for (std::uint32_t left = random.below(length_max + 1); left > 0; --left) result.tokens.push_back(random.below(letters));
  return result;
}

// Counts what an audit finds.
struct audit_result final : audit_listener {
  std::size_t ghosts = 0;
  std::size_t lost = 0;
  std::size_t blocks = 0;
  std::size_t indexed = 0;
  std::size_t references = 0;
  void on_ghost(ghost, std::uint32_t, key_view) override { ++ghosts; }
  void on_lost(std::uint32_t) override { ++lost; }
  void on_block(std::uint32_t, std::uint32_t count, bool is_indexed) override {
    ++blocks;
    references += count;
    indexed += is_indexed ? 1 : 0;
  }
  [[nodiscard]] bool clean(std::size_t capacity) const {
    return ghosts == 0 && lost == 0 && references == 0 && blocks == capacity;
  }
};

// A production cache and the steps of a request, one at a time.
class production_cache {
 public:
  using request_type = basic_request<std_sync>;
  using slot_type = request_type::slot;

  production_cache(std::string_view locking, const cache_parameters& parameters)
      : parameters_(parameters), cache_(find_locking_strategy<std_sync>(locking)->make(parameters)) {}

  [[nodiscard]] request_type begin(const prompt& prompt) const {
    return request_type(*parameters_.seams.key, prompt, parameters_.tokens_per_block);
  }
  // Every row of a reserved block gets the hash of the block's key.
  void fill(request_type& request) {
    for (std::size_t i = 0; i < request.slots.size(); ++i) {
      slot_type& each = request.slots[i];
      if (each.what != slot_type::kind::reserved) continue;
      for (std::uint32_t row = 0; row < parameters_.tokens_per_block; ++row)
        cache_->payload(each.where.block)[row].store(
            {.digest = request.keys.hash(i), .position = row, .request = 0, .write = 1, .version = 0});
      each.filled = true;
    }
  }
  // Whether every row the request can reach is its own.
  [[nodiscard]] bool reads_its_own(const request_type& request) {
    for (std::size_t i = 0; i < request.slots.size(); ++i) {
      const slot_type& each = request.slots[i];
      if (each.what == slot_type::kind::none) continue;
      for (std::uint32_t row = 0; row < parameters_.tokens_per_block; ++row)
        if (cache_->payload(each.where.block)[row].load().digest != request.keys.hash(i)) return false;
    }
    return true;
  }
  // Blocks of `prompt` that are found, from the start.
  std::size_t lookup(const prompt& prompt) {
    request_type looking = begin(prompt);
    const std::size_t hits = cache_->acquire(looking, {.blocks_max = looking.slots.size()});
    cache_->release(looking);
    return hits;
  }
  // Like a request that recomputes at least its last token. Returns its hits in blocks.
  std::size_t serve(const prompt& prompt) {
    request_type serving = begin(prompt);
    const std::size_t reusable = prompt.tokens.empty() ? 0 : (prompt.tokens.size() - 1) / parameters_.tokens_per_block;
    const std::size_t hits = cache_->acquire(serving, {.blocks_max = reusable, .reserve = true});
    fill(serving);
    cache_->publish(serving);
    cache_->release(serving);
    return hits;
  }
  [[nodiscard]] audit_result audit() const {
    audit_result result;
    cache_->audit(result);
    return result;
  }
  prefix_cache<std_sync>* operator->() { return cache_.get(); }

 private:
  cache_parameters parameters_;
  std::unique_ptr<prefix_cache<std_sync>> cache_;
};

}  // namespace kvrace::cache::test
