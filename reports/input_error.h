// What is wrong with an input file, in one line; and the words such lines are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kvrace::reports {

struct input_error {
  std::string where;     // JSON pointer, "(root)", "LINE:COLUMN"; empty if it is about the file as a whole
  std::string expected;  // "expected an integer from 1 to 64, not -3"

  // "PATH: WHERE: EXPECTED", safe to print: one line of valid UTF-8, however the path and the file are made.
  [[nodiscard]] std::string to_line(std::string_view path) const;
};

// `names` joined as "a, b, c".
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

// "; did you mean 'x'?" if one of `names` is close enough to `given`, else empty.
[[nodiscard]] std::string suggestion(std::string_view given, const std::vector<std::string>& names);

// Adds a key or an index to a JSON pointer, escaped as RFC 6901 says.
[[nodiscard]] std::string pointer_to(const std::string& parent, std::string_view key);
[[nodiscard]] std::string pointer_to(const std::string& parent, std::size_t index);

}  // namespace kvrace::reports
