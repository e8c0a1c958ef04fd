// Leases, begun too late: a fill that took longer than its lease is published all the same, with a new lease. B58 by the clock:
// what was in flight outlives the end of its validity.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class fill_on_expired_lease final : public lease_policy {
 public:
  bool runs_from_reservation() const override { return false; }

  static flaw describe() {
    static const fill_on_expired_lease policy;
    return {{.name = "fill_on_expired_lease",
             .seam = "lease",
             .summary = "the lease of a fill begins when it is published: a slow one publishes what is too old already",
             .source = "B58",
             .oracle = "stale",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.lease = &policy; }};
  }
};

}  // namespace kvrace::cache
