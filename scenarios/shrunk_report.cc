#include "scenarios/shrunk_report.h"

#include <sstream>
#include <utility>

#include "scenarios/outcome.h"
#include "scenarios/program.h"
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

std::string sizes(const scenario& of, std::uint64_t preemptions) {
  const scenario_size size = size_of(of);
  const std::string program = of.traffic ? "traffic of " + counted(of.traffic->workers, "worker")
                                         : counted(size.tasks, "task") + ", " + counted(size.operations, "operation");
  return program + " and " + counted(preemptions, "preemption");
}

std::string what_became_of(const scenario& whole, const scenario& reduced) {
  if (!whole.traffic) return "";
  if (reduced.traffic)
    return "The requests are those of the scenario: no few of them were found to fail like this without its times. ";
  return "What is left is a scenario of its own, made of the requests involved, without times and with a smaller cache. ";
}

std::string minimality(const shrunk_scenario& small) {
  std::string text;
  if (small.schedule.preemptions == 0)
    text = "Minimal in preemptions: it needs none. ";
  else if (small.schedule.certified)
    text = "Minimal in preemptions, certified: every schedule with fewer was explored. ";
  else if (small.schedule.interrupted)
    text = "Not certified: a time budget or an interrupt ended the shrinking, and this is the smallest until then. ";
  else if (kvrace::schedule::has_stale_reads(small.schedule.minimal.schedule.set_up))
    text = "Not certified: schedules with stale reads are sampled and not explored. ";
  else if (small.reduced.traffic)
    text = "Not certified: there is no time in proofs, so that the schedules of traffic are not explored. ";
  else if (small.reduced.needs_time())
    text = "Not certified: there is no time in proofs, so that the schedules of this scenario are not explored. ";
  else
    text = "Not certified: the budget ended before every schedule with fewer preemptions was explored. ";
  if (small.operations_certified)
    text += "Minimal in operations, certified: without any one of them no schedule with as few preemptions fails like this. ";
  return text;
}

std::string claim_of(const scenario& whole, const kvrace::finding& from, const shrunk_scenario& small) {
  const kvrace::shrunk& schedule = small.schedule;
  std::ostringstream text;
  text << "Shrunk from " << sizes(whole, kvrace::preemptions_of(from)) << " to " << sizes(small.reduced, schedule.preemptions)
       << ", in " << counted(schedule.runs, "run") << ". " << what_became_of(whole, small.reduced) << minimality(small);
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

// What is printed beside another digest is not the name of the scenario it came from.
void name_as_shrunk(source& reduced, const source& whole) {
  static constexpr std::string_view mark = " (shrunk)";
  reduced.digest = digest_of(reduced.text);
  if (reduced.digest != whole.digest && !reduced.path.ends_with(mark)) reduced.path += mark;
}

}  // namespace

reports::report shrunk_report(const scenario& whole, const kvrace::finding& from, const shrink_limits& limits) {
  shrunk_scenario small = shrink(whole, from, limits);
  name_as_shrunk(small.reduced.source, whole.source);
  // What is counted is the run that is shown; what the search for it took stands in the claim.
  kvrace::result result = follow(small.reduced, small.schedule.minimal.schedule);
  result.claim = claim_of(whole, from, small);
  result.strategy = "shrinking";
  result.interrupted = small.schedule.interrupted;
  result.findings = {std::move(small.schedule.minimal)};
  const std::vector<std::string> tasks = result.findings.front().tasks;
  reports::report report = make_report(small.reduced, std::move(result), "shrink");
  if (small.schedule.passing)
    report.passing = {
        .schedule = *small.schedule.passing, .tasks = tasks, .trace = follow(small.reduced, *small.schedule.passing).trace};
  return report;
}

}  // namespace kvrace::scenarios
