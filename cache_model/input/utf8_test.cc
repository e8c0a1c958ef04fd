// Decoding of UTF-8 that arrives in pieces: one U+FFFD for each maximal subpart, whatever the split.
#include "cache_model/input/utf8.h"

#include <catch2/catch.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cache_model/test_support.h"

namespace kvrace::cache {
namespace {

using text = std::vector<std::uint32_t>;

text decode(const std::vector<std::string_view>& pieces) {
  utf8_decoder decoder;
  text result;
  std::uint32_t end = 0;
  const auto sink = [&](const character& each) {
    REQUIRE(each.begin == end);  // every byte belongs to one character
    REQUIRE(each.end > each.begin);
    REQUIRE((!each.replaced || each.value == replacement_character));
    end = each.end;
    result.push_back(each.value);
  };
  for (const std::string_view piece : pieces) decoder.feed(piece, sink);
  decoder.finish(sink);
  REQUIRE(end == decoder.offset());
  return result;
}

// A sequence of table 3-7, by its row; or how many bytes of one begin here.
struct sequence {
  std::size_t length = 0;
  bool whole = false;
};
sequence sequence_at(std::string_view bytes) {
  struct row {
    unsigned first_low, first_high, second_low, second_high;
    std::size_t length;
  };
  static constexpr row rows[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
                                 {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
                                 {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (byte(0) < 0x80) return {1, true};
  for (const row& each : rows) {
    if (byte(0) < each.first_low || byte(0) > each.first_high) continue;
    std::size_t length = 1;
    if (bytes.size() > 1 && byte(1) >= each.second_low && byte(1) <= each.second_high) length = 2;
    while (length >= 2 && length < each.length && length < bytes.size() && byte(length) >= 0x80 && byte(length) <= 0xBF) ++length;
    return {length, length == each.length};
  }
  return {1, false};
}

text decode_by_table(std::string_view bytes) {
  text result;
  while (!bytes.empty()) {
    const sequence found = sequence_at(bytes);
    std::uint32_t value = replacement_character;
    if (found.whole) {
      value = static_cast<unsigned char>(bytes[0]);
      if (found.length > 1) value &= 0xFFU >> (found.length + 1);
      for (std::size_t i = 1; i < found.length; ++i) value = value * 64 + (static_cast<unsigned char>(bytes[i]) - 0x80U);
    }
    result.push_back(value);
    bytes.remove_prefix(found.length);
  }
  return result;
}

text repeated(std::size_t times, text then = {}) {
  text result(times, replacement_character);
  result.insert(result.end(), then.begin(), then.end());
  return result;
}

struct vector_of_the_standard {
  std::string_view bytes;
  text result;
};
std::vector<vector_of_the_standard> vectors() {
  text third = repeated(5, {0x41});
  third.insert(third.end(), {replacement_character, replacement_character, 0x42});
  return {{std::string_view("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", 9), repeated(8, {0x41})},
          {std::string_view("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", 9), repeated(8, {0x41})},
          {std::string_view("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", 9), third},
          {std::string_view("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", 9), repeated(4, {0x41})}};
}

TEST_CASE("The vectors of Unicode 15.0, tables 3-8 to 3-11, at every two points of a split") {
  for (const vector_of_the_standard& each : vectors()) {
    REQUIRE(decode_by_table(each.bytes) == each.result);
    for (std::size_t first = 0; first <= each.bytes.size(); ++first)
      for (std::size_t second = first; second <= each.bytes.size(); ++second)
        REQUIRE(decode({each.bytes.substr(0, first), each.bytes.substr(first, second - first), each.bytes.substr(second)}) ==
                each.result);
  }
}

TEST_CASE("Every code point is decoded, and nothing else is") {
  for (std::uint32_t value = 0; value <= 0x10FFFF; ++value) {
    std::string bytes;
    const auto put = [&](std::uint32_t bits) { bytes += static_cast<char>(bits); };
    if (value < 0x80) {
      put(value);
    } else if (value < 0x800) {
      put(0xC0 | value >> 6U), put(0x80 | (value & 0x3FU));
    } else if (value < 0x10000) {
      put(0xE0 | value >> 12U), put(0x80 | (value >> 6U & 0x3FU)), put(0x80 | (value & 0x3FU));
    } else {
      put(0xF0 | value >> 18U), put(0x80 | (value >> 12U & 0x3FU)), put(0x80 | (value >> 6U & 0x3FU)),
          put(0x80 | (value & 0x3FU));
    }
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (decode({bytes}) != (surrogate ? repeated(3) : text{value})) FAIL("code point " << value);
  }
}

TEST_CASE("Any four bytes at the borders of table 3-7 are decoded as the table says, in one piece and byte by byte") {
  static constexpr std::string_view borders(
      "\x00\x41\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC1\xC2\xDF\xE0\xE1\xEC\xED\xEE\xEF\xF0\xF1\xF3\xF4\xF5\xFF", 25);
  char bytes[4];
  const std::string_view all(bytes, 4);
  for (bytes[0] = 0; const char a : borders)
    for (const char b : borders)
      for (const char c : borders)
        for (const char d : borders) {
          bytes[0] = a, bytes[1] = b, bytes[2] = c, bytes[3] = d;
          const text expected = decode_by_table(all);
          if (decode({all}) != expected) FAIL("in one piece");
          if (decode({all.substr(0, 1), all.substr(1, 1), all.substr(2, 1), all.substr(3)}) != expected) FAIL("byte by byte");
        }
}

TEST_CASE("Random bytes are decoded alike at every point of a split") {
  test::random_numbers random(1);
  for (int round = 0; round < 300; ++round) {
    std::string bytes;
    for (std::uint32_t left = random.below(40); left > 0; --left)
      bytes += static_cast<char>(random.below(2) == 0 ? 0x80 + random.below(128) : random.below(128));
    const text expected = decode_by_table(bytes);
    const std::string_view all = bytes;
    for (std::size_t point = 0; point <= all.size(); ++point)
      REQUIRE(decode({all.substr(0, point), all.substr(point)}) == expected);
  }
}

}  // namespace
}  // namespace kvrace::cache
