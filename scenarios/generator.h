// Workloads drawn from a seed: the same tasks on every machine and with every library.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/scenario.h"

namespace kvrace::scenarios {

inline constexpr std::uint64_t leaves_max = 65'536;
inline constexpr std::uint64_t generated_tokens_max = 10'000'000;

// fanout^depth; some number above leaves_max if that is more.
[[nodiscard]] std::uint64_t leaves_of(unsigned depth, unsigned fanout);

// The prompt of a leaf of the prefix tree, instead of what `tokens` holds.
void write_prompt(unsigned depth, unsigned fanout, std::uint64_t leaf, std::uint32_t tokens_per_block,
                  std::vector<cache::token>& tokens);

// The prompt of leaf k is the path to it from the root of the prefix tree: one full block for each node, its tokens all the
// node's number (level by level from 1), and a last token 0 to recompute. Two leaves share exactly the blocks of their common
// ancestors. Requires at most leaves_max leaves and a mix with a weight above 0.
[[nodiscard]] std::vector<task> generate_tasks(const generator&, std::uint32_t tokens_per_block);

}  // namespace kvrace::scenarios
