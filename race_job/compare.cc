#include "race_job/compare.h"

#include <algorithm>

#include "scenarios/outcome.h"

namespace kvrace::race_job {

namespace {

constexpr std::size_t described_max = 3;  // reports of one scenario

std::string repeat_line(const scenario_results& scenario, std::uint64_t run) {
  const std::string which = scenario.along.empty() ? " --seed " + std::to_string(scenario.seed) + " --run " + std::to_string(run)
                                                   : " --schedule " + scenarios::shell_quoted(scenario.along);
  return "    again: scripts/race_job --scenarios " + scenarios::shell_quoted(scenario.name) + which +
         (scenario.blind ? " --blind\n" : "\n");
}
// "a_scenario, seed 7, run 31", which is where to look.
std::string which_run(const scenario_results& scenario, std::uint64_t run) {
  if (!scenario.along.empty()) return scenario.name + ", the given schedule";
  return scenario.name + ", seed " + std::to_string(scenario.seed) + ", run " + std::to_string(run);
}
std::string schedule_line(const std::string& schedule) {
  return schedule.empty() ? "    schedule: too long to print\n" : "    schedule: " + schedule + "\n";
}

std::string describe(const described_access& access) {
  std::string text = access.atomic ? "an atomic " : "a ";
  text += access.write ? "write" : "read";
  text += " of " + std::to_string(access.bytes) + " bytes";
  if (access.task >= 0) text += access.task == 0 ? " by the body" : " by task " + std::to_string(access.task);
  if (access.frames.empty()) text += " at an unknown place";
  for (std::size_t i = 0; i < access.frames.size(); ++i) text += (i == 0 ? " at " : "\n        from ") + access.frames[i];
  return text;
}

std::string describe_unexplained(const std::string& sanitizer, const scenario_results& scenario, const report_entry& entry) {
  std::string text = which_run(scenario, entry.run) + ", step " + std::to_string(entry.step) + ": " + name_of(sanitizer) +
                     " reports a " + entry.kind + " where the engine finds nothing (" + std::to_string(entry.unexplained) +
                     " of " + std::to_string(scenario.runs) + " runs)\n";
  for (const described_access& access : entry.accesses) text += "    " + describe(access) + "\n";
  return text + schedule_line(entry.schedule) + repeat_line(scenario, entry.run);
}

std::string describe_unseen(const std::string& sanitizer, const scenario_results& scenario, const engine_entry& entry) {
  return which_run(scenario, entry.run) + ": the engine finds " + entry.signature + " in " + std::to_string(entry.runs) +
         " runs, and " + name_of(sanitizer) + " in none of them\n" + schedule_line(entry.schedule) +
         repeat_line(scenario, entry.run);
}

// Every build must have gone through the same runs.
void compare_builds(const std::vector<results>& all, std::vector<std::string>& into) {
  for (std::size_t i = 1; i < all.size(); ++i) {
    for (std::size_t at = 0; at < std::max(all[0].scenarios.size(), all[i].scenarios.size()); ++at) {
      if (at >= all[0].scenarios.size() || at >= all[i].scenarios.size() ||
          all[0].scenarios[at].name != all[i].scenarios[at].name) {
        into.push_back(std::string("the builds with ") + name_of(all[0].sanitizer) + " and with " + name_of(all[i].sanitizer) +
                       " ran different scenarios\n");
        break;
      }
      const scenario_results& left = all[0].scenarios[at];
      const scenario_results& right = all[i].scenarios[at];
      if (left.digest == right.digest && left.runs == right.runs) continue;
      if (!left.crashes.empty() || !right.crashes.empty()) continue;  // told already
      into.push_back(left.name + ", seed " + std::to_string(left.seed) + ": the builds with " + name_of(all[0].sanitizer) +
                     " and with " + name_of(all[i].sanitizer) + " did not go through the same runs\n");
    }
  }
}

}  // namespace

const char* name_of(const std::string& sanitizer) {
  if (sanitizer == "thread") return "ThreadSanitizer";
  if (sanitizer == "address") return "AddressSanitizer";
  return "no sanitizer";
}

bool can_see(const std::string& sanitizer, const engine_entry& entry) {
  const bool race = entry.signature.starts_with("data_race");
  return sanitizer == "thread" ? race : sanitizer == "address" && !race;
}

std::vector<std::string> disagreements_in(const std::string& sanitizer, const scenario_results& scenario) {
  std::vector<std::string> told;
  for (const crash& each : scenario.crashes)
    told.push_back(which_run(scenario, each.run) + ", under " + name_of(sanitizer) + ": " + each.what + "\n" +
                   repeat_line(scenario, each.run));
  if (scenario.runs == 0 && scenario.crashes.empty()) told.push_back(scenario.name + ": nothing was run\n");
  const bool expected = scenario.only_instrumentation && sanitizer == "thread";
  std::size_t unexplained = 0;
  for (const report_entry& entry : scenario.reports) {
    if (entry.unexplained == 0 || ++unexplained > described_max || expected) continue;
    told.push_back(describe_unexplained(sanitizer, scenario, entry));
  }
  if (unexplained > described_max && !expected)
    told.push_back(scenario.name + ": " + name_of(sanitizer) + " reports " + std::to_string(unexplained - described_max) +
                   " further pairs of places where the engine finds nothing\n");
  if (expected && unexplained == 0)
    told.push_back(scenario.name + ", seed " + std::to_string(scenario.seed) + ": " + name_of(sanitizer) +
                   " does not report the race that is planted there, in any of " + std::to_string(scenario.runs) + " runs\n");
  for (const engine_entry& entry : scenario.engine)
    if (can_see(sanitizer, entry) && entry.seen == 0) told.push_back(describe_unseen(sanitizer, scenario, entry));
  return told;
}

comparison compare(const std::vector<results>& all) {
  comparison made;
  for (const results& each : all)
    for (const scenario_results& scenario : each.scenarios)
      for (std::string& told : disagreements_in(each.sanitizer, scenario)) made.disagreements.push_back(std::move(told));
  compare_builds(all, made.disagreements);
  return made;
}

}  // namespace kvrace::race_job
