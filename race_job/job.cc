#include "race_job/job.h"

#include <cstdio>
#include <fstream>
#include <variant>

#include <kvrace/schedule.h>

#include "race_job/batch.h"
#include "race_job/sanitizer.h"
#include "reports/plain_text.h"
#include "scenarios/commands.h"
#include "scenarios/embedded.h"
#include "scenarios/loader.h"

namespace kvrace::race_job {

namespace {

scenarios::scenario load(const std::string& path_or_name) {
  std::variant<scenarios::scenario, scenarios::input_error> found = scenarios::find_scenario(path_or_name);
  if (const auto* error = std::get_if<scenarios::input_error>(&found)) throw scenarios::usage_error(error->to_line(path_or_name));
  return std::get<scenarios::scenario>(std::move(found));
}

kvrace::schedule parse(const std::string& text) {
  std::string error;
  std::optional<kvrace::schedule> schedule = kvrace::schedule::parse(text, &error);
  if (!schedule) throw scenarios::usage_error("--schedule: " + reports::excerpt(error));
  return *schedule;
}

scenario_results answer(const job& wanted, const scenarios::scenario& scenario) {
  question asked = ask(scenario, wanted.runs ? &*wanted.runs : nullptr, wanted.seed ? &*wanted.seed : nullptr);
  if (wanted.blind) asked.options.limits.data_races = false;
  if (wanted.schedule) return measure_schedule(asked, parse(*wanted.schedule));
  if (wanted.run) asked.options.runs = 1;
  return measure(asked, wanted.run.value_or(0));
}

std::vector<std::string> names_of(const job& wanted) {
  if (wanted.like) {
    std::ifstream in(*wanted.like);
    const std::optional<results> other = read(in);
    if (!other) throw scenarios::usage_error(*wanted.like + ": expected complete results of kvrace_race_job run");
    std::vector<std::string> names;
    for (const scenario_results& each : other->scenarios) names.push_back(each.name);
    return names;
  }
  std::vector<std::string> names = wanted.scenarios;
  if (names.empty())
    for (const scenarios::embedded_file& file : scenarios::embedded_scenarios()) names.emplace_back(file.name);
  if (!wanted.shard) return names;
  const auto [index, count] = *wanted.shard;
  if (count > names.size())
    throw scenarios::usage_error("--shard: expected at most as many parts as there are scenarios, " +
                                 std::to_string(names.size()) + ", not " + std::to_string(count));
  std::vector<std::string> taken;
  for (std::size_t i = index - 1; i < names.size(); i += count) taken.push_back(names[i]);
  return taken;
}

}  // namespace

job_results carry_out(const job& wanted) {
  std::vector<scenarios::scenario> loaded;
  for (const std::string& name : names_of(wanted)) loaded.push_back(load(name));
  if (wanted.schedule) (void)parse(*wanted.schedule);
  job_results all;
  all.made.sanitizer = sanitizer_name();
  double time_s = 0;
  for (const scenarios::scenario& scenario : loaded) {
    if (wanted.time_s && !wanted.like && time_s >= *wanted.time_s) {
      ++all.left_out;
      continue;
    }
    all.made.scenarios.push_back(answer(wanted, scenario));
    const scenario_results& last = all.made.scenarios.back();
    time_s += static_cast<double>(last.cpu_us) / 1e6;
    std::fprintf(stderr, "%s: %zu of %zu, %s, %llu runs, %.1f s\n", sanitizer_name(), all.made.scenarios.size(), loaded.size(),
                 last.name.c_str(), static_cast<unsigned long long>(last.runs), static_cast<double>(last.cpu_us) / 1e6);
  }
  return all;
}

std::vector<std::string> failed_self_checks(const std::vector<planted>& checks) {
  std::vector<std::string> failed;
  for (const planted& check : checks) {
    if (check.sanitizer != sanitizer_name()) continue;
    using enum planted::how_often;
    const scenario_results found = measure(check.asked, 0, check.reported == never ? places::readable : places::unknown);
    std::uint64_t reported = 0;
    for (const report_entry& entry : found.reports) reported = std::max(reported, entry.unexplained);
    const bool as_it_must = check.reported == always  ? reported == found.runs
                            : check.reported == never ? reported == 0
                                                      : reported != 0;
    if (as_it_must && found.crashes.empty() && found.runs == check.asked.options.runs) continue;
    std::string line = check.asked.name + ": reported in " + std::to_string(reported) + " of " + std::to_string(found.runs) +
                       " runs, expected " +
                       (check.reported == always  ? "all"
                        : check.reported == never ? "none"
                                                  : "some");
    for (const crash& each : found.crashes) line += "; run " + std::to_string(each.run) + ": " + each.what;
    for (const report_entry& entry : found.reports)
      for (const described_access& access : entry.accesses)
        if (check.reported == never && !access.frames.empty()) line += "; " + entry.kind + " at " + access.frames.front();
    failed.push_back(std::move(line));
  }
  return failed;
}

}  // namespace kvrace::race_job
