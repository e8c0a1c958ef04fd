// B02, B13: what a lookup has found is not held until it is retrieved (vllm #39702: "promised N tokens, found 0").
//
// In between it may be evicted. The retrieval finds less, and goes on as if nothing had been promised.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class promise_not_pinned final : public promise_policy {
 public:
  bool pins_promised() const override { return false; }

  static flaw describe() {
    static const promise_not_pinned policy;
    return {{.name = "promise_not_pinned",
             .seam = "promise",
             .summary = "what was promised is not held until it is retrieved: less is delivered, and nobody says so",
             .source = "B02",
             .oracle = "promise",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.promise = &policy; }};
  }
};

}  // namespace kvrace::cache
