// I7: a share is reserved, and nothing bounds it: requests of high priority take every block, and keep what they have taken.
//
// Low priority never evicts what high priority has computed, which is all there is in the end, although nobody is using it: the
// low class starves.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class reserve_unbounded final : public isolation_policy {
 public:
  bool may_take(priority_class request, bool block_is_reserved, priority_class content) const override {
    return request == priority_class::high || (!block_is_reserved && content == priority_class::low);
  }

  static flaw describe() {
    static const reserve_unbounded policy;
    return {{.name = "reserve_unbounded",
             .seam = "isolation",
             .summary = "high priority takes blocks beyond its reserved share and never gives them up: low priority starves",
             .source = "I7",
             .oracle = "starvation",
             .locking = {"mutex", "rwlock"}},
            [](seams& seams) { seams.isolation = &policy; }};
  }
};

}  // namespace kvrace::cache
