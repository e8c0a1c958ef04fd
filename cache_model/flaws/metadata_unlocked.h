// I5: LRU metadata is updated outside the critical section, in none at all.
//
// A released block is put back into the eviction order after the lock has been dropped (mutex), or its tick is plain data that
// is stamped after the last reference has gone (rwlock). An eviction reads it at the same time: a data race.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class metadata_unlocked final : public recency_policy {
 public:
  void before_update(update what, critical_section& section) const override {
    if (what == update::release) section.leave();
  }
  void after_update(update what, critical_section& section) const override {
    if (what == update::release) section.enter();
  }
  bool atomic_ticks() const override { return false; }

  static flaw describe() {
    static const metadata_unlocked policy;
    return {{.name = "metadata_unlocked",
             .seam = "recency",
             .summary = "the eviction order is updated without a lock when a block is released",
             .source = "I5",
             .oracle = "data_race",
             .locking = {"mutex", "rwlock"}},
            [](seams& seams) { seams.recency = &policy; }};
  }
};

}  // namespace kvrace::cache
