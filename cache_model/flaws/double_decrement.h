// B10: an abandoned request gives its references back twice, and a count of zero is clamped and freed again (LMCache #5005, #987).
//
// Of a block that others hold, the second decrement takes away one of their references; of any other, it frees the block again.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class double_decrement final : public reference_policy {
 public:
  unsigned times_given_back(bool abandoned) const override { return abandoned ? 2 : 1; }
  bool clamps_at_zero() const override { return true; }

  static flaw describe() {
    static const double_decrement policy;
    return {{.name = "double_decrement",
             .seam = "reference",
             .summary = "an abandoned request gives its references back twice; a count of zero is clamped, and the block freed again",
             .source = "B10",
             .oracle = "reference_balance",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.reference = &policy; }};
  }
};

}  // namespace kvrace::cache
