// Text that is safe to show: what a program under test wrote may hold anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kvrace::reports {

// Valid UTF-8 without control characters, bytes that are no UTF-8, or characters that are invisible or reorder text: those become
// \n, \xNN or \u{N}.
[[nodiscard]] std::string printable(std::string_view text);

// The same for one line of a message: a longer text is cut in the middle.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t bytes_max = 200);

// Code points in printable text.
[[nodiscard]] std::size_t width(std::string_view printable_text);

// At most `columns` wide; ends in ".." if something was cut.
[[nodiscard]] std::string elide(std::string_view printable_text, std::size_t columns);

// Exactly `columns` wide: elided, or filled with spaces.
[[nodiscard]] std::string fit(std::string_view printable_text, std::size_t columns);

// Lines of at most `columns`, broken at spaces; a longer word gets broken too. At least one line.
[[nodiscard]] std::vector<std::string> wrap(std::string_view printable_text, std::size_t columns);

}  // namespace kvrace::reports
