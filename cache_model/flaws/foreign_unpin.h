// B13: references that lookups have taken stand in one list, and whoever is done gives all of them back (LMCache PR #1075).
//
// Of two requests in progress, the first to end takes the other's protection away: its blocks may be evicted while it reads.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class foreign_unpin final : public reference_policy {
 public:
  bool gives_back_own() const override { return false; }

  static flaw describe() {
    static const foreign_unpin policy;
    return {{.name = "foreign_unpin",
             .seam = "reference",
             .summary = "a request that ends gives back the references of all requests in progress: their hits may be evicted",
             .source = "B13",
             .oracle = "reference_balance",
             .locking = {"mutex"}},
            [](seams& seams) { seams.reference = &policy; }};
  }
};

}  // namespace kvrace::cache
