// A statistics counter is updated after the lock has been dropped.
//
// The counter is a plain integer beside the data that vars and shadows stand for, so the engine's race detector never hears of
// it, and it decides nothing, so no oracle does. Instrumentation by the compiler sees it: the race job must report it.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class unchecked_counter final : public statistics_policy {
 public:
  bool counts_under_lock() const override { return false; }

  static flaw describe() {
    static const unchecked_counter policy;
    return {{.name = "unchecked_counter",
             .seam = "statistics",
             .summary = "a plain counter of published blocks is updated outside of the lock, unseen by the engine",
             .source = "plain data",
             .oracle = oracle_of_instrumentation,
             .locking = {"mutex", "rwlock"}},
            [](seams& seams) { seams.statistics = &policy; }};
  }
};

}  // namespace kvrace::cache
