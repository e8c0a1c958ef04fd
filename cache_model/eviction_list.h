// The eviction order as a list through the blocks: next to be evicted first. The caller holds an exclusive lock.
#pragma once

#include <cstdint>

#include <kvrace/cache/prefix_cache.h>

#include "cache_model/fixed_array.h"

namespace kvrace::cache {

template <class Sync>
class eviction_list {
 public:
  // Every block stands in the order, 0 first.
  explicit eviction_list(std::uint32_t capacity_blocks) : sentinel_(capacity_blocks), links_(std::size_t{capacity_blocks} + 1) {
    for (std::uint32_t id = 0; id <= capacity_blocks; ++id) {
      links_[id].next = id == sentinel_ ? 0 : id + 1;
      links_[id].previous = id == 0 ? sentinel_ : id - 1;
    }
    Sync::name(guard_, "eviction order");
  }

  // The first block that is `wanted`; no_block if there is none.
  template <class Wanted>
  [[nodiscard]] std::uint32_t first(Wanted wanted) const {
    guard_.read();
    for (std::uint32_t id = links_[sentinel_].next; id != sentinel_; id = links_[id].next)
      if (wanted(id)) return id;
    return no_block;
  }
  // Moves the block there if it stands elsewhere in the order.
  void push_front(std::uint32_t id) { link(id, sentinel_, links_[sentinel_].next); }
  void push_back(std::uint32_t id) { link(id, links_[sentinel_].previous, sentinel_); }
  void remove(std::uint32_t id) {
    guard_.write();
    links& self = links_[id];
    if (self.next == no_block) return;
    links_[self.previous].next = self.next;
    links_[self.next].previous = self.previous;
    self = {};
  }
  // For audits: no race check. Ends after as many steps as there are blocks, were the list a cycle.
  template <class Visit>
  void for_each(Visit visit) const {
    std::uint32_t steps = 0;
    for (std::uint32_t id = links_[sentinel_].next; id != sentinel_ && steps <= sentinel_; id = links_[id].next, ++steps)
      visit(id);
  }

 private:
  struct links {
    std::uint32_t previous = no_block;
    std::uint32_t next = no_block;
  };

  void link(std::uint32_t id, std::uint32_t previous, std::uint32_t next) {
    guard_.write();
    if (previous == id || next == id) return;
    remove(id);
    links_[id] = {previous, next};
    links_[previous].next = id;
    links_[next].previous = id;
  }

  std::uint32_t sentinel_;
  fixed_array<Sync, links> links_;
  typename Sync::shadow guard_;
};

}  // namespace kvrace::cache
