#include "scenarios/commands.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/report.h"
#include "scenarios/embedded.h"
#include "scenarios/input_error.h"
#include "scenarios/loader.h"
#include "scenarios/outcome.h"
#include "scenarios/program.h"
#include "scenarios/progress.h"

namespace kvrace::scenarios {
namespace {

// Reports carry their scenario and the traces of their findings.
constexpr std::size_t report_bytes_max = std::size_t{1} << 30;

scenario load(const std::string& path_or_name) {
  std::variant<scenario, input_error> found = find_scenario(path_or_name);
  if (const input_error* const error = std::get_if<input_error>(&found)) throw usage_error(error->to_line(path_or_name));
  return std::get<scenario>(std::move(found));
}

// A report that cannot be written is found out before the search, not after it. Leaves nothing behind.
void check_writable(const std::string& path) {
  if (path.empty()) return;
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw usage_error(input_error{"", "cannot be written: it is a directory"}.to_line(path));
  std::string probe = path;
  const bool special = exists && !S_ISREG(status.st_mode);
  if (!special) probe += ".XXXXXX";
  const int descriptor = special ? ::open(probe.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK) : ::mkstemp(probe.data());
  if (descriptor < 0) throw usage_error(input_error{"", std::string("cannot be written: ") + std::strerror(errno)}.to_line(path));
  ::close(descriptor);
  if (!special) ::unlink(probe.c_str());
}

void write_report(const std::string& path, const std::vector<reports::report>& reports) {
  if (path.empty()) return;
  const reports::format* const by_extension = reports::format_for_path(path);
  const reports::format& format = by_extension != nullptr ? *by_extension : *reports::find_format("json");
  std::ostringstream text;
  format.write(text, reports, {});
  if (const std::optional<std::string> error = reports::write_file(path, std::move(text).str()))
    throw usage_error(printable(*error, 600));
}

void print_report(const reports::report& report) {
  reports::write_text(std::cout, std::span(&report, 1), reports::presentation_for(STDOUT_FILENO));
  std::cout.flush();
}

void override_search(search& search, const search_command& command) {
  if (command.prove) {
    // What a sampled scenario says about its sample is no budget for a proof.
    if (search.sampling()) search = {};
    search.strategy = search::kind::prove;
  }
  if (command.seed) search.seed = *command.seed;
  if (command.runs) search.runs = *command.runs;
  if (command.time_s) search.time_s = *command.time_s;
  if (command.preemptions_max) search.preemptions_max = *command.preemptions_max;
}

std::vector<scenario> load_all(const search_command& command) {
  std::vector<std::string> names = command.scenarios;
  if (command.all)
    for (const embedded_file& file : embedded_scenarios()) names.emplace_back(file.name);
  std::vector<scenario> scenarios;
  for (const std::string& name : names) {
    scenarios.push_back(load(name));
    if (command.prove && scenarios.back().traffic) {
      throw usage_error(input_error{"/traffic", "expected tasks or generated ones to prove: traffic is sampled by 'kvrace run', "
                                                "as there is no time in proofs"}
                            .to_line(name));
    }
    override_search(scenarios.back().search, command);
  }
  return scenarios;
}

reports::report search_one(const scenario& scenario, const char* mode) {
  std::optional<traffic_account> account;
  if (scenario.traffic) account.emplace(*scenario.traffic);
  progress_line progress(printable(scenario.source.path, 28), account ? &*account : nullptr);
  reports::report report =
      make_report(scenario, search_for_violations(scenario, &progress, account ? &*account : nullptr), mode);
  if (account) report.traffic = account->facts();
  return report;
}

void print_summary(const std::vector<reports::report>& reports, std::size_t asked) {
  if (asked < 2) return;
  std::size_t met = 0;
  for (const reports::report& report : reports) met += report.expectation.met ? 1 : 0;
  std::cout << "\n" << met << " of " << asked << " scenarios as expected\n";
  for (const reports::report& report : reports)
    if (!report.expectation.met)
      std::cout << "  " << printable(report.scenario.path) << ": " << report.expectation.outcome << "\n";
  std::cout.flush();
}

// The finding a replay is about, and the scenario it was found in.
struct recorded_finding {
  scenarios::scenario scenario;
  kvrace::finding finding;
  reports::build_fingerprint build;
};

recorded_finding read_finding(const replay_command& command) {
  std::variant<std::string, input_error> text = read_file(command.file, report_bytes_max);
  if (const input_error* const error = std::get_if<input_error>(&text)) throw usage_error(error->to_line(command.file));
  reports::read_result read = reports::read_json(std::get<std::string>(text));
  if (read.error) {
    const std::string pointer = read.error->pointer.empty() ? "(root)" : read.error->pointer;
    throw usage_error(input_error{pointer, "expected a report: " + read.error->expected}.to_line(command.file));
  }
  std::uint64_t count = 0;
  for (reports::report& report : read.reports) {
    for (kvrace::finding& finding : report.result.findings) {
      if (++count != command.finding) continue;
      std::variant<scenario, input_error> parsed = parse_scenario(report.scenario.text, report.scenario.path);
      if (const input_error* const error = std::get_if<input_error>(&parsed))
        throw usage_error(input_error{"the scenario in it: " + error->where, error->expected}.to_line(command.file));
      if (digest_of(report.scenario.text) != report.scenario.digest)
        throw usage_error(
            input_error{"", "expected the digest of the scenario in it: one of them was changed"}.to_line(command.file));
      return {std::get<scenario>(std::move(parsed)), std::move(finding), report.build};
    }
  }
  if (count == 0) throw usage_error(input_error{"", "expected a report with a finding, this one has none"}.to_line(command.file));
  throw usage_error("--finding: expected an integer from 1 to " + std::to_string(count) + ", not " +
                    std::to_string(command.finding));
}

// A replay that shows something else than the report says would be worse than none.
void check_reproduced(kvrace::result& result, const recorded_finding& recorded) {
  if (result.verdict == kvrace::verdict::unsound) return;
  const bool same = result.findings.size() == 1 && result.findings.front().oracle == recorded.finding.oracle &&
                    result.findings.front().trace_digest == recorded.finding.trace_digest;
  if (same) return;
  result.verdict = kvrace::verdict::unsound;
  result.claim = result.findings.empty() ? "The schedule no longer shows a violation."
                                         : "The schedule shows another run than the one reported.";
  if (recorded.build != reports::this_build()) result.claim += " The report was written by another build of kvrace.";
}

int finish_replay(const replay_command& command, const scenario& scenario, kvrace::result result) {
  const std::vector<reports::report> reports = {make_report(scenario, std::move(result), "replay")};
  print_report(reports.front());
  write_report(command.report, reports);
  return reports.front().expectation.exit_code;
}

}  // namespace

int run_searches(const search_command& command) {
  const std::vector<scenario> scenarios = load_all(command);
  check_writable(command.report);
  stop_on_signals();
  std::vector<reports::report> reports;
  int code = exit_as_expected;
  for (const scenario& scenario : scenarios) {
    reports.push_back(search_one(scenario, command.prove ? "prove" : "run"));
    print_report(reports.back());
    code = worse(code, reports.back().expectation.exit_code);
    if (stop_requested()) break;
  }
  if (reports.size() < scenarios.size()) code = worse(code, exit_not_shown);
  print_summary(reports, scenarios.size());
  write_report(command.report, reports);
  return code;
}

int run_replay(const replay_command& command) {
  if (command.schedule) {
    const scenario scenario = load(command.file);
    std::string error;
    const std::optional<kvrace::schedule> schedule = kvrace::schedule::parse(*command.schedule, &error);
    if (!schedule) throw usage_error("--schedule: " + printable(error));
    check_writable(command.report);
    return finish_replay(command, scenario, follow(scenario, *schedule));
  }
  const recorded_finding recorded = read_finding(command);
  check_writable(command.report);
  kvrace::result result = follow(recorded.scenario, recorded.finding.schedule);
  check_reproduced(result, recorded);
  return finish_replay(command, recorded.scenario, std::move(result));
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
