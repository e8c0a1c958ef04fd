// I1: input is decoded chunk by chunk. A character whose bytes lie in two chunks (F0 9F 98 | 8A) becomes a U+FFFD in each,
// whichever character it was: different prompts become the same tokens, and one is served what was computed for the other.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class bytes_decoded_by_chunk final : public input_policy {
 public:
  bool decodes_across_chunks() const override { return false; }

  static flaw describe() {
    static const bytes_decoded_by_chunk policy;
    return {
        {.name = "bytes_decoded_by_chunk",
         .seam = "input",
         .summary = "every chunk of bytes is decoded on its own: characters between two chunks become U+FFFD, and prompts equal",
         .source = "I1",
         .oracle = "pollution",
         .locking = {"mutex", "rwlock", "epoch"}},
        [](seams& seams) { seams.input = &policy; }};
  }
};

}  // namespace kvrace::cache
