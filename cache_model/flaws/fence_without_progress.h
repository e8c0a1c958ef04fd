// B22: an allocation that sends requests away does not count the blocks that wait for the device (vllm #49674).
//
// The block of the first one is parked behind the step in flight, so that the next one is sent away as well, and so on: nobody is
// left to run, and all of them have to begin anew.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class fence_without_progress final : public preemption_policy {
 public:
  bool counts_parked() const override { return false; }

  static flaw describe() {
    static const fence_without_progress policy;
    return {{.name = "fence_without_progress",
             .seam = "preemption",
             .summary = "blocks that wait for the device do not count: one allocation sends all running requests away",
             .source = "B22",
             .oracle = "liveness",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.preemption = &policy; }};
  }
};

}  // namespace kvrace::cache
