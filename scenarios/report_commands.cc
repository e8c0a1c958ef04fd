#include "scenarios/report_commands.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

#include <unistd.h>

#include "reports/diff.h"
#include "reports/input_error.h"
#include "reports/plain_text.h"
#include "reports/report.h"
#include "reports/shards.h"
#include "scenarios/commands.h"
#include "scenarios/inputs.h"
#include "scenarios/outcome.h"

namespace kvrace::scenarios {
namespace {

const reports::format& format_of(const convert_command& command) {
  if (!command.format.empty()) {
    if (const reports::format* const named = reports::find_format(command.format)) return *named;
    std::vector<std::string> names;
    for (const reports::format& each : reports::formats()) names.emplace_back(each.name);
    throw usage_error("--format: expected one of " + reports::listed(names) + ", not '" + reports::excerpt(command.format, 60) +
                      "'" + reports::suggestion(command.format, names));
  }
  const reports::format* const by_extension = reports::format_for_path(command.out);
  return by_extension != nullptr ? *by_extension : *reports::find_format("text");
}

std::vector<reports::report> read_all(const convert_command& command) {
  std::vector<reports::part> parts;
  for (const std::string& file : command.files) parts.push_back({file, read_reports(file)});
  if (command.merge) {
    std::variant<std::vector<reports::report>, std::string> merged = reports::merged(std::move(parts));
    if (const std::string* const refusal = std::get_if<std::string>(&merged)) throw usage_error(*refusal);
    return std::get<std::vector<reports::report>>(std::move(merged));
  }
  std::vector<reports::report> all;
  for (reports::part& each : parts) std::ranges::move(each.reports, std::back_inserter(all));
  return all;
}

}  // namespace

int run_report(const convert_command& command) {
  const reports::format& format = format_of(command);
  if (const std::string_view missing = format.missing == nullptr ? std::string_view() : format.missing(); !missing.empty())
    throw usage_error("--format " + std::string(format.name) + ": cannot be written: " + std::string(missing));
  const report_target target(command.out.empty() ? "-" : command.out, command.files, command.style, &format);
  std::vector<reports::report> reports = read_all(command);
  // What a finding shrinks to is in the new file now, under another number.
  if (format.name == "json" && target.text_wanted()) target.name_replays_of_shrunk(reports);
  int code = exit_as_expected;
  if (command.exit_code)
    for (const reports::report& each : reports) code = worse(code, each.expectation.exit_code);
  return worse(code, target.write(reports));
}

int run_diff(const diff_command& command) {
  const std::vector<reports::report> before = read_reports(command.before);
  const std::vector<reports::report> after = read_reports(command.after);
  const std::vector<reports::difference> all = reports::differences(before, after);
  if (command.json)
    reports::write_differences_json(std::cout, all);
  else
    reports::write_differences(std::cout, all, reports::presentation_for(STDOUT_FILENO));
  std::cout.flush();
  int code = exit_as_expected;
  for (const reports::difference& each : all) code = worse(code, each.exit_code);
  return code;
}

}  // namespace kvrace::scenarios
