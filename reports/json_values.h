// How numbers stand in the JSON of reports.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include <nlohmann/json.hpp>

namespace kvrace::reports {

[[nodiscard]] inline std::string hex(std::uint64_t value) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(value));
  return text;
}

// JavaScript and jq keep integers up to 2^53 only: a larger one is written as hexadecimal digits.
[[nodiscard]] inline nlohmann::ordered_json count(std::uint64_t value) {
  constexpr std::uint64_t exact_max = std::uint64_t{1} << 53U;
  if (value > exact_max) return hex(value);
  return value;
}

[[nodiscard]] inline nlohmann::ordered_json real(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

}  // namespace kvrace::reports
