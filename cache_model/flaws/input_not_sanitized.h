// I2: input is not sanitised. What matches #{3,} or \[\w+\]\{\d+\}, an empty field or a template that was not filled in, reaches
// the model as tokens. How often it does is counted with and without the flaw.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class input_not_sanitized final : public sanitation_policy {
 public:
  bool replaces() const override { return false; }

  static flaw describe() {
    static const input_not_sanitized policy;
    return {{.name = "input_not_sanitized",
             .seam = "sanitation",
             .summary = "what matches #{3,} or \\[\\w+\\]\\{\\d+\\} is not replaced by a space before it becomes tokens",
             .source = "I2",
             .oracle = "sanitation",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.sanitation = &policy; }};
  }
};

}  // namespace kvrace::cache
