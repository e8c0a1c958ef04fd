// B82: a block with the same first tokens is a hit of shorter length, and its other rows stay within reach (waybarrios/vllm-mlx
// #384, PR #385).
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class tail_trimmed_by_length final : public tail_policy {
 public:
  bool trims_by_length() const override { return true; }

  static flaw describe() {
    static const tail_trimmed_by_length policy;
    return {{.name = "tail_trimmed_by_length",
             .seam = "tail",
             .summary = "a block with the same first tokens is handed out whole: the rows behind them are another request's",
             .source = "B82",
             .oracle = "pollution",
             .locking = {"mutex", "rwlock"}},
            [](seams& seams) { seams.tail = &policy; }};
  }
};

}  // namespace kvrace::cache
