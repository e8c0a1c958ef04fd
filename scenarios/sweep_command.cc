#include <algorithm>
#include <iostream>
#include <sstream>
#include <utility>

#include "reports/input_error.h"
#include "reports/plain_text.h"
#include "reports/sweep.h"
#include "reports/sweep_axes.h"
#include "scenarios/commands.h"
#include "scenarios/inputs.h"
#include "scenarios/outcome.h"
#include "scenarios/progress.h"
#include "scenarios/report_target.h"

namespace kvrace::scenarios {
namespace {

void keep_flaw_sets(std::vector<sweep::flaw_set>& sets, const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const sweep::flaw_set& each : sets) names.push_back(each.name);
  std::vector<sweep::flaw_set> kept;
  for (const std::string& name : wanted) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      throw usage_error("--flaws: expected sets of flaws of the scenario, " + reports::listed(names) + ", not '" +
                        reports::excerpt(name, 60) + "'" + reports::suggestion(name, names));
    kept.push_back(sets[static_cast<std::size_t>(at - names.begin())]);
  }
  sets = std::move(kept);
}

void override_grid(scenario& asked, const sweep_command& command) {
  sweep& grid = *asked.sweep;
  if (!command.qps.empty()) grid.qps = command.qps;
  if (!command.locking.empty()) grid.locking = command.locking;
  if (!command.flaw_sets.empty()) keep_flaw_sets(grid.flaw_sets, command.flaw_sets);
  if (command.seeds) {
    grid.seed_first = command.seeds->first;
    grid.seed_count = command.seeds->second - command.seeds->first + 1;
  }
  if (command.requests) {
    if (asked.traffic->trace) throw usage_error("--requests: expected no such option, as the traffic is a recorded trace");
    asked.traffic->requests = *command.requests;
    asked.traffic->duration = std::nullopt;
  }
}

std::string command_line_of(const sweep_command& command) {
  std::ostringstream line;
  line << "kvrace sweep " << shell_quoted(command.scenario);
  const auto list = [&](const char* option, const auto& values, const auto& text) {
    std::string joined;
    for (const auto& each : values) joined += (joined.empty() ? "" : ",") + text(each);
    if (!joined.empty()) line << ' ' << option << ' ' << shell_quoted(joined);
  };
  const auto itself = [](const std::string& text) { return text; };
  list("--qps", command.qps, reports::load_text);
  list("--locking", command.locking, itself);
  list("--flaws", command.flaw_sets, itself);
  if (command.seeds) line << " --seeds " << command.seeds->first << '-' << command.seeds->second;
  if (command.requests) line << " --requests " << *command.requests;
  return std::move(line).str();
}

// By the name of the file.
std::string report_text(const std::string& path, const reports::sweep_facts& facts) {
  std::ostringstream text;
  if (path.ends_with(".txt"))
    reports::write_sweep_text(text, facts);
  else if (path.ends_with(".svg"))
    reports::write_sweep_svg(text, facts);
  else if (path.ends_with(".html"))
    reports::write_sweep_html(text, facts);
  else
    reports::write_sweep_json(text, facts);
  return std::move(text).str();
}

}  // namespace

int run_sweep(const sweep_command& command) {
  scenario asked = load(command.scenario);
  if (!asked.sweep) throw usage_error(reports::input_error{"(root)", "expected the key 'sweep'"}.to_line(command.scenario));
  override_grid(asked, command);
  expect_extension(command.report, "a sweep", {".json", ".txt", ".svg", ".html"});
  std::vector<std::string> inputs;
  if (asked.source.is_file) inputs.push_back(asked.source.path);
  const report_target report(command.report, inputs);
  const report_target picture(command.picture, inputs);
  stop_on_signals();
  progress_line progress(reports::excerpt(asked.source.path, 28));
  std::optional<reports::sweep_facts> facts = carry_out(asked, command.jobs, progress);
  if (!facts) {
    std::cerr << "kvrace: the sweep was ended before it was complete, and nothing is reported\n";
    return exit_not_shown;
  }
  facts->command = command_line_of(command);
  if (report.text_wanted()) {
    reports::write_sweep_text(std::cout, *facts, reports::presentation_for(1));
    std::cout.flush();
  }
  int code = facts->expectation.exit_code;
  if (!command.report.empty()) code = worse(code, report.write(report_text(command.report, *facts)));
  if (!command.picture.empty()) code = worse(code, picture.write(report_text(".svg", *facts)));
  return code;
}

}  // namespace kvrace::scenarios
