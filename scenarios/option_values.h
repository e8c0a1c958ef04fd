// Options are taken as text and read here, so that every mistake is answered in the same words.
#pragma once

#include <cstdint>
#include <string>

namespace kvrace::scenarios {

inline constexpr std::uint64_t integer_max = 9'007'199'254'740'991;  // as in the scenario schema

// All of these throw usage_error.
[[nodiscard]] std::uint64_t integer_option(const char* option, const std::string& text, std::uint64_t minimum,
                                           std::uint64_t maximum);
[[nodiscard]] double seconds_option(const char* option, const std::string& text);
// A name from locking_strategies().
[[nodiscard]] std::string locking_option(const char* option, const std::string& text);

}  // namespace kvrace::scenarios
