// The sanitiser's patterns, compared with the library's regular expressions on every short text of the characters that matter.
#include "cache_model/input/sanitizer.h"

#include <catch2/catch.hpp>

#include <iterator>
#include <regex>
#include <string>

#include "cache_model/test_support.h"

namespace kvrace::cache {
namespace {

struct sanitized {
  std::u32string text;
  std::uint32_t triggers = 0;
  friend bool operator==(const sanitized&, const sanitized&) = default;
};

sanitized sanitize(const std::u32string& text, bool replaces = true) {
  sanitizer sanitizer(replaces);
  sanitized result;
  std::uint32_t end = 0;
  const auto sink = [&](const character& each) {
    REQUIRE(each.begin == end);  // no byte is lost
    end = each.end;
    result.text += static_cast<char32_t>(each.value);
  };
  std::uint32_t at = 0;
  for (const char32_t each : text) {
    sanitizer.feed({each, at, at + 1, false}, sink);
    ++at;
  }
  sanitizer.finish(sink);
  REQUIRE(end == text.size());
  result.triggers = sanitizer.triggers();
  return result;
}

sanitized by_regular_expression(const std::string& text) {
  static const std::regex patterns("#{3,}|\\[\\w+\\]\\{\\d+\\}");
  const auto matches = std::distance(std::sregex_iterator(text.begin(), text.end(), patterns), std::sregex_iterator());
  const std::string replaced = std::regex_replace(text, patterns, " ");
  return {{replaced.begin(), replaced.end()}, static_cast<std::uint32_t>(matches)};
}

void compare(const std::string& text) {
  const std::u32string wide(text.begin(), text.end());
  const sanitized expected = by_regular_expression(text);
  if (sanitize(wide) != expected) FAIL("'" << text << "'");
  if (sanitize(wide, false) != sanitized{wide, expected.triggers}) FAIL("'" << text << "', not replaced");
}

TEST_CASE("Every text of up to six of the characters that matter is sanitised as the patterns say") {
  const std::string letters = "#[]{}a1_";
  for (std::size_t length = 0; length <= 6; ++length) {
    std::size_t texts = 1;
    for (std::size_t i = 0; i < length; ++i) texts *= letters.size();
    for (std::size_t number = 0; number < texts; ++number) {
      std::string text;
      for (std::size_t rest = number, i = 0; i < length; ++i, rest /= letters.size()) text += letters[rest % letters.size()];
      compare(text);
    }
  }
}

TEST_CASE("So are longer ones, pieced together from parts of matches") {
  const std::vector<std::string> parts = {"#", "##", "###",  "####", "[", "[a", "[a_1]",  "]",
                                          "{", "{1", "{12}", "}",    "x", " ",  "[ab]{3}"};
  test::random_numbers random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::uint32_t left = random.below(12); left > 0; --left)
      text += parts[random.below(static_cast<std::uint32_t>(parts.size()))];
    compare(text);
  }
}

TEST_CASE("Words and digits are those of every script") {
  CHECK(sanitize(U"[температура]{25}").text == U" ");
  CHECK(sanitize(U"[温度]{\u0662\u0665}").text == U" ");
  CHECK(sanitize(U"[a b]{25}").triggers == 0);
  CHECK(sanitize(U"[a]{2.5}").triggers == 0);
  CHECK(sanitize(U"[\u2705]{1}").triggers == 0);
}

TEST_CASE("A megabyte that could become a match until its end is given out again whole") {
  const std::u32string text = U"[" + std::u32string(1U << 20U, U'a');
  CHECK(sanitize(text).text == text);
  CHECK(sanitize(std::u32string(1U << 20U, U'#')) == sanitized{U" ", 1});
}

}  // namespace
}  // namespace kvrace::cache
