#include <cmath>
#include <iomanip>
#include <sstream>

#include "corpus/classics/classics.h"

namespace kvrace::corpus {

namespace {

strategy_choice strategy_of(std::size_t which) {
  switch (which) {
    case 0: return surw();
    case 1: return pct({.depth = 3});
    case 2: return pos();
    default: return random_walk();
  }
}

// Mean, and half of its 95 % interval by the normal distribution.
std::string interval_of(const std::vector<std::uint64_t>& schedules) {
  if (schedules.empty()) return "none";
  const auto count = static_cast<double>(schedules.size());
  double sum = 0;
  for (const std::uint64_t each : schedules) sum += static_cast<double>(each);
  const double mean = sum / count;
  double squares = 0;
  for (const std::uint64_t each : schedules) squares += (static_cast<double>(each) - mean) * (static_cast<double>(each) - mean);
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << mean;
  if (schedules.size() > 1) text << " ± " << 1.96 * std::sqrt(squares / (count - 1) / count);
  if (schedules.size() != comparison_seeds) text << " (" << comparison_seeds - schedules.size() << " failed)";
  return text.str();
}

}  // namespace

comparison compare(const classic& what) {
  comparison made{.what = &what, .schedules = {}};
  for (std::size_t which = 0; which < compared.size(); ++which)
    for (unsigned seed = 1; seed <= comparison_seeds; ++seed) {
      const result found = check({.strategy = strategy_of(which), .seed = seed, .runs = comparison_schedules}, what.flawed);
      // What the program requires, and nothing else, is its bug.
      if (!found.findings.empty() && found.findings.front().oracle == "requirement")
        made.schedules[which].push_back(found.counts.runs);
    }
  return made;
}

std::vector<comparison> compare_all() {
  std::vector<comparison> all;
  for (const classic& each : classics()) all.push_back(compare(each));
  return all;
}

std::string table_of(std::span<const comparison> all) {
  std::ostringstream text;
  text << "| program |";
  for (const char* const strategy : compared) text << ' ' << strategy << " |";
  for (const char* const strategy : compared) text << " published: " << strategy << " |";
  text << "\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const auto& [what, schedules] : all) {
    text << "| " << what->name << " |";
    for (const auto& each : schedules) text << ' ' << interval_of(each) << " |";
    for (const char* const figure : what->published) text << ' ' << figure << (*figure == '\0' ? "|" : " |");
    text << '\n';
  }
  return text.str();
}

}  // namespace kvrace::corpus
