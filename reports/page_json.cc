#include "reports/page_json.h"

#include <algorithm>

#include "reports/plain_text.h"

namespace kvrace::reports {

using nlohmann::json;

std::string element_text(const json& value) {
  const std::string ascii = value.dump(-1, ' ', true, json::error_handler_t::replace);
  std::string out;
  out.reserve(ascii.size());
  for (const char character : ascii) {
    switch (character) {
      case '<': out += "\\u003c"; break;
      case '>': out += "\\u003e"; break;
      case '&': out += "\\u0026"; break;
      default: out += character;
    }
  }
  return out;
}

json printable_lines(std::string_view text) {
  json lines = json::array();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(printable(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace kvrace::reports
