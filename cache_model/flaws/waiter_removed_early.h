// B62: whoever waits for a value is let go before the value is written (moka PR #574).
//
// The next one finds neither a value nor somebody who computes it. So a value is computed twice at once, and of two updates the
// second is based on what the first is about to replace: one is lost.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class waiter_removed_early final : public waiter_policy {
 public:
  bool released_after_write() const override { return false; }

  static flaw describe() {
    static const waiter_removed_early policy;
    return {{.name = "waiter_removed_early",
             .seam = "waiter",
             .summary = "those who wait for a value are let go before it is written: it is computed again, and updates are lost",
             .source = "B62",
             .oracle = "lost_update",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.waiter = &policy; }};
  }
};

}  // namespace kvrace::cache
