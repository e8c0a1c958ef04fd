// I1, of characters of several code points: code points are decoded whole, but each chunk is split into characters on its own.
// Two families joined by U+200D that begin alike become the same token and then another one, and share the block that ends
// between.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class clusters_split_by_chunk final : public input_policy {
 public:
  bool joins_clusters_across_chunks() const override { return false; }

  static flaw describe() {
    static const clusters_split_by_chunk policy;
    return {
        {.name = "clusters_split_by_chunk",
         .seam = "input",
         .summary = "every chunk is split into characters on its own: different ones that begin alike share a token, and a block",
         .source = "I1",
         .oracle = "pollution",
         .locking = {"mutex", "rwlock", "epoch"}},
        [](seams& seams) { seams.input = &policy; }};
  }
};

}  // namespace kvrace::cache
