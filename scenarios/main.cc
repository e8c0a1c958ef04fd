#include "scenarios/command_line.h"

int main(int argument_count, char** arguments) { return kvrace::scenarios::run_command_line(argument_count, arguments); }
