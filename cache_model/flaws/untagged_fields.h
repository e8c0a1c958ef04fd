// B29: the identity's fields are concatenated without type or length (vllm #44701, sglang #24638, apache/apisix PR #13831).
//
// A tenant "X" of the base model encodes as the adapter "X" of no tenant, and "ab" + "c" as "a" + "bc".
#pragma once

#include <charconv>

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class untagged_fields final : public key_policy {
 public:
  void encode(const prompt& prompt, std::uint32_t tokens_per_block, std::byte* bytes, key_span* blocks) const override {
    byte_writer out(bytes);
    out.text(prompt.owner.model);
    out.text(prompt.owner.adapter);
    if (prompt.owner.adapter_version != 0) {
      char digits[16];
      const auto [end, unused] = std::to_chars(digits, digits + sizeof digits, prompt.owner.adapter_version);
      out.text({digits, end});
    }
    out.text(prompt.owner.tenant);
    write_chain(out, bytes, prompt, tokens_per_block, blocks);
  }

  static flaw describe() {
    static const untagged_fields policy;
    return {{.name = "untagged_fields",
             .seam = "key",
             .summary = "the fields of the key are concatenated without type and length: different identities encode equally",
             .source = "B29",
             .oracle = "pollution",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.key = &policy; }};
  }
};

}  // namespace kvrace::cache
