// I9: a rollback raises the version of the candidate's cache while requests are still routed to it, and ends that afterwards.
//
// A request in between computes for the new version, so that its entries outlive the rollback: the next rollout serves them.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class version_before_split final : public rollback_policy {
 public:
  bool closes_split_first() const override { return false; }

  static flaw describe() {
    static const version_before_split policy;
    return {{.name = "version_before_split",
             .seam = "rollback",
             .summary = "a rollback raises the cache version before it ends the candidate's share of the requests",
             .source = "I9",
             .oracle = "rollback",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.rollback = &policy; }};
  }
};

}  // namespace kvrace::cache
