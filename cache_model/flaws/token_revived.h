// B59: a reader puts an index entry back that an invalidation has removed in between (trino #22285, PR #22302).
//
// An invalidation raises the version, removes the entries, and gives up the blocks they led to, in three steps. A reader that is
// done puts its entry back if the version is still the one it was found under. Two invalidations raise the version before the
// reader looks; the first removes the entry; the second finds nothing to remove and returns; the reader puts the entry back.
// Until the first gives up the block, the old content is found after an invalidation of it has returned. With fewer than four
// preemptions nothing shows.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class token_revived final : public invalidation_policy {
 public:
  bool in_one_section() const override { return false; }
  bool hits_revive_entries() const override { return true; }

  static flaw describe() {
    static const token_revived policy;
    return {
        {.name = "token_revived",
         .seam = "invalidation",
         .summary = "a reader puts back the index entry that overlapping invalidations have removed: old content is found again",
         .source = "B59",
         .oracle = "stale",
         .locking = {"mutex", "rwlock"}},
        [](seams& seams) { seams.invalidation = &policy; }};
  }
};

}  // namespace kvrace::cache
