// B01: the old key still points at a recycled block (Wenyueh/MinivLLM PR #87, ovg-project/kvcached #362).
//
// Evicting a block leaves its index entry where it is. Once the block is refilled for another prefix, a lookup of the old one
// hits it. A serial order of operations is enough.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class stale_index final : public eviction_policy {
 public:
  bool removes_index_entry() const override { return false; }

  static flaw describe() {
    static const stale_index policy;
    return {{.name = "stale_index",
             .seam = "eviction",
             .summary = "an evicted block keeps its index entry: the old key leads to the recycled block",
             .source = "B01",
             .oracle = "ghost_entry",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.eviction = &policy; }};
  }
};

}  // namespace kvrace::cache
