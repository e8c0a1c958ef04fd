#include <kvrace/schedule.h>

#include <array>
#include <charconv>

namespace kvrace {

namespace {

// By schedule::setting.
constexpr std::array<std::string_view, 6> prefixes = {"", "timeouts/", "search/", "graph/", "rc11/", "rc11-timeouts/"};

bool read_number(std::string_view& text, std::uint64_t& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  if (error != std::errc() || end == text.data()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool read_mark(std::string_view& text, char mark) {
  if (text.empty() || text.front() != mark) return false;
  text.remove_prefix(1);
  return true;
}

bool read_item(std::string_view text, deviation& into) {
  std::uint64_t task = 0;
  if (!read_number(text, task) || task > 64 || !read_mark(text, '.') || !read_number(text, into.operation)) return false;
  into.task = static_cast<unsigned>(task);
  if (read_mark(text, ':'))
    into.what = deviation::kind::switch_to;
  else if (read_mark(text, '='))
    into.what = deviation::kind::value;
  else
    return false;
  if (!read_number(text, into.answer) || !text.empty()) return false;
  return into.what == deviation::kind::value || into.answer <= 64;
}

}  // namespace

std::string schedule::to_string() const {
  std::string text(prefixes[static_cast<std::size_t>(set_up)]);
  if (deviations.empty()) return text + "baseline";
  for (const deviation& item : deviations) {
    if (&item != &deviations.front()) text += ',';
    text += std::to_string(item.task) + '.' + std::to_string(item.operation) + (item.what == deviation::kind::value ? '=' : ':') +
            std::to_string(item.answer);
  }
  return text;
}

std::optional<schedule> schedule::parse(std::string_view text, std::string* error) {
  schedule parsed;
  for (std::size_t i = 1; i < prefixes.size(); ++i) {
    if (text.substr(0, prefixes[i].size()) != prefixes[i]) continue;
    text.remove_prefix(prefixes[i].size());
    parsed.set_up = static_cast<setting>(i);
    break;
  }
  if (text == "baseline") return parsed;
  for (std::size_t number = 1;; ++number) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    deviation& next = parsed.deviations.emplace_back();
    if (!read_item(item, next)) {
      if (error != nullptr)
        *error = "item " + std::to_string(number) + " '" + std::string(item.substr(0, 40)) +
                 "': expected TASK.OPERATION:TASK or TASK.OPERATION=OUTCOME with tasks 0 to 64, or the word baseline";
      return std::nullopt;
    }
    if (comma == std::string_view::npos) return parsed;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace kvrace
