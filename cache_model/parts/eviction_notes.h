// Between a cache and its feed of evictions: what each block holds, and what each task has evicted and not told of yet.
#pragma once

#include <cstdint>
#include <vector>

#include <kvrace/cache/prefix_cache.h>
#include <kvrace/run.h>
#include <kvrace/sync.h>

#include "cache_model/fixed_array.h"
#include "cache_model/parts/eviction_feed.h"

namespace kvrace::cache {

class eviction_notes final : public eviction_sink {
 public:
  // `policy` outlives it.
  eviction_notes(std::uint32_t blocks, std::uint32_t in_flight_max, const notification_policy& policy)
      : contents_(blocks), noted_(tasks_max + 1), feed_(in_flight_max, policy) {}

  // A block is about to be published with this content.
  void filled(std::uint32_t block, const evicted_content& content) { contents_[block] = content; }

  void note(const request_base&, handle where) override { noted_[run::task()].push_back(contents_[where.block]); }
  void deliver(const request_base&) override {
    auto& mine = noted_[run::task()];
    for (const evicted_content& each : mine) feed_.announce(each);
    mine.clear();
  }

  [[nodiscard]] eviction_feed<sync>& feed() { return feed_; }

 private:
  fixed_array<sync, evicted_content> contents_;
  fixed_array<sync, std::vector<evicted_content, allocator<evicted_content>>> noted_;  // by task
  eviction_feed<sync> feed_;
};

}  // namespace kvrace::cache
