#include "race_job/compare.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <ostream>
#include <set>

#include "scenarios/outcome.h"

namespace kvrace::race_job {

namespace {

constexpr std::size_t described_max = 3;  // reports of one scenario

const char* name_of(const std::string& sanitizer) {
  if (sanitizer == "thread") return "ThreadSanitizer";
  if (sanitizer == "address") return "AddressSanitizer";
  return "no sanitizer";
}

bool starts_with(const std::string& text, const std::string& start) { return text.compare(0, start.size(), start) == 0; }

// Whether this sanitizer can see what the engine found: races are for one, the end of objects for the other.
bool can_see(const std::string& sanitizer, const engine_entry& entry) {
  const bool race = starts_with(entry.signature, "data_race");
  return sanitizer == "thread" ? race : sanitizer == "address" && !race;
}

std::string repeat_line(const scenario_results& scenario, std::uint64_t run) {
  return "    again: scripts/race_job --scenarios " + scenarios::shell_quoted(scenario.name) + " --seed " +
         std::to_string(scenario.seed) + " --run " + std::to_string(run) + "\n";
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
  std::string text = scenario.name + ", seed " + std::to_string(scenario.seed) + ", run " + std::to_string(entry.run) + ", step " +
                     std::to_string(entry.step) + ": " + name_of(sanitizer) + " reports a " + entry.kind +
                     " where the engine finds nothing (" + std::to_string(entry.unexplained) + " of " +
                     std::to_string(scenario.runs) + " runs)\n";
  for (const described_access& access : entry.accesses) text += "    " + describe(access) + "\n";
  return text + schedule_line(entry.schedule) + repeat_line(scenario, entry.run);
}

std::string describe_unseen(const std::string& sanitizer, const scenario_results& scenario, const engine_entry& entry) {
  return scenario.name + ", seed " + std::to_string(scenario.seed) + ", run " + std::to_string(entry.run) + ": the engine finds " +
         entry.signature + " in " + std::to_string(entry.runs) + " runs, and " + name_of(sanitizer) + " in none of them\n" +
         schedule_line(entry.schedule) + repeat_line(scenario, entry.run);
}

void compare_scenario(const std::string& sanitizer, const scenario_results& scenario, std::vector<std::string>& into) {
  for (const crash& each : scenario.crashes)
    into.push_back(scenario.name + ", seed " + std::to_string(scenario.seed) + ", run " + std::to_string(each.run) + ", under " +
                   name_of(sanitizer) + ": " + each.what + "\n" + repeat_line(scenario, each.run));
  if (scenario.runs == 0 && scenario.crashes.empty()) into.push_back(scenario.name + ": nothing was run\n");
  const bool expected = scenario.only_instrumentation && sanitizer == "thread";
  std::size_t unexplained = 0;
  for (const report_entry& entry : scenario.reports) {
    if (entry.unexplained == 0 || ++unexplained > described_max || expected) continue;
    into.push_back(describe_unexplained(sanitizer, scenario, entry));
  }
  if (unexplained > described_max && !expected)
    into.push_back(scenario.name + ": " + name_of(sanitizer) + " reports " + std::to_string(unexplained - described_max) +
                   " further pairs of places where the engine finds nothing\n");
  if (expected && unexplained == 0)
    into.push_back(scenario.name + ", seed " + std::to_string(scenario.seed) + ": " + name_of(sanitizer) +
                   " does not report the race that is planted there, in any of " + std::to_string(scenario.runs) + " runs\n");
  for (const engine_entry& entry : scenario.engine)
    if (can_see(sanitizer, entry) && entry.seen == 0) into.push_back(describe_unseen(sanitizer, scenario, entry));
}

// Every build must have gone through the same runs.
void compare_builds(const std::vector<results>& all, std::vector<std::string>& into) {
  for (std::size_t i = 1; i < all.size(); ++i) {
    for (std::size_t at = 0; at < std::max(all[0].scenarios.size(), all[i].scenarios.size()); ++at) {
      if (at >= all[0].scenarios.size() || at >= all[i].scenarios.size() || all[0].scenarios[at].name != all[i].scenarios[at].name) {
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

const results* find(const std::vector<results>& all, const std::string& sanitizer) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const results& each) { return each.sanitizer == sanitizer; });
  return found == all.end() ? nullptr : &*found;
}

std::string pad(std::string text, std::size_t width, bool left = false) {
  if (text.size() < width) text.insert(left ? text.size() : 0, width - text.size(), ' ');
  return text;
}
std::string ratio(double value, const char* form) {
  char text[32];
  std::snprintf(text, sizeof text, form, value);
  return text;
}

struct seen_races {
  std::uint64_t races = 0;
  std::uint64_t seen = 0;
};
seen_races races_in(const scenario_results& scenario, const std::string& sanitizer) {
  seen_races sum;
  for (const engine_entry& entry : scenario.engine) {
    if (!can_see(sanitizer, entry)) continue;
    sum.races += entry.runs;
    sum.seen += entry.seen;
  }
  return sum;
}

std::string percent(const seen_races& of) {
  return of.races == 0 ? "-" : ratio(100.0 * static_cast<double>(of.seen) / static_cast<double>(of.races), "%.1f %%");
}

// What was planted for ThreadSanitizer, so that a reader sees that it is this and nothing else.
void print_caught(std::ostream& out, const results& thread) {
  for (const scenario_results& scenario : thread.scenarios) {
    if (!scenario.only_instrumentation) continue;
    for (const report_entry& entry : scenario.reports) {
      out << "\n" << scenario.name << ": ThreadSanitizer reports a " << entry.kind << " in " << entry.runs << " of " << scenario.runs << " runs, at";
      for (std::size_t i = 0; i < entry.accesses.size(); ++i)
        out << (i == 0 ? " " : " and ") << (entry.accesses[i].frames.empty() ? "an unknown place" : entry.accesses[i].frames.front());
    }
    out << "\n";
  }
}

std::string slowdown(const scenario_results& slow, const scenario_results& fast) {
  return fast.cpu_us == 0 ? "-" : ratio(static_cast<double>(slow.cpu_us) / static_cast<double>(fast.cpu_us), "%.1f");
}

}  // namespace

comparison compare(const std::vector<results>& all) {
  comparison made;
  for (const results& each : all)
    for (const scenario_results& scenario : each.scenarios) compare_scenario(each.sanitizer, scenario, made.disagreements);
  compare_builds(all, made.disagreements);
  return made;
}

void print(std::ostream& out, const std::vector<results>& all, const comparison& compared) {
  const results* thread = find(all, "thread");
  const results* address = find(all, "address");
  const results* plain = find(all, "none");
  const results& first = all.front();
  out << pad("scenario", 44, true) << pad("runs", 9) << pad("violations", 12) << pad("races", 8) << pad("seen", 9)
      << pad("TSan", 7) << pad("ASan", 7) << (plain != nullptr ? pad("TSan x", 8) + pad("ASan x", 8) : "") << "  agreement\n";
  std::uint64_t runs = 0;
  std::uint64_t steps = 0;
  std::uint64_t cpu_us[3] = {};
  std::set<std::string> strategies;
  std::set<std::uint64_t> seeds;
  seen_races total;
  for (std::size_t at = 0; at < first.scenarios.size(); ++at) {
    const scenario_results& facts = first.scenarios[at];
    const auto of = [&](const results* each) {
      return each != nullptr && at < each->scenarios.size() ? &each->scenarios[at] : nullptr;
    };
    const scenario_results* in_thread = of(thread);
    const scenario_results* in_address = of(address);
    const scenario_results* in_plain = of(plain);
    std::uint64_t violations = 0;
    for (const auto& [oracle, count] : facts.violations) violations += count;
    const seen_races races = races_in(facts, "thread");
    const seen_races seen = in_thread != nullptr ? races_in(*in_thread, "thread") : seen_races{};
    std::vector<std::string> problems;
    for (const results& each : all)
      if (at < each.scenarios.size()) compare_scenario(each.sanitizer, each.scenarios[at], problems);
    const char* agreement = !problems.empty() ? "DISAGREE" : facts.only_instrumentation ? "caught" : "agree";
    out << pad(facts.name, 44, true) << pad(std::to_string(facts.runs), 9) << pad(std::to_string(violations), 12)
        << pad(std::to_string(races.races), 8) << pad(percent(seen), 9)
        << pad(in_thread != nullptr ? std::to_string(in_thread->runs_reported) : "-", 7)
        << pad(in_address != nullptr ? std::to_string(in_address->runs_reported) : "-", 7);
    if (in_plain != nullptr)
      out << pad(in_thread != nullptr ? slowdown(*in_thread, *in_plain) : "-", 8)
          << pad(in_address != nullptr ? slowdown(*in_address, *in_plain) : "-", 8);
    out << "  " << agreement << "\n";
    runs += facts.runs;
    steps += facts.steps;
    total.races += seen.races;
    total.seen += seen.seen;
    strategies.insert(facts.strategy);
    seeds.insert(facts.seed);
    for (const auto& [sum, each] : {std::pair(&cpu_us[0], in_thread), std::pair(&cpu_us[1], in_address), std::pair(&cpu_us[2], in_plain)})
      if (each != nullptr) *sum += each->cpu_us;
  }
  if (thread != nullptr) print_caught(out, *thread);
  out << "\nRun under";
  for (const results& each : all) out << (&each == &all.front() ? " " : ", ") << name_of(each.sanitizer);
  out << ": " << first.scenarios.size() << " scenarios, " << runs << " runs of each build, " << steps << " visible operations";
  out << "\nSeeds";
  for (const std::uint64_t seed : seeds) out << " " << seed;
  out << "; schedules:";
  for (const std::string& strategy : strategies) out << (strategy == *strategies.begin() ? " " : "; ") << strategy;
  out << "\nOf " << total.races << " runs that the engine ended with a data race, ThreadSanitizer reported it in " << total.seen;
  if (total.races != 0) out << " (" << percent(total) << "); the rest it misses by design, see docs/race_job.md";
  out << "\n";
  if (cpu_us[2] != 0) {
    const auto times = [&](std::uint64_t sum) { return ratio(static_cast<double>(sum) / static_cast<double>(cpu_us[2]), "%.1f"); };
    out << "Processor time against the same runs without instrumentation: ThreadSanitizer x " << times(cpu_us[0])
        << ", AddressSanitizer x " << times(cpu_us[1]) << "\n";
  }
  if (compared.disagreements.empty()) {
    out << "The engine and the sanitizers agree.\n";
    return;
  }
  out << "\n" << compared.disagreements.size() << " disagreements\n";
  for (const std::string& each : compared.disagreements) out << "\n  " << each;
}

}  // namespace kvrace::race_job
