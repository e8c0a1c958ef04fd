// B46: a hit moves its block within the eviction order under the shared lock (kubernetes #31081, go-ethereum PR #26164).
//
// It looks like a read and rewires what every other reader rewires too. As in the reports it is a data race.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class list_spliced_under_shared_lock final : public recency_policy {
 public:
  bool moves_under_shared_lock() const override { return true; }

  static flaw describe() {
    static const list_spliced_under_shared_lock policy;
    return {{.name = "list_spliced_under_shared_lock",
             .seam = "recency",
             .summary = "a hit moves its block within the eviction order while it holds the lock shared with other hits",
             .source = "B46",
             .oracle = "data_race",
             .locking = {"rwlock"}},
            [](seams& seams) { seams.recency = &policy; }};
  }
};

}  // namespace kvrace::cache
