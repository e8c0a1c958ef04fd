#include <catch2/catch.hpp>

#include "reports/plain_text.h"

namespace kvrace::reports {
namespace {

TEST_CASE("printable text keeps what can be shown and escapes what moves the cursor") {
  CHECK(printable("plain") == "plain");
  CHECK(printable("gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x8A") == "gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x8A");
  CHECK(printable("a\nb\tc") == "a\\nb\\tc");
  CHECK(printable("\x1b[2J\x7f") == "\\x1B[2J\\x7F");
  CHECK(printable("\xC2\x9B") == "\\u{9B}");                    // the one-byte CSI, as UTF-8
  CHECK(printable("\xE2\x80\xAE") == "\\u{202E}");              // right-to-left override
  CHECK(printable(std::string_view("\0", 1)) == "\\x00");
}

TEST_CASE("what is invisible is shown") {
  CHECK(printable("a\xE2\x80\x8B"
                  "b") == "a\\u{200B}b");  // zero width space
  CHECK(printable("\xEF\xBB\xBF"
                  "a") == "\\u{FEFF}a");     // byte order mark
}

TEST_CASE("bytes that are no UTF-8 are escaped one by one") {
  CHECK(printable("a\xff") == "a\\xFF");
  CHECK(printable("\xC0\xAF") == "\\xC0\\xAF");                          // overlong
  CHECK(printable("\xE0\x80\xBF") == "\\xE0\\x80\\xBF");                // overlong
  CHECK(printable("\xED\xA0\x80") == "\\xED\\xA0\\x80");                // surrogate
  CHECK(printable("\xF4\x91\x92\x93") == "\\xF4\\x91\\x92\\x93");      // above U+10FFFF
  CHECK(printable("\xF0\x9F\x98") == "\\xF0\\x9F\\x98");                // cut off
}

TEST_CASE("an excerpt keeps both ends and splits no character") {
  CHECK(excerpt("short", 5) == "short");
  CHECK(excerpt("0123456789", 8) == "0123...6789");
  CHECK(excerpt(std::string(1'000'000, 'x'), 4) == "xx...xx");
  CHECK(excerpt("\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC", 6) == "\xC3\xBC...\xC3\xBC");
}

TEST_CASE("width counts code points") {
  CHECK(width("") == 0);
  CHECK(width("gr\xC3\xBC\xC3\x9F") == 4);
}

TEST_CASE("elide and fit never split a character") {
  CHECK(elide("abcdef", 6) == "abcdef");
  CHECK(elide("abcdefg", 6) == "abcd..");
  CHECK(elide("\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC", 3) == "\xC3\xBC..");
  CHECK(elide("abc", 1) == ".");
  CHECK(fit("\xC3\xBC", 3) == "\xC3\xBC  ");
  CHECK(width(fit("abcdefg", 4)) == 4);
}

TEST_CASE("wrap breaks at spaces, breaks long words, and loses no word") {
  CHECK(wrap("", 10) == std::vector<std::string>{""});
  CHECK(wrap("one two three", 10) == std::vector<std::string>{"one two", "three"});
  CHECK(wrap("0123456789abc", 10) == std::vector<std::string>{"0123456789", "abc"});
  CHECK(wrap("0123456789 abc", 10) == std::vector<std::string>{"0123456789", "abc"});
  for (const std::string& line : wrap("a text of several words, each of them short", 12)) CHECK(width(line) <= 12);
}

}  // namespace
}  // namespace kvrace::reports
