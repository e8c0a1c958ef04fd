#include <csignal>

#include "scenarios/command_line.h"

int main(int argument_count, char** arguments) {
  // A reader who has seen enough ("| head") must not cost the report file: writing to the closed pipe just fails.
  std::signal(SIGPIPE, SIG_IGN);
  return kvrace::scenarios::run_command_line(argument_count, arguments);
}
