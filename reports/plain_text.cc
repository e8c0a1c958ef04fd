#include "reports/plain_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "reports/unicode.h"

namespace kvrace::reports {
namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// C0 and C1 controls, and what is invisible or reorders or breaks the lines around it.
bool is_harmful(std::uint32_t character) {
  return character < 0x20 || (character >= 0x7F && character < 0xA0) || character == 0x61C ||
         (character >= 0x200B && character <= 0x200F) || (character >= 0x2028 && character <= 0x202E) ||
         (character >= 0x2060 && character <= 0x206F) || character == 0xFEFF;
}

std::string hexadecimal(std::uint32_t value, unsigned digits_min) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string text;
  for (; value != 0 || text.size() < digits_min; value >>= 4U) text.insert(text.begin(), digits[value & 15U]);
  return text;
}

std::string escaped(std::uint32_t character) {
  switch (character) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
  }
  if (character < 0x80) return "\\x" + hexadecimal(character, 2);
  return "\\u{" + hexadecimal(character, 1) + "}";
}

// The first character as it may be shown; takes it off `text`, which must not be empty.
std::string next_piece(std::string_view& text) {
  const std::optional<code_point> character = decode(text);
  const std::string_view bytes = text.substr(0, character ? character->length : 1);
  text.remove_prefix(bytes.size());
  if (!character) return "\\x" + hexadecimal(static_cast<unsigned char>(bytes[0]), 2);
  return is_harmful(character->value) ? escaped(character->value) : std::string(bytes);
}

// The longest start of `text` that is at most `columns` wide.
std::string_view head(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  while (end < text.size()) {
    if (!is_continuation(text[end]) && columns-- == 0) break;
    ++end;
  }
  return text.substr(0, end);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) out += next_piece(text);
  return out;
}

std::string excerpt(std::string_view text, std::size_t bytes_max) {
  std::vector<std::string> pieces;
  std::size_t bytes = 0;
  while (!text.empty()) {
    pieces.push_back(next_piece(text));
    bytes += pieces.back().size();
    // The tail of a very long text is not worth decoding.
    if (pieces.size() > bytes_max && text.size() > 4 * bytes_max) text.remove_prefix(text.size() - 4 * bytes_max);
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

std::size_t width(std::string_view printable_text) {
  return static_cast<std::size_t>(
      std::count_if(printable_text.begin(), printable_text.end(), [](char byte) { return !is_continuation(byte); }));
}

std::string elide(std::string_view printable_text, std::size_t columns) {
  if (width(printable_text) <= columns) return std::string(printable_text);
  if (columns <= 2) return std::string(columns, '.');
  return std::string(head(printable_text, columns - 2)) + "..";
}

std::string fit(std::string_view printable_text, std::size_t columns) {
  std::string out = elide(printable_text, columns);
  out.append(columns - width(out), ' ');
  return out;
}

std::vector<std::string> wrap(std::string_view printable_text, std::size_t columns) {
  columns = std::max<std::size_t>(columns, 8);
  std::vector<std::string> lines;
  while (width(printable_text) > columns) {
    const std::string_view longest = head(printable_text, columns + 1);
    const std::size_t space = longest.find_last_of(' ');
    const std::string_view line =
        space != std::string_view::npos && space > 0 ? longest.substr(0, space) : head(printable_text, columns);
    lines.emplace_back(line);
    printable_text.remove_prefix(line.size());
    while (!printable_text.empty() && printable_text.front() == ' ') printable_text.remove_prefix(1);
  }
  if (!printable_text.empty() || lines.empty()) lines.emplace_back(printable_text);
  return lines;
}

}  // namespace kvrace::reports
