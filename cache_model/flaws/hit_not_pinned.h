// B02: a hit is found in one critical section and pinned in the next (vllm #39702, jundot/omlx PR #3087, LMCache #4133).
//
// In between, the block is unreferenced and stands in the eviction order: another request's allocation may take it. The first
// request then counts its reference on a block that is no longer its prefix, and reads what the other one writes.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class hit_not_pinned final : public pin_policy {
 public:
  void between_find_and_pin(critical_section& section) const override {
    section.leave();
    section.enter();
  }

  static flaw describe() {
    static const hit_not_pinned policy;
    return {{.name = "hit_not_pinned",
             .seam = "pin",
             .summary = "a hit is pinned in a critical section after the one that found it: its block may be stolen in between",
             .source = "B02",
             .oracle = "pollution",
             .locking = {"mutex", "rwlock"}},
            [](seams& seams) { seams.pin = &policy; }};
  }
};

}  // namespace kvrace::cache
