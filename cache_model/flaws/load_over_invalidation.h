// B58: a fill that was in flight during an invalidation is published after it (google/guava #1881, trinodb/trino #10512).
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class load_over_invalidation final : public publish_policy {
 public:
  bool publishes(std::uint32_t, std::uint32_t) const override { return true; }

  static flaw describe() {
    static const load_over_invalidation policy;
    return {{.name = "load_over_invalidation",
             .seam = "publish",
             .summary = "a fill that was in flight during an invalidation is published after it",
             .source = "B58",
             .oracle = "stale",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.publish = &policy; }};
  }
};

}  // namespace kvrace::cache
