#include <sstream>
#include <utility>

#include "scenarios/commands.h"
#include "scenarios/outcome.h"
#include "scenarios/program.h"
#include "scenarios/report_files.h"
#include "scenarios/shrinking.h"

namespace kvrace::scenarios {
namespace {

std::string counted(std::uint64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

const kvrace::trace_step* step_at(const kvrace::finding& finding, std::uint64_t number) {
  for (const kvrace::trace_step& step : finding.trace)
    if (step.step == number && step.operation != 0) return &step;
  return nullptr;
}

std::string described(const kvrace::finding& finding, const kvrace::trace_step& step) {
  return "step " + std::to_string(step.step) + " (" + finding.tasks[step.task] + ": " + step.kind + " " + step.object + ")";
}

std::string claim_of(const stored_finding& from, const shrunk_scenario& small) {
  const kvrace::shrunk& schedule = small.schedule;
  const scenario_size before = size_of(from.scenario);
  const scenario_size after = size_of(small.reduced);
  std::ostringstream text;
  text << "Shrunk from " << counted(before.tasks, "task") << ", " << counted(before.operations, "operation") << " and "
       << counted(kvrace::preemptions_of(from.finding), "preemption") << " to " << counted(after.tasks, "task") << ", "
       << counted(after.operations, "operation") << " and " << counted(schedule.preemptions, "preemption") << ", in "
       << counted(schedule.runs, "run") << ". ";
  text << (schedule.certified ? "Minimal in preemptions, certified: every schedule with fewer was explored. "
                              : "Not certified: the budget ended before every schedule with fewer preemptions was explored. ");
  if (small.operations_certified)
    text << "Minimal in operations, certified: without any one of them no schedule with as few preemptions fails like this. ";
  if (schedule.passing) text << "The nearest schedule that passes: " << schedule.passing->to_string() << ". ";
  if (schedule.decisive) {
    const kvrace::trace_step* const first = step_at(schedule.minimal, schedule.decisive->first);
    const kvrace::trace_step* const second = step_at(schedule.minimal, schedule.decisive->second);
    if (first != nullptr && second != nullptr)
      text << "What decides: " << described(schedule.minimal, *first) << " comes before " << described(schedule.minimal, *second)
           << "; where it passes, after. ";
  }
  std::string claim = std::move(text).str();
  claim.pop_back();
  return claim;
}

}  // namespace

int run_shrink(const shrink_command& command) {
  const stored_finding from = read_finding(command.file, command.finding);
  check_writable(command.report);
  kvrace::result result = follow(from.scenario, from.finding.schedule);
  if (result.verdict != kvrace::verdict::violation || result.findings.front().signature() != from.finding.signature())
    throw usage_error("'" + command.file + "': expected a finding that this build repeats; see 'kvrace replay'");

  shrunk_scenario small = shrink(from.scenario, result.findings.front(), command.runs);
  small.reduced.source.digest = digest_of(small.reduced.source.text);
  result.claim = claim_of(from, small);
  result.strategy = "shrinking";
  result.counts.runs = small.schedule.runs;
  result.counts.tasks_max = size_of(small.reduced).tasks;
  result.findings = {std::move(small.schedule.minimal)};

  std::vector<reports::report> reports = {make_report(small.reduced, std::move(result), "shrink")};
  // The small scenario exists in the report only.
  const std::string file = command.report.empty() ? "small.json" : shell_quoted(command.report);
  const std::string again = "kvrace shrink " + shell_quoted(command.file) + " --report small.json; ";
  reports.front().replay_commands = {(command.report.empty() ? again : "") + "kvrace replay " + file};
  print_report(reports.front());
  write_report(command.report, reports);
  return reports.front().expectation.exit_code;
}

}  // namespace kvrace::scenarios
