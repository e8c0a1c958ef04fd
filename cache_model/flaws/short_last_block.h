// I3: compression in blocks without compensation at the boundary. The last block keeps only the rows that are left, its reader
// takes it for a full one, and finds behind them the rows of whoever had the recycled buffer before.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class short_last_block final : public compression_policy {
 public:
  bool pads_last_block() const override { return false; }

  static flaw describe() {
    static const short_last_block policy;
    return {{.name = "short_last_block",
             .seam = "compression",
             .summary = "the last compressed block is not padded: its reader sees the recycled buffer's former rows behind it",
             .source = "I3",
             .oracle = "pollution",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.compression = &policy; }};
  }
};

}  // namespace kvrace::cache
