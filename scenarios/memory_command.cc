#include "scenarios/memory_command.h"

#include <cstdio>
#include <iostream>
#include <string_view>

#include <CLI/CLI.hpp>

#include <kvrace/cache/compression.h>

#include "scenarios/commands.h"
#include "scenarios/option_values.h"

namespace kvrace::scenarios {
namespace {

constexpr const char* examples = R"(
Examples:
  kvrace memory
  kvrace memory --tokens 4096 --tile 128
)";

constexpr std::uint64_t tokens_max = 1'000'000'000;  // its square is still an exact count

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string share_of(double part, double whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%", part / whole * 100);
  return text;
}

std::string line(const std::string& what, const std::string& amount, const std::string& share) {
  char text[128];
  std::snprintf(text, sizeof text, "  %-52s %26s %10s\n", what.c_str(), amount.c_str(), share.c_str());
  return text;
}

// The elements of a triangle of tiles: of the row `i` from 0, the last `wide` tiles up to the diagonal.
std::uint64_t tiles_of_band(std::uint64_t rows, std::uint64_t wide) {
  return wide >= rows ? rows * (rows + 1) / 2 : wide * (wide + 1) / 2 + (rows - wide) * wide;
}

std::string attention_text(const memory_question& asked) {
  const std::uint64_t full = asked.tokens * asked.tokens;
  const std::uint64_t rows = (asked.tokens + asked.tile_tokens - 1) / asked.tile_tokens;
  const std::uint64_t tile = asked.tile_tokens * asked.tile_tokens;
  const auto kept = [&](const std::string& what, std::uint64_t tiles) {
    return line(what, grouped(tiles * tile), share_of(static_cast<double>(tiles * tile), static_cast<double>(full)));
  };
  // The widest band that keeps a tenth of the matrix or less.
  std::uint64_t wide = 0;
  while (wide < rows && tiles_of_band(rows, wide + 1) * tile <= full / 10) ++wide;
  const std::string side = grouped(asked.tokens);
  const std::string tile_side = grouped(asked.tile_tokens);
  std::string text = "Attention over " + side + " tokens, elements that are kept:\n";
  text += line("the matrix, " + side + " x " + side, grouped(full), share_of(1, 1));
  text += kept("in " + grouped(rows) + " x " + grouped(rows) + " blocks of " + tile_side + " x " + tile_side, rows * rows);
  text += kept("of these, on and below the diagonal", tiles_of_band(rows, rows));
  if (wide != 0) text += kept("a band of " + grouped(wide) + " blocks below the diagonal", tiles_of_band(rows, wide));
  text += kept("a row of blocks at a time", rows);
  text += kept("a block at a time", 1);
  text += "Cutting the matrix into blocks saves nothing: together they have its elements, or more.\n";
  text += "What saves is not to keep them. All but a tenth is saved ";
  if (wide == 0) return text + "by no band of whole blocks: a single one keeps more.\n";
  return text + "by a band of at most " + grouped(wide) + (wide == 1 ? " block" : " blocks") +
         ",\nin which a token sees no token more than " + grouped(wide * asked.tile_tokens) +
         " before it, or by computing a row or a\nblock at a time, in which it sees them all.\n";
}

std::string rows_text(std::uint64_t tokens) {
  std::string text = "\nRows of K and V for them, one a token, in compressed blocks:\n";
  text += line("not compressed", grouped(tokens), share_of(1, 1));
  const std::uint32_t chosen = cache::compression_block_tokens(tokens);
  for (const std::uint32_t block_tokens : {64U, 128U, 256U}) {
    const std::uint64_t rows = tokens + cache::padding_rows(tokens, block_tokens);
    text += line("blocks of " + std::to_string(block_tokens) + ": " + grouped(cache::compressed_blocks(tokens, block_tokens)) +
                     ", " + std::to_string(rows - tokens) + " zero rows" + (block_tokens == chosen ? " (chosen by length)" : ""),
                 grouped(rows), share_of(static_cast<double>(rows), static_cast<double>(tokens)));
  }
  return text + "Blocks drop no rows and pad the last one: they cost memory, and what they save is not theirs.\n";
}

}  // namespace

CLI::App* memory_arguments::declare(CLI::App& app) {
  CLI::App* const memory = app.add_subcommand("memory", "Print what attention over a prompt takes, in one piece and in blocks");
  memory->add_option("--tokens", tokens, "Length of the prompt; default 10000")->option_text("N");
  memory->add_option("--tile", tile, "Tokens along each side of a block of the matrix; default 100")->option_text("N");
  memory->footer(examples);
  return memory;
}

memory_question memory_arguments::question() const {
  memory_question asked;
  if (tokens) asked.tokens = integer_option("--tokens", *tokens, 1, tokens_max);
  if (tile) asked.tile_tokens = integer_option("--tile", *tile, 1, tokens_max);
  if (asked.tile_tokens > asked.tokens)
    throw usage_error("--tile: expected at most as many tokens as the prompt has, " + std::to_string(asked.tokens));
  return asked;
}

std::string memory_text(const memory_question& asked) { return attention_text(asked) + rows_text(asked.tokens); }

int run_memory(const memory_question& asked) {
  std::cout << memory_text(asked);
  return 0;
}

}  // namespace kvrace::scenarios
