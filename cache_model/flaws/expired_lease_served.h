// Leases, ignored: a hit does not look at the clock, so that content is served after its lease is over.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class expired_lease_served final : public lease_policy {
 public:
  bool ends_hits() const override { return false; }

  static flaw describe() {
    static const expired_lease_served policy;
    return {{.name = "expired_lease_served",
             .seam = "lease",
             .summary = "a lookup does not look at the lease: content is served after its lease is over",
             .source = "leases",
             .oracle = "stale",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.lease = &policy; }};
  }
};

}  // namespace kvrace::cache
