// I4: the chain of block keys restarts with every window of 4,096 tokens. The key of a block knows nothing of the windows before
// its own, so that prompts with different first windows share the blocks behind them.
#pragma once

#include <algorithm>

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class chain_restarts_at_window final : public key_policy {
 public:
  static constexpr std::uint32_t window_tokens = 4'096;

  std::size_t bytes_max(const prompt& prompt, std::uint32_t tokens_per_block) const override {
    const std::size_t windows = full_blocks(prompt, tokens_per_block) / window_blocks(tokens_per_block) + 1;
    return windows * identity_bytes_max(prompt.owner) + prompt.tokens.size() * sizeof(token);
  }
  void encode(const prompt& prompt, std::uint32_t tokens_per_block, std::byte* bytes, key_span* blocks) const override {
    byte_writer out(bytes);
    std::uint32_t begin = 0;
    std::size_t next = 0;
    for (std::size_t block = 0; block < full_blocks(prompt, tokens_per_block); ++block) {
      if (block % window_blocks(tokens_per_block) == 0) {
        begin = out.size();
        write_identity(out, prompt.owner);
      }
      for (std::uint32_t i = 0; i < tokens_per_block; ++i) out.number(prompt.tokens[next++]);
      blocks[block] = {begin, out.size(), hash_bytes(0, {bytes + begin, bytes + out.size()})};
    }
  }

  static flaw describe() {
    static const chain_restarts_at_window policy;
    return {{.name = "chain_restarts_at_window",
             .seam = "key",
             .summary = "the chain of keys restarts after 4,096 tokens: prompts that differ before share the blocks behind",
             .source = "I4",
             .oracle = "pollution",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.key = &policy; }};
  }

 private:
  static std::uint32_t window_blocks(std::uint32_t tokens_per_block) { return std::max(1U, window_tokens / tokens_per_block); }
};

}  // namespace kvrace::cache
