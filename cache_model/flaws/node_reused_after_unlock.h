// B47: a hit is found under the lock and read after it, unreferenced (decred/dcrd PR #2464, TriggerMail/lazylru PR #29).
//
// Meanwhile another request may be given the block, in place, for another key. What the reader would find there is known to the
// oracle; the access itself, a race beside the point, is left out. Leaving and entering the section stands for the time between.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class node_reused_after_unlock final : public pin_policy {
 public:
  bool counts_reference() const override { return false; }
  void between_find_and_pin(critical_section& section) const override {
    section.leave();
    section.enter();
  }

  static flaw describe() {
    static const node_reused_after_unlock policy;
    return {{.name = "node_reused_after_unlock",
             .seam = "pin",
             .summary = "a hit is read without a reference: its block may have been reused for another key",
             .source = "B47",
             .oracle = "pollution",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.pin = &policy; }};
  }
};

}  // namespace kvrace::cache
