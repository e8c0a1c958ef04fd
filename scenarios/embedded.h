// The files built into the program: it works from anywhere, with nothing beside it.
#pragma once

#include <span>
#include <string_view>

namespace kvrace::scenarios {

struct embedded_file {
  std::string_view name;  // "01_ghost_entry_mutex", without ".json"
  std::string_view text;
};

// The numbered scenarios, in order.
[[nodiscard]] std::span<const embedded_file> embedded_scenarios();

// Their traces, by their names in the scenarios: "traces/chat.jsonl".
[[nodiscard]] std::span<const embedded_file> embedded_traces();

// reports/schema/scenario.schema.json
[[nodiscard]] std::string_view scenario_schema();

}  // namespace kvrace::scenarios
