// The free blocks as a lock-free stack (R. K. Treiber, IBM RJ 5118, 1986) through links that are never freed.
//
// The head carries a number beside the block. Every removal raises it, so that a head which was taken off and put back is
// another head: a removal that was interrupted in between fails and starts again, instead of installing a link that is outdated.
//
// A free block keeps the generation of its last owner in its link.
#pragma once

#include <cstdint>
#include <string_view>

#include <kvrace/cache/prefix_cache.h>

#include "cache_model/fixed_array.h"

namespace kvrace::cache {

template <class Sync>
class free_list {
 public:
  // Every block is free, 0 first.
  free_list(std::uint32_t capacity_blocks, const free_list_policy& policy) : free_list(capacity_blocks, 0, policy, "free list") {}
  // Of the blocks from `first` to `end` - 1: no others may be given to it.
  free_list(std::uint32_t end, std::uint32_t first, const free_list_policy& policy, std::string_view name)
      : tag_step_(policy.tags_head() ? 1 : 0), head_(pair(0, first)), links_(end, [end](std::size_t id) {
          const std::size_t next = id + 1;
          return node{{pair(0, next < end ? static_cast<std::uint32_t>(next) : no_block)}};
        }) {
    Sync::name(head_, name);
  }

  // A block that belongs to the caller from now on, with the generation of its last owner; no_block if none is free.
  handle pop() {
    std::uint64_t head = head_.load(std::memory_order_acquire);
    while (low(head) != no_block) {
      // May belong to a later life of the block; the head has another number then.
      const std::uint64_t link = links_[low(head)].to_next.load(std::memory_order_relaxed);
      const std::uint64_t next = pair(high(head) + tag_step_, low(link));
      if (head_.compare_exchange_weak(head, next, std::memory_order_acquire, std::memory_order_acquire))
        return {low(head), high(link)};
    }
    return {};
  }
  // The caller gives up its block; what it has done to it happens before the next owner's use.
  void push(handle freed) {
    std::uint64_t head = head_.load(std::memory_order_relaxed);
    do {
      links_[freed.block].to_next.store(pair(freed.generation, low(head)), std::memory_order_relaxed);
    } while (
        !head_.compare_exchange_weak(head, pair(high(head), freed.block), std::memory_order_release, std::memory_order_relaxed));
  }

  // For audits: no visible operation. Ends after as many steps as there are blocks, and one, were the list a cycle.
  template <class Visit>
  void for_each(Visit visit) const {
    std::size_t steps = 0;
    for (std::uint32_t id = low(Sync::peek(head_)); id != no_block && steps <= links_.size();
         id = low(Sync::peek(links_[id].to_next)), ++steps)
      visit(id);
  }

 private:
  struct node {
    typename Sync::template atomic<std::uint64_t> to_next;  // generation of the last owner, next block
  };
  static constexpr std::uint64_t pair(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32U | low; }
  static constexpr std::uint32_t high(std::uint64_t pair) { return static_cast<std::uint32_t>(pair >> 32U); }
  static constexpr std::uint32_t low(std::uint64_t pair) { return static_cast<std::uint32_t>(pair); }

  std::uint32_t tag_step_;
  typename Sync::template atomic<std::uint64_t> head_;  // number, first block
  fixed_array<Sync, node> links_;
};

}  // namespace kvrace::cache
