// How the rows that a request computes are compressed: cut into blocks of equal size, the last one padded with zero rows.
#pragma once

#include <chrono>
#include <cstdint>

namespace kvrace::cache {

// Whether requests compress what they compute, and into what. Not by default.
struct compression_options {
  std::uint32_t buffers = 0;       // recycled ones, a block each; 0: nothing is compressed
  std::uint32_t block_tokens = 0;  // rows in a block; 0: compression_block_tokens() of the prompt's length
  std::uint32_t head_tile = 1;     // >= 1: see aligned_block_tokens()
  // Virtual time after which a buffer that nobody has taken again has been cleared; 0: never.
  std::chrono::nanoseconds scrub = {};
};

inline constexpr std::uint32_t compression_block_tokens_max = 256;

// Rows in a block for an input of so many tokens: 64, 128 or 256. Padding takes half a block on average, and less than a whole
// one. From 1,024 tokens on, blocks of 128 therefore cost 6 % on average and never 13 %; from the window of 4,096 tokens on,
// blocks of 256 cost 3 % and never 7 %.
[[nodiscard]] constexpr std::uint32_t compression_block_tokens(std::uint64_t input_tokens) {
  if (input_tokens < 1'024) return 64;
  return input_tokens < 4'096 ? 128 : compression_block_tokens_max;
}

// An attention kernel loads the rows of one head in tiles of `head_tile` tokens. The least size of a block, `block_tokens` or
// more, with which no tile reaches from one block into the next.
[[nodiscard]] constexpr std::uint32_t aligned_block_tokens(std::uint32_t block_tokens, std::uint32_t head_tile) {
  return (block_tokens + head_tile - 1) / head_tile * head_tile;
}

// Phase compensation: the zero rows behind `rows` with which every block is full. None if every block is.
[[nodiscard]] constexpr std::uint32_t padding_rows(std::uint64_t rows, std::uint32_t block_tokens) {
  return static_cast<std::uint32_t>((block_tokens - rows % block_tokens) % block_tokens);
}

[[nodiscard]] constexpr std::uint64_t compressed_blocks(std::uint64_t rows, std::uint32_t block_tokens) {
  return (rows + padding_rows(rows, block_tokens)) / block_tokens;
}

}  // namespace kvrace::cache
