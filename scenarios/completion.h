// Scripts that complete the command line of kvrace in a shell.
#pragma once

#include <span>
#include <string>

#include "scenarios/command_table.h"

namespace kvrace::scenarios {

// `shell` is bash, zsh or fish; nothing for others.
[[nodiscard]] std::string completion_script(const std::string& shell, std::span<const command_entry>);

}  // namespace kvrace::scenarios
