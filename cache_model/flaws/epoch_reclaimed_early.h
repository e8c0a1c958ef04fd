// Epochs, one step early: what was retired is destroyed one epoch later instead of two (K. Fraser, 2004, shows why it takes two).
//
// The epoch moves on as soon as every pinned reader has announced the present one; such a reader may have found the entry before
// it was unlinked, and goes on reading it when it is already destroyed.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class epoch_reclaimed_early final : public reclamation_policy {
 public:
  std::uint32_t grace_epochs() const override { return 1; }

  static flaw describe() {
    static const epoch_reclaimed_early policy;
    return {{.name = "epoch_reclaimed_early",
             .seam = "reclamation",
             .summary = "a retired index entry is destroyed one epoch early, while a pinned reader may still hold it",
             .source = "epochs",
             .oracle = "use_after_destroy",
             .locking = {"epoch"}},
            [](seams& seams) { seams.reclamation = &policy; }};
  }
};

}  // namespace kvrace::cache
