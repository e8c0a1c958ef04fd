// A bug that was reported in public against a system in production, as the smallest program known to show it, and its repair.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <kvrace/kvrace.h>

namespace kvrace::corpus {

struct bug {
  const char* id;       // of the catalogue, "B02"
  const char* title;
  const char* reports;  // where: project and number of issue or change
  const char* oracle;   // of the finding: what catches it
  program flawed;
  program repaired;
  kvrace::limits limits = {};
};

// All of them, by id.
[[nodiscard]] std::span<const bug> bugs();

// The oracles of the models themselves; what the engine detects has its own names (data_race, deadlock, ...).
inline void hold(run& run, bool condition, const char* oracle, const char* message) {
  if (!condition) run.fail({.oracle = oracle, .subject = {}, .message = message});
}

struct study {
  verdict flawed = verdict::not_found;
  std::string oracle;              // that caught it
  unsigned preemptions = 0;        // the fewest with which it can be met
  std::uint64_t schedules = 0;     // sampled by a random walk until it was met, seed 1
  verdict repaired = verdict::not_found;
  std::uint64_t executions = 0;    // of the repaired form, up to happens-before equivalence
  [[nodiscard]] bool as_reported(const bug& of) const {
    return flawed == verdict::violation && oracle == of.oracle && repaired == verdict::proved;
  }
};
inline constexpr std::uint64_t schedules_max = 100'000;  // to be sampled
[[nodiscard]] study study_of(const bug& what);

struct studied {
  const bug* what;
  study found;
};
[[nodiscard]] std::vector<studied> study_all();

// In Markdown.
[[nodiscard]] std::string table_of(std::span<const studied> all);

}  // namespace kvrace::corpus
