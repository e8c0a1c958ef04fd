#include "reports/input_error.h"

#include <algorithm>
#include <numeric>

#include "reports/plain_text.h"

namespace kvrace::reports {
namespace {

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

std::string input_error::to_line(std::string_view path) const {
  // Short enough that path, place and expectation share a line; long paths are told apart by both ends.
  std::string line = excerpt(path, 300) + ": ";
  if (!where.empty()) line += excerpt(where) + ": ";
  return line + excerpt(expected, 600);
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

}  // namespace kvrace::reports
