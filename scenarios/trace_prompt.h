// What the blocks of a trace become in a simulated cache.
//
// A block of a trace has hundreds of tokens, which are all known by the block's name. The simulated cache gets blocks of a few
// tokens, `tokens_per_block` of its own configuration, each of which stands for as many of the trace. With at least two, a
// partial last block is shorter than a full one here too, and all is as it would be with every token: full blocks are cached, and
// the last token of a prompt is computed anew.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <kvrace/cache/prompt.h>

namespace kvrace::scenarios {

struct block_scale {
  std::uint32_t trace_tokens = 512;  // in a block of the trace
  std::uint32_t cache_tokens = 2;  // in a block of the cache; at least 2, at most as many
};

// Of the open end of a prompt, whose length in the trace is below that of a block: 0 only if that is.
[[nodiscard]] constexpr std::uint32_t open_end(std::uint32_t trace_tokens, const block_scale& scale) {
  const auto share = static_cast<std::uint32_t>(std::uint64_t{trace_tokens} * scale.cache_tokens / scale.trace_tokens);
  return trace_tokens != 0 && share == 0 ? 1 : share;
}

// `blocks` names every begun block of a prompt of `input_tokens`.
void write_trace_prompt(std::span<const std::uint32_t> blocks, std::uint32_t input_tokens, const block_scale& scale,
                        std::vector<cache::token>& to);

}  // namespace kvrace::scenarios
