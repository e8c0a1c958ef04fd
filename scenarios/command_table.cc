#include "scenarios/command_table.h"

#include <CLI/CLI.hpp>

#include "reports/report.h"
#include "scenarios/embedded.h"

namespace kvrace::scenarios {
namespace {

option_entry entry_of(const CLI::Option& option) {
  option_entry entry;
  entry.positional = !option.nonpositional();
  entry.name = entry.positional ? option.get_name(true) : "--" + option.get_lnames().front();
  entry.value = entry.positional ? entry.name : option.get_option_text();
  entry.description = option.get_description();
  entry.required = option.get_required();
  entry.repeated = option.get_expected_max() > 1;
  return entry;
}

command_entry entry_of(const CLI::App& app, bool itself) {
  command_entry entry{
      .name = itself ? "" : app.get_name(), .description = app.get_description(), .footer = app.get_footer(), .options = {}};
  for (const CLI::Option* const option : app.get_options()) entry.options.push_back(entry_of(*option));
  return entry;
}

}  // namespace

std::vector<command_entry> command_table(const CLI::App& app) {
  std::vector<command_entry> table = {entry_of(app, true)};
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
    table.push_back(entry_of(*command, false));
  return table;
}

std::vector<std::string> values_of(const std::string& value) {
  std::vector<std::string> values;
  if (value == "SCENARIO")
    for (const embedded_file& each : embedded_scenarios()) values.emplace_back(each.name);
  if (value == "FORMAT")
    for (const reports::format& each : reports::formats()) values.emplace_back(each.name);
  if (value == "MODEL") values = {"sc", "rc11"};
  if (value == "SHELL") values = {"bash", "zsh", "fish"};
  return values;
}

bool takes_file(const std::string& value) {
  for (const char* const word : {"FILE", "REPORT", "SCENARIO", "BEFORE", "AFTER"})
    if (value == word) return true;
  return false;
}

}  // namespace kvrace::scenarios
