#include <csignal>
#include <initializer_list>

#include <fcntl.h>
#include <unistd.h>

#include "scenarios/command_line.h"

namespace {

// Where the caller closed a standard stream, the next file opened would take its number, and a scenario or a report its text.
// What takes the number here fails in the same way: it cannot be read from, or written to.
void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0) static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

}  // namespace

int main(int argument_count, char** arguments) {
  occupy_standard_streams();
  // A reader who has seen enough ("| head") must not cost the report file: writing to the closed pipe just fails.
  std::signal(SIGPIPE, SIG_IGN);
  return kvrace::scenarios::run_command_line(argument_count, arguments);
}
