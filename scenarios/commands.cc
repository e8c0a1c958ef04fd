#include "scenarios/commands.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "reports/input_error.h"
#include "reports/plain_text.h"
#include "reports/report.h"
#include "scenarios/embedded.h"
#include "scenarios/inputs.h"
#include "scenarios/loader.h"
#include "scenarios/outcome.h"
#include "scenarios/program.h"
#include "scenarios/progress.h"
#include "scenarios/report_target.h"
#include "scenarios/rollout_report.h"
#include "scenarios/shrunk_report.h"

namespace kvrace::scenarios {
namespace {

void override_search(search& search, const search_command& command) {
  if (command.prove) {
    // What a sampled scenario says about its sample is no budget for a proof.
    if (search.sampling()) {
      const kvrace::memory_model model = search.memory_model;
      search = {};
      if (model != kvrace::memory_model::sc) {
        search.strategy = search::kind::graphs;
        search.memory_model = model;
      }
    }
    if (command.memory_model || search.strategy != search::kind::graphs) search.strategy = search::kind::prove;
    if (command.memory_model) {
      search.strategy = search::kind::graphs;
      search.memory_model = *command.memory_model;
    }
  }
  if (command.seed) search.seed = *command.seed;
  if (command.runs) search.runs = *command.runs;
  if (command.time_s) search.time_s = *command.time_s;
  if (command.memory_bytes_max) search.memory_bytes_max = *command.memory_bytes_max;
  if (command.preemptions_max) search.preemptions_max = *command.preemptions_max;
  if (command.states_max) search.states_max = *command.states_max;
  if (!search.sampling() && search.states_max == 0) search.states_max = search::default_states_max;
}

constexpr const char* no_time_in_proofs = "traffic is sampled by 'kvrace run', as there is no time in proofs";

// One that is named on the command line must be somebody's.
void expect_trace(const scenario& read, const std::string& trace_file) {
  if (!trace_file.empty() && !(read.traffic && read.traffic->trace))
    throw usage_error("--trace: expected a scenario with traffic from a trace, not '" + reports::excerpt(read.source.path) + "'");
}

std::vector<scenario> load_all(const search_command& command) {
  std::vector<std::string> names = command.scenarios;
  if (command.all)
    for (const embedded_file& file : embedded_scenarios()) names.emplace_back(file.name);
  std::vector<scenario> scenarios;
  for (const std::string& name : names) {
    scenario read = load(name, command.trace);
    expect_trace(read, command.trace);
    if (command.prove && read.needs_time()) {
      if (command.all) continue;
      if (!read.traffic)
        throw usage_error(input_error{"/search/strategy",
                                      "expected a scenario without leases, waits and prefill times to prove: it is sampled by "
                                      "'kvrace run', as there is no time in proofs"}
                              .to_line(name));
      throw usage_error(
          input_error{"/traffic", std::string("expected tasks or generated ones to prove: ") + no_time_in_proofs}.to_line(name));
    }
    if (read.search.strategy == search::kind::graphs && !read.search.memory_model_given && !command.memory_model)
      throw usage_error(input_error{"/search", "expected the key 'memory_model' with strategy graphs"}.to_line(name));
    override_search(read.search, command);
    scenarios.push_back(std::move(read));
  }
  return scenarios;
}

// What all parts of a divided command share.
std::uint64_t command_digest(const std::vector<scenario>& scenarios, const search_command& command) {
  std::string text = command.prove ? "prove" : command.shrink ? "run" : "run --no-shrink";
  const auto add = [&text](const auto& option) { text += option ? ' ' + std::to_string(*option) : std::string(" -"); };
  add(command.seed);
  add(command.runs);
  add(command.time_s);
  add(command.preemptions_max);
  add(command.states_max);
  add(command.memory_bytes_max);
  text += command.memory_model ? to_string(*command.memory_model) : "";
  for (const scenario& each : scenarios) text += '\n' + std::to_string(each.source.digest) + ' ' + each.source.path;
  return digest_of(text);
}

// Leaves those of the part that is asked for, which are dealt in turn.
std::optional<reports::shard_facts> take_part(std::vector<scenario>& scenarios, const search_command& command) {
  if (!command.shard) return std::nullopt;
  const auto [index, count] = *command.shard;
  if (count > scenarios.size())
    throw usage_error("--shard: expected at most as many parts as there are scenarios, " + std::to_string(scenarios.size()) +
                      ", not " + std::to_string(count));
  const reports::shard_facts shard{
      .index = index, .count = count, .scenarios = scenarios.size(), .command = command_digest(scenarios, command)};
  std::vector<scenario> taken;
  for (std::size_t i = index - 1; i < scenarios.size(); i += count) taken.push_back(std::move(scenarios[i]));
  scenarios = std::move(taken);
  return shard;
}

std::vector<std::string> files_of(const std::vector<scenario>& scenarios) {
  std::vector<std::string> files;
  for (const scenario& each : scenarios)
    if (each.source.is_file) files.push_back(each.source.path);
  return files;
}

// So that a report has one entry for each scenario asked for, however the command ends.
reports::report not_run(const scenario& scenario, const char* mode) {
  kvrace::result nothing;
  nothing.verdict = kvrace::verdict::incomplete;
  nothing.claim = "Not run: an interrupt ended the command before its turn.";
  nothing.interrupted = true;
  reports::report report = make_report(scenario, std::move(nothing), mode);
  report.expectation.outcome = "not run";
  return report;
}

// Budgets of counts: a finding is held up for a second or two at most, and the report stays the same from run to run.
constexpr std::uint64_t shrink_runs = 20'000;
constexpr std::uint64_t shrink_steps = 4'000'000;

std::uint64_t shrink_budget(const scenario& scenario, const kvrace::finding& found) {
  if (scenario.traffic) return shrink_runs;  // what runs then is small, or has a budget of its own
  return std::min(shrink_runs, shrink_steps / (found.step + 1) + 1);
}

// Within what the search has left of the time that was given.
std::vector<reports::report> shrink_first(const scenario& scenario, const kvrace::result& found, progress_line& progress) {
  if (found.findings.empty() || found.interrupted || stop_requested()) return {};
  const kvrace::finding& first = found.findings.front();
  if (first.schedule.set_up == kvrace::schedule::setting::graph) return {};  // no schedule repeats it
  const kvrace::result repeated = follow(scenario, first.schedule);
  if (repeated.verdict != kvrace::verdict::violation || repeated.findings.front().signature() != first.signature()) return {};
  const double time_s = scenario.search.time_s > 0 ? std::max(scenario.search.time_s - found.time_s, 1e-3) : 0;
  return {shrunk_report(scenario, repeated.findings.front(),
                        {.runs = shrink_budget(scenario, first), .time_s = time_s, .observer = &progress})};
}

// A proof is gone on with only for the same text, by the same build.
std::string program_name(const scenario& scenario) {
  const reports::build_fingerprint build = reports::this_build();
  return scenario.source.text + "\n" + build.project_version + "\n" + build.compiler + "\n" + build.build_type + "\n" +
         build.target;
}

// Writes to a file; the first failure is told, and the proof goes on.
class checkpoint_file {
 public:
  explicit checkpoint_file(std::string path) : path_(std::move(path)) {}
  void write(const std::string& checkpoint) {
    const std::optional<std::string> error = reports::write_file(path_, checkpoint);
    if (error && !failed_) std::cerr << "kvrace: " << *error << "; the proof goes on, and cannot be resumed from there\n";
    failed_ = error.has_value();
  }

