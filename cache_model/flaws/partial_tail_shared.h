// B81: a request whose last block begins like one that another request still holds writes its own tail into that block
// (Avarok-Cybersecurity/atlas #1193, PR #692).
//
// The two writers would race for the rows. Who owns the block is known to the oracle; the access itself is left out.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class partial_tail_shared final : public tail_policy {
 public:
  bool shares_for_writing() const override { return true; }

  static flaw describe() {
    static const partial_tail_shared policy;
    return {{.name = "partial_tail_shared",
             .seam = "tail",
             .summary = "a request writes its tail into a block that another request holds, instead of into a copy",
             .source = "B81",
             .oracle = "stale_handle",
             .locking = {"mutex", "rwlock"}},
            [](seams& seams) { seams.tail = &policy; }};
  }
};

}  // namespace kvrace::cache
