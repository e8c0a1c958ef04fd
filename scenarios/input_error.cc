#include "scenarios/input_error.h"

#include <algorithm>
#include <numeric>

#include "scenarios/unicode.h"

namespace kvrace::scenarios {
namespace {

bool is_harmful(std::uint32_t character) {
  return character < 0x20 || (character >= 0x7F && character < 0xA0) || character == 0x61C ||
         (character >= 0x200B && character <= 0x200F) || (character >= 0x2028 && character <= 0x202E) ||
         (character >= 0x2060 && character <= 0x206F) || character == 0xFEFF;
}

std::string hexadecimal(std::uint32_t value, unsigned digits_min) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string text;
  for (; value != 0 || text.size() < digits_min; value >>= 4) text.insert(text.begin(), digits[value & 15u]);
  return text;
}

std::string escaped(const code_point& character) {
  switch (character.value) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
  }
  if (character.value < 0x80) return "\\x" + hexadecimal(character.value, 2);
  return "\\u{" + hexadecimal(character.value, 1) + "}";
}

// Restricted Damerau-Levenshtein distance: neighbours that changed places count as one slip.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before(right.size() + 1);
  std::vector<std::size_t> above(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t change = left[i - 1] == right[j - 1] ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[right.size()];
}

}  // namespace

std::string printable(std::string_view text, std::size_t bytes_max) {
  std::vector<std::string> pieces;
  std::size_t bytes = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::optional<code_point> character = decode(rest);
    const std::size_t length = character ? character->length : 1;
    std::string piece = !character                     ? "\\x" + hexadecimal(static_cast<unsigned char>(rest[0]), 2)
                        : is_harmful(character->value) ? escaped(*character)
                                                       : std::string(rest.substr(0, length));
    bytes += piece.size();
    pieces.push_back(std::move(piece));
    rest.remove_prefix(length);
    // The tail of a very long text is not worth decoding.
    if (pieces.size() > bytes_max && rest.size() > 4 * bytes_max) rest.remove_prefix(rest.size() - 4 * bytes_max);
  }
  const bool cut = bytes > bytes_max;
  std::string head;
  std::size_t next = 0;
  for (; next < pieces.size() && (!cut || head.size() + pieces[next].size() <= bytes_max / 2); ++next) head += pieces[next];
  if (!cut) return head;
  std::string tail;
  for (std::size_t last = pieces.size(); last > next && tail.size() + pieces[last - 1].size() <= bytes_max / 2; --last)
    tail.insert(0, pieces[last - 1]);
  return head + "..." + tail;
}

std::string input_error::to_line(std::string_view path) const {
  // Short enough that path, place and expectation share a line; long paths are told apart by both ends.
  std::string line = printable(path, 300) + ": ";
  if (!where.empty()) line += printable(where) + ": ";
  return line + printable(expected, 600);
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string suggestion(std::string_view given, const std::vector<std::string>& names) {
  if (given.empty() || given.size() > 100) return {};
  const std::string* nearest = nullptr;
  std::size_t best = std::max<std::size_t>(1, given.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t distance_to_name = distance(given, name);
    if (distance_to_name < best && distance_to_name < name.size()) {
      best = distance_to_name;
      nearest = &name;
    }
  }
  return nearest == nullptr ? std::string{} : "; did you mean '" + *nearest + "'?";
}

std::string pointer_to(const std::string& parent, std::string_view key) {
  std::string pointer = parent + "/";
  for (const char character : key) {
    if (character == '~')
      pointer += "~0";
    else if (character == '/')
      pointer += "~1";
    else
      pointer += character;
  }
  return pointer;
}

std::string pointer_to(const std::string& parent, std::size_t index) { return parent + "/" + std::to_string(index); }

}  // namespace kvrace::scenarios
