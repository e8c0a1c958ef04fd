// From a finding to the smallest scenario and schedule that still show it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <kvrace/shrink.h>

#include "scenarios/scenario.h"

namespace kvrace::scenarios {

struct scenario_size {
  std::size_t tasks = 0;
  std::size_t operations = 0;
};
[[nodiscard]] scenario_size size_of(const scenario&);

struct shrunk_scenario {
  scenario reduced;   // a file of its own: source.text is its JSON
  kvrace::shrunk schedule;
  // Without any one of its operations, no schedule with as few preemptions fails like this: all were explored.
  bool operations_certified = false;
};

struct shrink_limits {
  std::uint64_t runs = 0;  // executions
  // What a time, 0 for none, or the observer ends is not reproducible, and the result says so.
  double time_s = 0;
  kvrace::search_observer* observer = nullptr;
};

// First tasks and operations are left out, then blocks of the cache, different prompts and what makes them long, each time
// searching for the same failure with no more preemptions than before; then the schedule shrinks. Traffic becomes a scenario of
// tasks first, of the requests involved and without its times, if one is found that fails in the same way; else only its schedule
// shrinks. Deterministic within the runs. Requires that `from` replays on `whole`.
[[nodiscard]] shrunk_scenario shrink(const scenario& whole, const kvrace::finding& from, const shrink_limits& limits);

}  // namespace kvrace::scenarios
