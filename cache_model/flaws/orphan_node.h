// B39: a record of a write is applied to the eviction order although its entry has been evicted since, and an eviction stops at a
// node that stands for no entry (moka #590).
//
// The node stays in front for ever, so that nothing is evicted any more, and the cache grows without bound.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class orphan_node final : public record_policy {
 public:
  bool skips_dead() const override { return false; }

  static flaw describe() {
    static const orphan_node policy;
    return {{.name = "orphan_node",
             .seam = "record",
             .summary = "a record of a write is applied after its entry was evicted: a node without an entry blocks evictions",
             .source = "B39",
             .oracle = "ghost_entry",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.record = &policy; }};
  }
};

}  // namespace kvrace::cache
