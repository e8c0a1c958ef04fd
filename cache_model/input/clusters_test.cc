// Grapheme clusters: Unicode's own test data where it is installed (Debian package unicode-data), and vectors of its classes.
#include "cache_model/input/clusters.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace kvrace::cache {
namespace {

constexpr const char* test_data = "/usr/share/unicode/auxiliary/GraphemeBreakTest.txt";

std::vector<std::u32string> split(const std::u32string& text, std::uint32_t* cut = nullptr) {
  cluster_splitter splitter;
  std::vector<std::u32string> result;
  const auto sink = [&](const cluster& each) {
    REQUIRE(each.end - each.begin == each.text.size());
    result.push_back(each.text);
  };
  std::uint32_t at = 0;
  for (const char32_t each : text) {
    splitter.feed({each, at, at + 1, false}, sink);
    ++at;
  }
  splitter.finish(sink);
  if (cut != nullptr) *cut = splitter.cut();
  return result;
}

// A line of the file: code points between signs, ÷ for a break and × for none.
std::vector<std::u32string> clusters_of_line(const std::string& line) {
  std::vector<std::u32string> clusters;
  std::istringstream words(line.substr(0, line.find('#')));
  for (std::string word; words >> word;) {
    if (word == "\xC3\xB7")
      clusters.emplace_back();
    else if (word != "\xC3\x97")
      clusters.back() += static_cast<char32_t>(std::stoul(word, nullptr, 16));
  }
  if (!clusters.empty()) clusters.pop_back();  // behind the last break there is nothing
  return clusters;
}

TEST_CASE("Unicode's own test data of grapheme breaks") {
  std::ifstream file(test_data);
  if (!file) {
    WARN(test_data << " is not there: install unicode-data to run this test");
    return;
  }
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::u32string> expected = clusters_of_line(line);
    if (expected.empty()) continue;
    std::u32string text;
    for (const std::u32string& each : expected) text += each;
    INFO(line);
    REQUIRE(split(text) == expected);
    ++lines;
  }
  CHECK(lines == 602);  // of version 15.0.0
}

TEST_CASE("What a reader takes for one character is one cluster") {
  const std::vector<std::u32string> clusters = {
      U"A",
      U"e\u0301\u0323",                                        // marks
      U"\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466",  // a family
      U"\U0001F3F4\u200D\u2620\uFE0F",                          // a pirate flag
      U"\U0001F44D\U0001F3FD",                                  // a skin tone
      U"\U0001F1E9\U0001F1EA",                                  // a flag, of two letters
      U"\u1112\u1161\u11AB",                                    // a syllable of Hangul in three parts
      U"\U00031350",                                            // an ideograph of extension H, new in 15.0
      U"\U0001FAE8",                                            // shaking face, new in 15.0
      U"1\uFE0F\u20E3",                                         // a keycap
      U"\r\n",
      U"\u2705",
  };
  for (const std::u32string& each : clusters) CHECK(split(each) == std::vector<std::u32string>{each});
  for (const std::u32string& a : clusters)
    for (const std::u32string& b : clusters) CHECK(split(a + b) == std::vector<std::u32string>{a, b});
}

TEST_CASE("A character without an end is cut after 64 code points, and that is counted") {
  const std::size_t longest = cluster_splitter::code_points_max;
  std::uint32_t cut = 0;
  CHECK(split(U"a" + std::u32string(longest - 1, U'\u0301'), &cut).size() == 1);
  CHECK(cut == 0);
  CHECK(split(U"a" + std::u32string(longest, U'\u0301'), &cut).size() == 2);
  CHECK(cut == 1);
  const std::vector<std::u32string> pieces = split(std::u32string(1U << 20U, U'\u0301'), &cut);
  CHECK(pieces.size() == (1U << 20U) / longest);
  CHECK(cut == pieces.size() - 1);
}

}  // namespace
}  // namespace kvrace::cache
