#include "race_job/table.h"

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <set>
#include <string>

namespace kvrace::race_job {

namespace {

std::string pad(std::string text, std::size_t width, bool left = false) {
  if (text.size() < width) text.insert(left ? text.size() : 0, width - text.size(), ' ');
  return text;
}
std::string formatted(double value, const char* form) {
  char text[32];
  std::snprintf(text, sizeof text, form, value);
  return text;
}

struct seen_races {
  std::uint64_t races = 0;
  std::uint64_t seen = 0;

  void add(const scenario_results& scenario) {
    for (const engine_entry& entry : scenario.engine) {
      if (!can_see("thread", entry)) continue;
      races += entry.runs;
      seen += entry.seen;
    }
  }
  [[nodiscard]] std::string percent() const {
    return races == 0 ? "-" : formatted(100.0 * static_cast<double>(seen) / static_cast<double>(races), "%.1f %%");
  }
};

std::string times_slower(std::uint64_t slow_us, std::uint64_t fast_us) {
  return fast_us == 0 ? "-" : formatted(static_cast<double>(slow_us) / static_cast<double>(fast_us), "%.1f");
}

// The builds that were given, side by side.
struct builds {
  const results* thread = nullptr;
  const results* address = nullptr;
  const results* plain = nullptr;

  explicit builds(const std::vector<results>& all) {
    for (const results& each : all) (each.sanitizer == "thread" ? thread : each.sanitizer == "address" ? address : plain) = &each;
  }
};

// Null where a build has not run as many scenarios.
const scenario_results* scenario_of(const results* build, std::size_t at) {
  return build != nullptr && at < build->scenarios.size() ? &build->scenarios[at] : nullptr;
}

const char* agreement(const std::vector<results>& all, std::size_t at) {
  bool both_fail = false;
  bool planted = false;
  for (const results& build : all) {
    const scenario_results* scenario = scenario_of(&build, at);
    if (scenario == nullptr) continue;
    if (!disagreements_in(build.sanitizer, *scenario).empty()) return "DISAGREE";
    planted |= scenario->only_instrumentation;
    for (const report_entry& entry : scenario->reports) both_fail |= entry.both_fail != 0;
  }
  return planted ? "caught" : both_fail ? "both fail" : "agree";
}

void print_line(std::ostream& out, const std::vector<results>& all, const builds& of, std::size_t at) {
  const scenario_results& facts = all.front().scenarios[at];
  std::uint64_t violations = 0;
  for (const auto& [oracle, runs] : facts.violations) violations += runs;
  seen_races races;
  const scenario_results* thread = scenario_of(of.thread, at);
  const scenario_results* address = scenario_of(of.address, at);
  races.add(thread != nullptr ? *thread : facts);
  out << pad(facts.name, 44, true) << pad(std::to_string(facts.runs), 9) << pad(std::to_string(violations), 12)
      << pad(std::to_string(races.races), 8) << pad(thread != nullptr ? races.percent() : "-", 9)
      << pad(thread != nullptr ? std::to_string(thread->runs_reported) : "-", 7)
      << pad(address != nullptr ? std::to_string(address->runs_reported) : "-", 7);
  if (const scenario_results* plain = scenario_of(of.plain, at))
    for (const scenario_results* slow : {thread, address})
      out << pad(slow != nullptr ? times_slower(slow->cpu_us, plain->cpu_us) : "-", 8);
  out << "  " << agreement(all, at) << "\n";
}

std::string places(const report_entry& entry) {
  std::string text;
  for (const described_access& access : entry.accesses)
    text += (text.empty() ? " at " : " and ") + (access.frames.empty() ? "an unknown place" : access.frames.front());
  return text;
}

// Reports that are no disagreement and yet no race of the engine's either, so that a reader sees that they are these.
void print_reports(std::ostream& out, const results& build) {
  for (const scenario_results& scenario : build.scenarios) {
    const bool caught = scenario.only_instrumentation && build.sanitizer == "thread";
    for (const report_entry& entry : scenario.reports) {
      if (!caught && entry.both_fail == 0) continue;
      out << "\n"
          << scenario.name << ": " << name_of(build.sanitizer) << " reports a " << entry.kind << " in "
          << (caught ? entry.runs : entry.both_fail) << " of " << scenario.runs << " runs"
          << (caught ? "," : " that the engine ended with another violation,") << places(entry);
    }
    if (scenario.reports_lost != 0)
      out << "\n"
          << scenario.name << ": " << name_of(build.sanitizer) << " made " << scenario.reports_lost
          << " more reports in runs of which the first 64 were kept";
  }
}

void print_what_was_run(std::ostream& out, const std::vector<results>& all) {
  std::uint64_t runs = 0;
  std::uint64_t steps = 0;
  std::set<std::string> strategies;
  std::set<std::uint64_t> seeds;
  std::uint64_t first_run = 0;
  bool along = false;
  for (const scenario_results& scenario : all.front().scenarios) {
    runs += scenario.runs;
    steps += scenario.steps;
    strategies.insert(scenario.strategy);
    seeds.insert(scenario.seed);
    first_run = std::max(first_run, scenario.first_run);
    along |= !scenario.along.empty();
  }
  out << "\n\nRun under";
  for (const results& each : all) out << (&each == &all.front() ? " " : ", ") << name_of(each.sanitizer);
  out << ": " << all.front().scenarios.size() << " scenarios, " << runs << " runs of each build, " << steps
      << " visible operations\n";
  if (along) {
    out << "Along the given schedule\n";
    return;
  }
  out << "Seeds";
  for (const std::uint64_t seed : seeds) out << " " << seed;
  if (first_run != 0) out << ", run " << first_run << " alone";
  out << "; schedules:";
  for (const std::string& strategy : strategies) out << (strategy == *strategies.begin() ? " " : "; ") << strategy;
  out << "\n";
}

void print_slowdown(std::ostream& out, const builds& of) {
  if (of.plain == nullptr) return;
  const auto sum = [](const results* build) {
    std::uint64_t cpu_us = 0;
    for (const scenario_results& scenario : build->scenarios) cpu_us += scenario.cpu_us;
    return cpu_us;
  };
  out << "Processor time against the same runs without instrumentation:";
  for (const results* slow : {of.thread, of.address})
    if (slow != nullptr)
      out << (slow == of.thread ? " " : ", ") << name_of(slow->sanitizer) << " x " << times_slower(sum(slow), sum(of.plain));
  out << "\n";
}

}  // namespace

void print(std::ostream& out, const std::vector<results>& all, const comparison& compared) {
  const builds of(all);
  out << pad("scenario", 44, true) << pad("runs", 9) << pad("violations", 12) << pad("races", 8) << pad("seen", 9)
      << pad("TSan", 7) << pad("ASan", 7) << (of.plain != nullptr ? pad("TSan x", 8) + pad("ASan x", 8) : "") << "  agreement\n";
  for (std::size_t at = 0; at < all.front().scenarios.size(); ++at) print_line(out, all, of, at);
  for (const results& build : all) print_reports(out, build);
  print_what_was_run(out, all);
  if (of.thread != nullptr) {
    seen_races total;
    for (const scenario_results& scenario : of.thread->scenarios) total.add(scenario);
    out << "Of " << total.races << " runs that the engine ended with a data race, ThreadSanitizer reported it in " << total.seen;
    if (total.seen != total.races) out << "; the others are beyond what it remembers, see docs/race_job.md";
    out << "\n";
  }
  print_slowdown(out, of);
  if (compared.disagreements.empty()) {
    out << "The engine and the sanitizers agree.\n";
    return;
  }
  out << "\n" << compared.disagreements.size() << " disagreements\n";
  for (const std::string& each : compared.disagreements) out << "\n  " << each;
}

}  // namespace kvrace::race_job
