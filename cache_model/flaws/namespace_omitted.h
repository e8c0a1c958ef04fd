// B26 and the namespace contract: the identity is left out of the key (vllm #3264, PR #8240, #44250; xllm PR #2047).
//
// As in the component the contract was written for, blocks are compared position by position: the key is the position and the
// block's own tokens, and a lookup counts equal positions instead of stopping at the first that differs.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class namespace_omitted final : public key_policy {
 public:
  std::size_t bytes_max(const prompt& prompt, std::uint32_t) const override { return prompt.tokens.size() * 2 * sizeof(token); }
  void encode(const prompt& prompt, std::uint32_t tokens_per_block, std::byte* bytes, key_span* blocks) const override {
    byte_writer out(bytes);
    std::size_t next = 0;
    for (std::size_t block = 0; block < full_blocks(prompt, tokens_per_block); ++block) {
      const std::uint32_t begin = out.size();
      out.number(static_cast<std::uint32_t>(block));
      for (std::uint32_t i = 0; i < tokens_per_block; ++i) out.number(prompt.tokens[next++]);
      blocks[block] = {begin, out.size(), hash_bytes(0, {bytes + begin, bytes + out.size()})};
    }
  }
  bool run_ends_at_gap() const override { return false; }

  static flaw describe() {
    static const namespace_omitted policy;
    return {{.name = "namespace_omitted",
             .seam = "key",
             .summary = "model, adapter and tenant are left out of the key, and equal positions are counted",
             .source = "B26",
             .oracle = "pollution",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.key = &policy; }};
  }
};

}  // namespace kvrace::cache
