// B25: a hit compares the hash alone (CVE-2025-25183, openvino.genai #3722, dgraph-io/ristretto #30).
//
// With a truncated hash (hash_bits) two prompts soon share an entry, and one is served the other's block.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class hash_without_compare final : public match_policy {
 public:
  bool compares_keys() const override { return false; }

  static flaw describe() {
    static const hash_without_compare policy;
    return {{.name = "hash_without_compare",
             .seam = "match",
             .summary = "a hit compares the hash alone: prompts whose hashes collide share a block",
             .source = "B25",
             .oracle = "pollution",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.match = &policy; }};
  }
};

}  // namespace kvrace::cache
