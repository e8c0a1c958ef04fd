// The eviction order as a priority queue over ticks, lowest first. The caller holds an exclusive lock.
//
// Hits stamp ticks without touching the queue, so a block stands in it under a tick that may be older than its own, never newer.
// Whoever takes the first block compares, and puts it back under its own tick until the first is where it belongs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <kvrace/cache/prefix_cache.h>

namespace kvrace::cache {

template <class Sync>
class eviction_queue {
 public:
  struct place {
    std::uint64_t tick = 0;
    std::uint32_t block = no_block;
    std::uint32_t stamp = 0;  // valid only while it is the block's newest
  };

  // Every block stands in the order under tick 0; equal ticks go by block.
  explicit eviction_queue(std::uint32_t capacity_blocks) : stamps_(capacity_blocks, 0) {
    heap_.reserve(std::size_t{capacity_blocks} * 2 + slack);
    for (std::uint32_t id = 0; id < capacity_blocks; ++id) heap_.push_back({0, id, 0});  // sorted: a heap
    Sync::name(guard_, "eviction order");
  }

  // The block with the lowest tick; its block is no_block if there is none.
  [[nodiscard]] place front() {
    guard_.write();
    while (!heap_.empty() && !valid(heap_.front())) pop();
    return heap_.empty() ? place{} : heap_.front();
  }
  // Puts the block under `tick`, wherever it was.
  void put(std::uint32_t id, std::uint64_t tick) {
    guard_.write();
    if (heap_.size() > stamps_.size() * 2 + slack - 1) compact();
    heap_.push_back({tick, id, ++stamps_[id]});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  void remove(std::uint32_t id) {
    guard_.write();
    ++stamps_[id];
  }
  // For audits: no race check.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const place& each : heap_)
      if (valid(each)) visit(each.block);
  }

 private:
  static constexpr std::size_t slack = 16;
  template <class T>
  using vector = std::vector<T, typename Sync::template allocator<T>>;

  static bool later(const place& a, const place& b) { return a.tick != b.tick ? a.tick > b.tick : a.block > b.block; }
  [[nodiscard]] bool valid(const place& each) const { return stamps_[each.block] == each.stamp; }
  void pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
  }
  void compact() {
    std::erase_if(heap_, [this](const place& each) { return !valid(each); });
    std::make_heap(heap_.begin(), heap_.end(), later);
  }

  vector<place> heap_;
  vector<std::uint32_t> stamps_;
  typename Sync::shadow guard_;
};

}  // namespace kvrace::cache
