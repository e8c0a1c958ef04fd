// The namespace contract, wrongly repaired: namespaces are compared, but the match is the shorter of the two lengths.
//
// The key is the identity and the position: whatever is cached under the namespace matches, whatever its tokens are.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class shorter_length_repair final : public key_policy {
 public:
  std::size_t bytes_max(const prompt& prompt, std::uint32_t tokens_per_block) const override {
    return full_blocks(prompt, tokens_per_block) * (identity_bytes_max(prompt.owner) + sizeof(std::uint32_t));
  }
  void encode(const prompt& prompt, std::uint32_t tokens_per_block, std::byte* bytes, key_span* blocks) const override {
    byte_writer out(bytes);
    for (std::size_t block = 0; block < full_blocks(prompt, tokens_per_block); ++block) {
      const std::uint32_t begin = out.size();
      write_identity(out, prompt.owner);
      out.number(static_cast<std::uint32_t>(block));
      blocks[block] = {begin, out.size(), hash_bytes(0, {bytes + begin, bytes + out.size()})};
    }
  }

  static flaw describe() {
    static const shorter_length_repair policy;
    return {{.name = "shorter_length_repair",
             .seam = "key",
             .summary = "namespaces are compared, but a match is as long as the shorter prompt, whatever the tokens are",
             .source = "namespace contract",
             .oracle = "pollution",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.key = &policy; }};
  }
};

}  // namespace kvrace::cache
