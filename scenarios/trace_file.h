// Finds and reads the trace of a scenario.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "scenarios/recorded_trace.h"

namespace kvrace::scenarios {

// `file` is relative to the folder of the scenario at `scenario_path`; to the present folder, if that is empty. The scenarios
// that are built in find theirs in the program. The error says which file it is about, and has no place of its own.
[[nodiscard]] std::variant<std::shared_ptr<const recorded_trace>, input_error> read_trace(const std::string& file,
                                                                                          std::string_view scenario_path,
                                                                                          const recording_options& options);

}  // namespace kvrace::scenarios
