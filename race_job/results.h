// What a run of the job found out, as plain values, and as a file that another process can read.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kvrace::race_job {

// Violations that are a matter of memory, and so of the sanitizers: the engine says that two accesses race, or that an object
// is used after its end.
[[nodiscard]] bool is_memory_oracle(std::string_view oracle);

struct described_access {
  bool write = false;
  bool atomic = false;
  unsigned bytes = 0;
  int task = -1;                    // -1: unknown
  std::vector<std::string> frames;  // "cache_model/block_pool.h:71 in kvrace::cache::..."; the first is the site

  friend bool operator==(const described_access&, const described_access&) = default;
};

// Reports of one kind at one pair of sites.
struct report_entry {
  std::string kind;
  std::uint64_t made = 0;
  std::uint64_t runs = 0;         // with such a report
  std::uint64_t unexplained = 0;  // runs in which the engine found nothing that it goes with
  std::uint64_t both_fail = 0;    // runs of a planted flaw that the engine ended with another violation
  std::uint64_t run = 0;          // the first unexplained one, or the first
  std::uint64_t step = 0;         // in that run
  std::string schedule;           // of that run
  std::vector<described_access> accesses;
};

// A violation of the engine that the sanitizer could see, by its signature.
struct engine_entry {
  std::string signature;
  std::uint64_t runs = 0;
  std::uint64_t seen = 0;  // runs in which the sanitizer reported something at this step
  std::uint64_t run = 0;   // the first
  std::string schedule;    // of that run
};

struct crash {
  std::uint64_t run = 0;
  std::string what;
};

struct scenario_results {
  std::string name;
  std::string strategy;
  std::uint64_t seed = 0;
  std::uint64_t first_run = 0;
  std::uint64_t runs = 0;
  std::uint64_t steps = 0;
  std::uint64_t decisions = 0;
  std::uint64_t digest = 0;  // of every run's decisions and outcome, in any order
  std::uint64_t cpu_us = 0;
  std::uint64_t runs_reported = 0;  // runs with at least one report
  std::uint64_t reports_lost = 0;  // made, but too many in one run to be kept
  bool only_instrumentation = false;
  bool blind = false;  // the engine did not look for data races
  std::string along;   // the schedule that was asked for; empty: runs of the seed
  std::map<std::string, std::uint64_t> violations;  // runs by oracle
  std::vector<engine_entry> engine;
  std::vector<report_entry> reports;
  std::vector<crash> crashes;
};

struct results {
  std::string sanitizer;
  std::vector<scenario_results> scenarios;
};

void write(std::ostream& out, const results& all);
// nullopt if the text is none of ours.
[[nodiscard]] std::optional<results> read(std::istream& in);

}  // namespace kvrace::race_job
