// I5: LRU metadata is updated outside the critical section that decided on the update, in one of its own.
//
// An eviction looks up the oldest block in one section, and takes it out of the eviction order in the next, going by what it saw
// in the first. It makes sure that the block is unreferenced, but not that it is still the block it saw: of two evictions that
// chose the same block, the second comes when the first has refilled and published it, and removes the index entry of the
// content before that. The entry of the content in between stays: a ghost. Every access is still under the lock.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class metadata_second_section final : public recency_policy {
 public:
  void before_update(update what, critical_section& section) const override {
    if (what != update::eviction) return;
    section.leave();
    section.enter();
  }

  static flaw describe() {
    static const metadata_second_section policy;
    return {
        {.name = "metadata_second_section",
         .seam = "recency",
         .summary = "the eviction order is updated in a critical section of its own: simultaneous evictions leave ghost entries",
         .source = "I5",
         .oracle = "ghost_entry",
         .locking = {"mutex", "rwlock"}},
        [](seams& seams) { seams.recency = &policy; }};
  }
};

}  // namespace kvrace::cache
