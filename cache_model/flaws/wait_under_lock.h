// B71, B73: whoever evicts tells of it in its critical section, where it may have to wait for who listens.
//
// The listener looks into the cache before it makes room: it waits for the lock of the one that waits for it.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class wait_under_lock final : public notification_policy {
 public:
  bool tells_after_unlock() const override { return false; }

  static flaw describe() {
    static const wait_under_lock policy;
    return {{.name = "wait_under_lock",
             .seam = "notification",
             .summary = "evictions are announced under the lock of the pool, which the one that makes room for them needs",
             .source = "B71, B73",
             .oracle = "deadlock",
             .locking = {"mutex", "rwlock"}},
            [](seams& seams) { seams.notification = &policy; }};
  }
};

}  // namespace kvrace::cache
