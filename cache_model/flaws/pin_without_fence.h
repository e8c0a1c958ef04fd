// Epochs, a pin without its fence: the announcement may still be unseen when the reader's first loads are done.
//
// Whoever moves the epoch then sees an idle participant, while the reader has read a bucket from before the unlinking. No
// sequentially consistent execution shows it: there the announcement is seen by everybody before anything is read.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class pin_without_fence final : public reclamation_policy {
 public:
  bool fences_pin() const override { return false; }

  static flaw describe() {
    static const pin_without_fence policy;
    return {{.name = "pin_without_fence",
             .seam = "reclamation",
             .summary = "an epoch is pinned without a fence: safe in every sequentially consistent execution, wrong under weaker ones",
             .source = "epochs",
             .oracle = "use_after_destroy",
             .locking = {"epoch"},
             .memory_model = "rc11"},
            [](seams& seams) { seams.reclamation = &policy; }};
  }
};

}  // namespace kvrace::cache
