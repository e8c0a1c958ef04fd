// JSON as the HTML page carries it.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace kvrace::reports {

// In ASCII and without '<', '>' and '&', so that it can stand in an element of an HTML document and does not end it.
[[nodiscard]] std::string element_text(const nlohmann::json&);

// One printable string a line, see plain_text.h.
[[nodiscard]] nlohmann::json printable_lines(std::string_view text);

}  // namespace kvrace::reports
