// Text to JSON, strictly: valid UTF-8 without NUL, bounded nesting, every key once. Hostile input is an error with its place,
// never a crash.
#pragma once

#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>

#include "reports/input_error.h"

namespace kvrace::reports {

inline constexpr std::size_t nesting_max = 64;

// Json: nlohmann::json or nlohmann::ordered_json.
template <class Json>
[[nodiscard]] std::variant<Json, input_error> parse_json(std::string_view text);

}  // namespace kvrace::reports
