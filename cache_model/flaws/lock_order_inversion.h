// B70: evictions are announced under the lock of the pool, and followed under the lock of the feed (memcached 2918d09c9,
// Mooncake #2486).
//
// One task holds the pool and wants the feed, the other holds the feed and wants the pool.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class lock_order_inversion final : public notification_policy {
 public:
  bool tells_after_unlock() const override { return false; }
  bool follows_without_lock() const override { return false; }

  static flaw describe() {
    static const lock_order_inversion policy;
    return {{.name = "lock_order_inversion",
             .seam = "notification",
             .summary = "the locks of the pool and of the feed of evictions are taken in both orders",
             .source = "B70",
             .oracle = "deadlock",
             .locking = {"mutex", "rwlock"}},
            [](seams& seams) { seams.notification = &policy; }};
  }
};

}  // namespace kvrace::cache
