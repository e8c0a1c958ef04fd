// The arithmetic of kvrace memory, against counting the blocks one by one.
#include "scenarios/memory_command.h"

#include <catch2/catch.hpp>

#include <sstream>
#include <string>

namespace kvrace::scenarios {
namespace {

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

// The elements of the line that begins so.
std::string elements_of(const std::string& text, const std::string& beginning) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  " + beginning)) continue;
    std::istringstream words(line.substr(54));
    std::string elements;
    words >> elements;
    return elements;
  }
  return "";
}

TEST_CASE("ten thousand tokens in blocks of a hundred: no block saves anything, a band of ten saves nine tenths") {
  const std::string text = memory_text({});
  CHECK(elements_of(text, "the matrix, 10,000 x 10,000") == "100,000,000");
  CHECK(elements_of(text, "in 100 x 100 blocks of 100 x 100") == "100,000,000");
  CHECK(elements_of(text, "of these, on and below the diagonal") == "50,500,000");
  CHECK(elements_of(text, "a band of 10 blocks below the diagonal") == "9,550,000");
  CHECK(elements_of(text, "a row of blocks at a time") == "1,000,000");
  CHECK(elements_of(text, "a block at a time") == "10,000");
  CHECK(elements_of(text, "blocks of 64: 157, 48 zero rows") == "10,048");
  CHECK(elements_of(text, "blocks of 128: 79, 112 zero rows") == "10,112");
  CHECK(elements_of(text, "blocks of 256: 40, 240 zero rows (chosen by length)") == "10,240");
}

TEST_CASE("the band is the widest that keeps a tenth, by counting") {
  for (const std::uint64_t tokens : {100U, 777U, 1'000U, 4'096U})
    for (const std::uint64_t tile : {1U, 7U, 64U, 100U}) {
      const std::uint64_t rows = (tokens + tile - 1) / tile;
      const auto counted = [&](std::uint64_t wide) {
        std::uint64_t tiles = 0;
        for (std::uint64_t row = 0; row < rows; ++row) tiles += std::min(row + 1, wide);
        return tiles * tile * tile;
      };
      std::uint64_t wide = 0;
      while (wide < rows && counted(wide + 1) <= tokens * tokens / 10) ++wide;
      const std::string text = memory_text({.tokens = tokens, .tile_tokens = tile});
      INFO(text);
      CHECK(elements_of(text, "a band of " + grouped(wide) + " blocks") == (wide == 0 ? "" : grouped(counted(wide))));
    }
}

}  // namespace
}  // namespace kvrace::scenarios
