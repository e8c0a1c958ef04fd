// Reports of the parts of one command, put together as the whole command would have written them.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "reports/report.h"

namespace kvrace::reports {

// The reports of one file.
struct part {
  std::string path;
  std::vector<report> reports;
};

// All parts of a command that was divided (see shard_facts), each once and in any order: its reports, with nothing left of the
// division. Else one line that names the file that does not belong to the others, or the part that is missing.
[[nodiscard]] std::variant<std::vector<report>, std::string> merged(std::vector<part> parts);

}  // namespace kvrace::reports
