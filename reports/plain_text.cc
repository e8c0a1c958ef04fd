#include "reports/plain_text.h"

#include <algorithm>

namespace kvrace::reports {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

struct code_point {
  std::size_t bytes = 0;  // 0: the text does not start with well-formed UTF-8
  char32_t value = 0;
};

code_point first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {1, lead};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t value = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return {};
    value = value << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {bytes, value};
}

// Escaped: C0 and C1 controls, and the marks that reorder or break the lines around them.
bool is_control(char32_t value) {
  return value < 0x20 || (value >= 0x7F && value < 0xA0) || (value >= 0x202A && value <= 0x202E) ||
         (value >= 0x2066 && value <= 0x2069) || value == 0x2028 || value == 0x2029;
}

void append_escaped(std::string& out, char32_t value) {
  if (value == '\n') {
    out += "\\n";
  } else if (value == '\t') {
    out += "\\t";
  } else {
    constexpr std::string_view digits = "0123456789ABCDEF";
    out += value < 0x100 ? "\\x" : "\\u";
    for (int shift = value < 0x100 ? 4 : 12; shift >= 0; shift -= 4)
      out += digits[(value >> static_cast<unsigned>(shift)) & 0xFU];
  }
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
  while (!text.empty()) {
    const code_point next = first_code_point(text);
    if (next.bytes == 0) {
      out += replacement;
      text.remove_prefix(1);
      continue;
    }
    if (is_control(next.value)) {
      append_escaped(out, next.value);
    } else {
      out += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return out;
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
