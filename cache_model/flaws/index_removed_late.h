// B01, concurrent form: the evicted block is handed over first, and its index entry is removed in a later critical section.
//
// In between, a lookup of the old key hits a block that another request already owns and fills.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class index_removed_late final : public eviction_policy {
 public:
  void before_index_removal(critical_section& section) const override {
    section.leave();
    section.enter();
  }

  static flaw describe() {
    static const index_removed_late policy;
    return {{.name = "index_removed_late",
             .seam = "eviction",
             .summary = "an evicted block is handed over before its index entry is removed",
             .source = "B01",
             .oracle = "ghost_entry",
             .locking = {"mutex", "rwlock"}},
            [](seams& seams) { seams.eviction = &policy; }};
  }
};

}  // namespace kvrace::cache
