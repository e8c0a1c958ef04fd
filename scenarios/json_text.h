// Text to JSON, strictly: valid UTF-8, bounded nesting, every key once. Hostile input is an error with its place, never a crash.
#pragma once

#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>

#include "scenarios/input_error.h"

namespace kvrace::scenarios {

inline constexpr std::size_t nesting_max = 64;

[[nodiscard]] std::variant<nlohmann::json, input_error> parse_json(std::string_view text);

}  // namespace kvrace::scenarios
