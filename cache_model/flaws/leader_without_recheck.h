// B62, the mirror case: whether a value is there is looked up before the caller has become the one that computes it, and not
// again afterwards (moka PR #195: values were initialised several times).
//
// Who has waited for another's value computes it once more.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class leader_without_recheck final : public waiter_policy {
 public:
  bool looks_again() const override { return false; }

  static flaw describe() {
    static const leader_without_recheck policy;
    return {{.name = "leader_without_recheck",
             .seam = "waiter",
             .summary = "who has waited for a value does not look whether it is there, and computes it once more",
             .source = "B62",
             .oracle = "duplicate_load",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.waiter = &policy; }};
  }
};

}  // namespace kvrace::cache
