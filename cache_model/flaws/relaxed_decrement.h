// B78: a reference is given back with a relaxed decrement (openssl #25660, aws-encryption-sdk-c #432, dxvk PR #5751).
//
// The count is right, but what the last holder has read does not happen before the rows are written for the next owner. The
// executions are sequentially consistent ones; a race detector sees it that follows the C++ memory orders.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class relaxed_decrement final : public reference_policy {
 public:
  std::memory_order decrement_order() const override { return std::memory_order_relaxed; }

  static flaw describe() {
    static const relaxed_decrement policy;
    return {{.name = "relaxed_decrement",
             .seam = "reference",
             .summary = "a reference is given back with a relaxed decrement: reads race with the next owner's writes",
             .source = "B78",
             .oracle = "data_race",
             .locking = {"rwlock", "epoch"}},
            [](seams& seams) { seams.reference = &policy; }};
  }
};

}  // namespace kvrace::cache
