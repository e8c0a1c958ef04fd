#include "scenarios/trace_prompt.h"

namespace kvrace::scenarios {

void write_trace_prompt(std::span<const std::uint32_t> blocks, std::uint32_t input_tokens, const block_scale& scale,
                        std::vector<cache::token>& to) {
  to.clear();
  const std::size_t full = input_tokens / scale.trace_tokens;
  for (std::size_t block = 0; block < full; ++block) to.insert(to.end(), scale.cache_tokens, blocks[block]);
  const std::uint32_t end = open_end(input_tokens % scale.trace_tokens, scale);
  if (end != 0) to.insert(to.end(), end, blocks[full]);
}

}  // namespace kvrace::scenarios
