// How the examples tell their stories: the bug is found in a sample, its schedule is replayed, one that was found before and is
// pinned in the source is replayed, and the repair is proved.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include <kvrace/kvrace.h>

namespace kvrace::example {

struct story {
  const char* title;
  const char* bug;     // one sentence
  const char* repair;  // one sentence
  program flawed;
  program repaired;
  const char* pinned;  // a schedule that fails
  kvrace::memory_model memory_model = kvrace::memory_model::sc;
};

inline std::string said(const result& result) {
  const std::string verdict = to_string(result.verdict);
  if (result.findings.empty()) return verdict;
  return verdict + ", " + result.findings.front().oracle + ": " + result.findings.front().message;
}

inline result replayed(const story& told, const schedule& schedule) { return replay({}, schedule, told.flawed); }

// The exit code: 0 if everything came as it must.
inline int tell(const story& told) {
  std::printf("%s\n  bug       %s\n", told.title, told.bug);
  const result found = check({.seed = 1, .runs = 20'000, .memory_model = told.memory_model}, told.flawed);
  std::printf("  sampled   run %llu: %s\n", static_cast<unsigned long long>(found.counts.runs), said(found).c_str());
  if (found.verdict != verdict::violation) return 1;
  const schedule failing = found.findings.front().schedule;
  std::printf("  replayed  %s\n", said(replayed(told, failing)).c_str());
  const auto pinned = schedule::parse(told.pinned);
  const result again = pinned ? replayed(told, *pinned) : result{};
  std::printf("  pinned    %s\n", said(again).c_str());
  const result proved = prove({.memory_model = told.memory_model}, told.repaired);
  std::printf("  repair    %s\n  proved    %s, %llu executions under %s\n", told.repair, said(proved).c_str(),
              static_cast<unsigned long long>(proved.counts.executions_distinct), to_string(told.memory_model));
  const bool as_told = again.verdict == verdict::violation && proved.verdict == verdict::proved;
  if (!as_told) std::printf("  schedule to pin: %s\n", failing.to_string().c_str());
  return as_told ? 0 : 1;
}

}  // namespace kvrace::example
