// What the engine's tests share: short ways to run a program and to read what came out. Included by tests only.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <kvrace/kvrace.h>

namespace kvrace::testing {

// The oracle of the first finding, the verdict if there is none: one word to compare.
inline std::string outcome(const result& found) {
  return found.findings.empty() ? to_string(found.verdict) : found.findings.front().oracle;
}
inline std::string message(const result& found) {
  return found.findings.empty() ? std::string() : found.findings.front().message;
}

// All interleavings of a small program. The outcome is "PROVED" or the oracle that failed.
inline result explore(const program& tested, const limits& limits = {}) { return prove({.limits = limits}, tested); }

// One run along the baseline: the body until it blocks, then the lowest task.
inline result run_once(const program& tested, const limits& limits = {}) { return replay({.limits = limits}, {}, tested); }

// Random schedules, stopping at the first violation.
inline result sample(const program& tested, std::uint64_t runs = 300, std::uint64_t seed = 1) {
  return check({.seed = seed, .runs = runs}, tested);
}

// Two tasks and a join of both: the shape of most small programs.
template <class First, class Second>
void both(run& run, First first, Second second) {
  run.spawn("first", std::move(first));
  run.spawn("second", std::move(second));
  run.join_all();
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Every value of `observe` over all interleavings of a program that must be PROVED.
template <class T>
std::set<T> reached(const std::function<T(run&)>& observe) {
  std::set<T> seen;
  const result found = prove({}, [&](run& run) { seen.insert(observe(run)); });
  INFO(found);
  CHECK(found.verdict == verdict::proved);
  return seen;
}

// Lines of findings: the sites of the two sides of a race.
inline std::vector<unsigned> lines(const result& found) {
  std::vector<unsigned> at;
  if (!found.findings.empty())
    for (const source_site& site : found.findings.front().sites) at.push_back(site.line);
  return at;
}

}  // namespace kvrace::testing
