// The commands and options as they are declared to the parser, for what describes them elsewhere: shells and the manual.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kvrace::scenarios {

struct option_entry {
  std::string name;   // "--seed"; of a positional argument "SCENARIO"
  std::string value;  // "N"; empty if it takes none
  std::string description;
  bool positional = false;
  bool required = false;
  bool repeated = false;
};

struct command_entry {
  std::string name;  // empty: kvrace itself
  std::string description;
  std::string footer;  // examples and exit codes, laid out
  std::vector<option_entry> options;
};

// kvrace itself, then its commands in the order of their declaration.
[[nodiscard]] std::vector<command_entry> command_table(const CLI::App&);

// What may stand in the place of a value, by the word that option_entry::value has for it.
[[nodiscard]] std::vector<std::string> values_of(const std::string& value);
// Whether a file may.
[[nodiscard]] bool takes_file(const std::string& value);

}  // namespace kvrace::scenarios
