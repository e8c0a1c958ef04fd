// The arguments of the kvrace command.
#pragma once

namespace kvrace::scenarios {

// Returns the exit code. Whatever is wrong is one line on standard error.
int run_command_line(int argument_count, const char* const* arguments);

}  // namespace kvrace::scenarios
