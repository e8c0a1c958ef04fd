// I7: an eviction does not look at the class: requests of low priority take the blocks that are reserved for high priority, too.
//
// What a request of high priority has computed is evicted for one of low priority as soon as it is the oldest.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class priority_ignored final : public isolation_policy {
 public:
  bool may_take(priority_class request, bool block_is_reserved, priority_class) const override {
    return request == priority_class::low || block_is_reserved;
  }

  static flaw describe() {
    static const priority_ignored policy;
    return {{.name = "priority_ignored",
             .seam = "isolation",
             .summary = "requests of low priority evict from the share that is reserved for high priority",
             .source = "I7",
             .oracle = "isolation",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.isolation = &policy; }};
  }
};

}  // namespace kvrace::cache
