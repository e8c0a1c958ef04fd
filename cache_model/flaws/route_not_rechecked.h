// I9: a request that was routed to the candidate goes there, however late: it does not look whether a rollback has overtaken it.
//
// It takes its blocks under the version after the rollback, and what it computes there is served in the next rollout.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class route_not_rechecked final : public rollback_policy {
 public:
  bool looks_again() const override { return false; }

  static flaw describe() {
    static const route_not_rechecked policy;
    return {{.name = "route_not_rechecked",
             .seam = "rollback",
             .summary = "a request that was routed before a rollback is computed in the candidate's cache after it",
             .source = "I9",
             .oracle = "rollback",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.rollback = &policy; }};
  }
};

}  // namespace kvrace::cache
