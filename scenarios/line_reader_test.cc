#include "scenarios/line_reader.h"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace kvrace::scenarios;

namespace {

// The same bytes, at most so many at a time.
byte_source in_pieces(std::string_view text, std::size_t piece) {
  return [whole = bytes_of(text), piece](std::span<char> to) { return whole(to.first(std::min(to.size(), piece))); };
}

std::vector<std::string> lines_of(byte_source source, std::size_t line_bytes_max = 1'000'000) {
  line_reader reader(std::move(source), line_bytes_max);
  std::vector<std::string> lines;
  while (const auto line = reader.next()) lines.emplace_back(*line);
  if (reader.error()) lines.push_back(reader.error()->where + ": " + reader.error()->expected);
  return lines;
}

}  // namespace

TEST_CASE("lines are the same, however their bytes arrive") {
  const std::string text = "one\n\ntwo\r\n" + std::string(70'000, 'x') + "\n" + std::string(200'000, 'y') + "\nend";
  const std::vector<std::string> lines = {"one", "", "two\r", std::string(70'000, 'x'), std::string(200'000, 'y'), "end"};
  for (const std::size_t piece : {1u, 2u, 3u, 7u, 4'096u, 65'536u, 1'000'000u}) CHECK(lines_of(in_pieces(text, piece)) == lines);
}

TEST_CASE("the last line is told apart by its line break") {
  line_reader closed(bytes_of("a\nb\n"), 10);
  CHECK(closed.next() == "a");
  CHECK(closed.next() == "b");
  CHECK(closed.ended_by_break());
  CHECK(closed.number() == 2);
  CHECK_FALSE(closed.next());
  CHECK_FALSE(closed.error());
  line_reader open(bytes_of("a\nb"), 10);
  CHECK(open.next() == "a");
  CHECK(open.ended_by_break());
  CHECK(open.next() == "b");
  CHECK_FALSE(open.ended_by_break());
  CHECK_FALSE(open.next());
  CHECK(lines_of(bytes_of("")).empty());
}

TEST_CASE("a line that is too long is refused, and no more of it read than that takes") {
  CHECK(lines_of(bytes_of("12345\n123456\n"), 5) == std::vector<std::string>{"12345", "2: expected at most 5 bytes in a line"});
  CHECK(lines_of(bytes_of("12345"), 5) == std::vector<std::string>{"12345"});
  std::size_t given = 0;
  const byte_source endless = [&given](std::span<char> to) {
    std::fill(to.begin(), to.end(), 'x');
    given += to.size();
    return to.size();
  };
  CHECK(lines_of(endless, 100'000) == std::vector<std::string>{"1: expected at most 100000 bytes in a line"});
  CHECK(given < 300'000);
}

TEST_CASE("what cannot be read ends the lines") {
  const byte_source broken = [](std::span<char>) { return input_error{"", "cannot be read"}; };
  CHECK(lines_of(broken) == std::vector<std::string>{": cannot be read"});
}
