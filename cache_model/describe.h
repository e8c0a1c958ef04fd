// Prompts, keys and blocks in words, for reports. Called only while a finding is recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <kvrace/cache/prompt.h>

namespace kvrace::cache {

[[nodiscard]] std::string describe(const identity&);                              // "m", "m/adapter@2 tenant t"
[[nodiscard]] std::string describe(const prompt&, std::size_t tokens);            // "m, AAAA": the first `tokens` tokens
[[nodiscard]] inline std::string describe(const prompt& prompt) { return describe(prompt, prompt.tokens.size()); }
[[nodiscard]] std::string block_name(std::uint32_t block);                        // "block 3"

}  // namespace kvrace::cache
