#include "reports/summary_table.h"

#include <algorithm>
#include <cstdio>
#include <ostream>

#include "reports/plain_text.h"
#include "reports/step_text.h"

namespace kvrace::reports {
namespace {

constexpr std::size_t verdict_width = 12;
constexpr std::size_t schedules_width = 12;
constexpr std::size_t time_width = 11;
constexpr std::size_t numbers_width = schedules_width + time_width;

std::string right(const std::string& text, std::size_t columns) {
  return std::string(columns - std::min(columns, text.size()), ' ') + text;
}

std::string name_of(const report& facts) {
  return printable(facts.scenario.path.empty() ? facts.scenario.name : facts.scenario.path);
}

std::string seconds(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f s", value);
  return value >= 0 ? text : "";  // also if it is no number
}

void write_row(std::ostream& out, const report& facts, std::size_t name_width, const presentation& how) {
  const char* const colour = !how.colour ? "" : facts.expectation.met ? "\x1b[32m" : "\x1b[1;31m";
  out << "  " << colour << fit(to_string(facts.result.verdict), verdict_width) << (how.colour ? "\x1b[0m" : "")
      << fit(elide(name_of(facts), name_width - 1), name_width)
      << right(std::to_string(facts.result.counts.runs), schedules_width) << right(seconds(facts.result.time_s), time_width)
      << '\n';
}

}  // namespace

void write_summary(std::ostream& out, std::span<const report> reports, const presentation& how, bool unexpected_only) {
  std::size_t name_width = 10;
  for (const report& facts : reports) name_width = std::max(name_width, width(name_of(facts)) + 1);
  name_width = std::min<std::size_t>(name_width, how.columns - 2 - verdict_width - numbers_width);
  out << "\n  " << fit("verdict", verdict_width) << fit("scenario", name_width) << right("schedules", schedules_width)
      << right("time", time_width) << '\n';
  for (const report& facts : reports)
    if (!unexpected_only || !facts.expectation.met) write_row(out, facts, name_width, how);
  const auto met = std::ranges::count_if(reports, [](const report& facts) { return facts.expectation.met; });
  out << '\n' << met << " of " << counted(reports.size(), "scenario") << " as expected\n";
  std::string replay;
  for (const report& facts : reports) {
    if (facts.expectation.met) continue;
    out << "  " << excerpt(name_of(facts)) << ": " << printable(facts.expectation.outcome) << '\n';
    for (const std::string& command : facts.replay_commands)
      if (replay.empty()) replay = command;
  }
  if (!replay.empty()) out << "\nReplay: " << printable(replay) << '\n';
}

}  // namespace kvrace::reports
