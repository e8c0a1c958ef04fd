#include <utility>

#include "scenarios/commands.h"
#include "scenarios/inputs.h"
#include "scenarios/loader.h"
#include "scenarios/outcome.h"
#include "scenarios/program.h"
#include "scenarios/progress.h"
#include "scenarios/report_target.h"
#include "scenarios/shrunk_report.h"

namespace kvrace::scenarios {
namespace {

// The small scenario exists in the report only.
std::string repeat_command(const shrink_command& command, const report_target& target) {
  if (!target.path().empty() && target.text_wanted()) return "kvrace replay " + shell_quoted(target.path());
  std::string again = "kvrace shrink " + shell_quoted(command.file);
  if (command.finding != 1) again += " --finding " + std::to_string(command.finding);
  if (command.runs != shrink_command{}.runs) again += " --runs " + std::to_string(command.runs);
  if (!command.trace.empty()) again += " --trace " + shell_quoted(command.trace);
  return again;
}

}  // namespace

int run_shrink(const shrink_command& command) {
  stop_on_signals();
  const stored_finding from = read_finding(command.file, command.finding, command.trace);
  report_target target(command.report, {command.file}, command.style);
  const kvrace::result repeated = follow(from.scenario, from.finding.schedule);
  if (repeated.verdict != kvrace::verdict::violation || repeated.findings.front().signature() != from.finding.signature())
    throw usage_error(input_error{"", "expected a finding that this build repeats; see 'kvrace replay'"}.to_line(command.file));

  progress_line progress("shrinking");
  reports::report report = shrunk_report(from.scenario, repeated.findings.front(), {.runs = command.runs, .observer = &progress});
  report.replay_commands = {repeat_command(command, target)};
  target.print(report);
  return worse(report.expectation.exit_code, target.write(std::span(&report, 1)));
}

}  // namespace kvrace::scenarios
