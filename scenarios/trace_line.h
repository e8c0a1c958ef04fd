// One line of a trace, as its format has it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "reports/input_error.h"
#include "scenarios/trace_reader.h"

namespace kvrace::scenarios {

inline constexpr std::string_view trace_csv_header = "TIMESTAMP,ContextTokens,GeneratedTokens";

// `time` is since some epoch, the same for every line of a format. The error's place is one inside the line.
struct trace_line {
  std::chrono::nanoseconds time{};
  std::uint64_t members_ignored = 0;
};
[[nodiscard]] std::optional<input_error> read_json_line(std::string_view line, std::uint32_t tokens_per_block, trace_request& to,
                                                        trace_line& read);
[[nodiscard]] std::optional<input_error> read_csv_line(std::string_view line, trace_request& to, trace_line& read);

}  // namespace kvrace::scenarios
