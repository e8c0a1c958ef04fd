// B76: the head of the lock-free free list carries no number (pmodels/argobots #178, ICLDisco/parsec #21, kaist-cp/cs431 #560).
//
// A removal reads the head A and its link to B. Meanwhile A and B are taken and A alone is given back: the head is A again, the
// compare-exchange succeeds and makes B the head, which is in use. It is handed out a second time.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class aba_free_list final : public free_list_policy {
 public:
  bool tags_head() const override { return false; }

  static flaw describe() {
    static const aba_free_list policy;
    return {{.name = "aba_free_list",
             .seam = "free_list",
             .summary = "the head of the free list has no number: a block that came back in between lets one in use be handed out",
             .source = "B76",
             .oracle = "ghost_entry",
             .locking = {"epoch"}},
            [](seams& seams) { seams.free_list = &policy; }};
  }
};

}  // namespace kvrace::cache