 private:
  std::string path_;
  bool failed_ = false;
};

kvrace::result search_it(const scenario& scenario, kvrace::search_observer& observer, traffic_account* account,
                         const search_command& command, traffic_router* router) {
  continuation resumed;
  checkpoint_file file(command.checkpoint);
  if (!command.checkpoint.empty()) resumed.save = [&file](const std::string& checkpoint) { file.write(checkpoint); };
  if (!command.resume.empty()) resumed.from = read_checkpoint(command.resume);
  if (resumed.save || !resumed.from.empty()) resumed.program_name = program_name(scenario);
  try {
    return search_for_violations(scenario, &observer, account, command.jobs, resumed, router);
  } catch (const kvrace::checkpoint_error& error) {
    throw usage_error(reports::excerpt(command.resume) + ": " + error.what());
  }
}

reports::report search_one(const scenario& scenario, const char* mode, const search_command& command) {
  std::optional<traffic_account> account;
  if (scenario.traffic) account.emplace(*scenario.traffic);
  progress_line progress(reports::excerpt(scenario.source.path, 28), account ? &*account : nullptr);
  std::optional<rollout_traffic> router;
  if (scenario.traffic && scenario.rollout) router.emplace(scenario);
  kvrace::result result = search_it(scenario, progress, account ? &*account : nullptr, command, router ? &*router : nullptr);
  reports::report report = make_report(scenario, std::move(result), mode);
  if (router) {
    report.rollouts = router->facts();
    add_silent_release(scenario, report.rollouts, &progress);
    judge_rollouts(scenario, report.rollouts, report.expectation);
  }
  if (command.shrink) report.shrunk = shrink_first(scenario, report.result, progress);
  if (account) report.traffic = account->facts();
  // Metrics count the cache's tokens, of which each stands for many of the trace's.
  if (account && scenario.traffic->trace)
    for (std::size_t index = 0; index < report.rates.size(); ++index)
      if (report.rates[index].name == "hit") report.rates[index] = report.traffic->total.rates[index];
  return report;
}

// A replay that shows something else than the report says would be worse than none.
void check_reproduced(kvrace::result& result, const stored_finding& recorded) {
  if (result.verdict == kvrace::verdict::unsound) return;
  const bool same = result.findings.size() == 1 && result.findings.front().oracle == recorded.finding.oracle &&
                    result.findings.front().trace_digest == recorded.finding.trace_digest;
  if (same) return;
  result.verdict = kvrace::verdict::unsound;
  result.claim = result.findings.empty() ? "The schedule no longer shows a violation."
                                         : "The schedule shows another run than the one reported.";
  if (recorded.build != reports::this_build()) result.claim += " The report was written by another build of kvrace.";
  if (recorded.scenario.traffic && recorded.scenario.traffic->trace) result.claim += " Its trace may have changed.";
}

void check_passed(kvrace::result& result) {
  if (result.findings.empty() || result.verdict == kvrace::verdict::unsound) return;
  result.verdict = kvrace::verdict::unsound;
  result.claim = "The schedule shows a violation, and the report says that it passes.";
}

std::vector<std::string> task_names(const scenario& scenario) {
  std::vector<std::string> names = {"body"};
  for (const task& each : scenario.tasks) names.push_back(each.name);
  return names;
}

int finish_replay(const replay_command& command, report_target& target, const scenario& scenario,
                  const kvrace::schedule& schedule, kvrace::result result) {
  std::vector<trace_step> passing = std::exchange(result.trace, {});
  reports::report report = make_report(scenario, std::move(result), "replay");
  if (report.result.findings.empty() && !passing.empty())
    report.passing = {.schedule = schedule, .tasks = task_names(scenario), .trace = std::move(passing)};
  if (command.passing && report.passing) {
    report.expectation.outcome = "it passes, as the report says";
    report.expectation.met = true;
    report.expectation.exit_code = exit_as_expected;
  }
  // A report carries its scenario, which need not be the one of that name any more.
  if (!command.schedule && !command.passing) {
    const std::string which = command.finding == 1 ? "" : " --finding " + std::to_string(command.finding);
    for (std::string& line : report.replay_commands)
      line = "kvrace replay " + shell_quoted(command.file) + which + trace_argument(scenario);
  }
  target.print(report);
  return worse(report.expectation.exit_code, target.write(std::span(&report, 1)));
}

}  // namespace

int run_searches(const search_command& command) {
  std::vector<scenario> scenarios = load_all(command);
  const std::optional<reports::shard_facts> shard = take_part(scenarios, command);
  if (!command.checkpoint.empty() || !command.resume.empty()) {
    const char* const option = command.checkpoint.empty() ? "--resume" : "--checkpoint";
    if (scenarios.size() != 1) throw usage_error(std::string(option) + ": expected one scenario");
    if (scenarios.front().search.strategy != search::kind::graphs)
      throw usage_error(std::string(option) + ": expected a proof by execution graphs, with --memory-model sc or rc11");
  }
  report_target target(command.report, files_of(scenarios), command.style);
  const char* const mode = command.prove ? "prove" : "run";
  stop_on_signals();
  std::vector<reports::report> reports;
  int code = exit_as_expected;
  for (const scenario& scenario : scenarios) {
    const bool stopped = stop_requested();
    reports.push_back(stopped ? not_run(scenario, mode) : search_one(scenario, mode, command));
    reports.back().shard = shard;
    target.name_replays_of_shrunk(reports);
    if (!stopped) target.print(reports.back());
    code = worse(code, reports.back().expectation.exit_code);
  }
  target.print_summary(reports);
  return worse(code, target.write(reports));
}

int run_replay(const replay_command& command) {
  if (command.schedule) {
    const scenario scenario = load(command.file, command.trace);
    expect_trace(scenario, command.trace);
    std::string error;
    const std::optional<kvrace::schedule> schedule = kvrace::schedule::parse(*command.schedule, &error);
    if (!schedule) throw usage_error("--schedule: " + reports::excerpt(error));
    report_target target(command.report, files_of({scenario}), command.style);
    return finish_replay(command, target, scenario, *schedule, follow(scenario, *schedule));
  }
  const stored_finding recorded = read_finding(command.file, command.finding, command.trace);
  expect_trace(recorded.scenario, command.trace);
  if (command.passing && !recorded.passing)
    throw usage_error("--passing: expected a finding with a schedule nearby that passes; what a finding shrinks to has one");
  report_target target(command.report, {command.file}, command.style);
  const kvrace::schedule& schedule = command.passing ? *recorded.passing : recorded.finding.schedule;
  kvrace::result result = follow(recorded.scenario, schedule);
  if (command.passing)
    check_passed(result);
  else
    check_reproduced(result, recorded);
  return finish_replay(command, target, recorded.scenario, schedule, std::move(result));
}

int run_list() {
  std::cout << "Scenarios (kvrace run NAME or NUMBER):\n";
  for (const embedded_file& file : embedded_scenarios()) {
    const std::variant<scenario, input_error> parsed = parse_scenario(file.text, file.name);
    if (const input_error* const error = std::get_if<input_error>(&parsed)) throw usage_error(error->to_line(file.name));
    const scenario& read = std::get<scenario>(parsed);
    const std::string expected = read.expect.violation ? *read.expect.violation : kvrace::to_string(*read.expect.verdict);
    std::cout << "  " << file.name << "\n      " << read.name << " -> " << expected << "\n";
  }
  std::cout << "\nLocking strategies (cache/locking):\n";
  for (const cache::locking_description& each : cache::locking_strategies())
    std::cout << "  " << each.name << "\n      " << each.summary << "\n";
  std::cout << "\nFlaws (cache/flaws), with the oracle that catches them:\n";
  for (const cache::flaw_description& each : cache::flaws()) {
    std::cout << "  " << each.name << " -> " << each.oracle << "\n      " << each.summary << " (" << each.source << ", seam "
              << each.seam << ", with";
    for (const std::string_view locking : each.locking) std::cout << " " << locking;
    std::cout << ")\n";
  }
  std::cout << "\nOracles (expect/violation; oracles takes those of the cache):\n";
  for (const oracle_name& each : all_oracles())
    std::cout << "  " << each.name << (each.of_the_cache ? "" : " (engine)") << "\n      " << each.summary << "\n";
  std::cout.flush();
  return exit_as_expected;
}

}  // namespace kvrace::scenarios
