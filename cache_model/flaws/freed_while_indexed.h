// B11: cleaning up after an abandoned request drops the index's own hold on its hits (LMCache PR #2772).
//
// The last reference seems to have gone: the block is freed, and the index still leads to it.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class freed_while_indexed final : public reference_policy {
 public:
  bool index_keeps_hold(bool abandoned) const override { return !abandoned; }

  static flaw describe() {
    static const freed_while_indexed policy;
    return {{.name = "freed_while_indexed",
             .seam = "reference",
             .summary = "an abandoned request drops the index's hold on its hits: they are freed while they are indexed",
             .source = "B11",
             .oracle = "ghost_entry",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.reference = &policy; }};
  }
};

}  // namespace kvrace::cache
