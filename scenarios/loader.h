// From text or a name to a checked scenario.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reports/input_error.h"
#include "scenarios/scenario.h"

namespace kvrace::scenarios {

using reports::input_error;

// Scenario files are small: more than this is refused unread, so that no device or mistake exhausts the memory.
inline constexpr std::size_t scenario_bytes_max = std::size_t{16} << 20;

// The scenario in `text`. `path` is remembered, and the folder in which the file of a trace is looked for; `trace_file` takes the
// place of that file. The first thing that is wrong is the error.
[[nodiscard]] std::variant<scenario, input_error> parse_scenario(std::string_view text, std::string_view path,
                                                                 const std::string& trace_file = {});

// What a user may call a scenario: a path; or the number ("1", "01"), name ("01_ghost_entry_mutex") or name without number of
// an embedded one. A path has a '/' or ends in ".json", or a file of that name exists and no embedded scenario has it.
[[nodiscard]] std::variant<scenario, input_error> find_scenario(const std::string& path_or_name,
                                                                const std::string& trace_file = {});

// All of a file, or one line about why not.
[[nodiscard]] std::variant<std::string, input_error> read_file(const std::string& path, std::size_t bytes_max);

// Every oracle a finding can name: those of the cache and those of the engine.
struct oracle_name {
  std::string name;
  std::string summary;
  bool of_the_cache = false;  // can be switched off by a scenario
};
[[nodiscard]] const std::vector<oracle_name>& all_oracles();

}  // namespace kvrace::scenarios
