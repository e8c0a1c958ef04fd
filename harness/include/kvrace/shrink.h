// From a failing schedule to a smaller one that fails in the same way, as small as can be shown within a budget.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kvrace/check.h>

namespace kvrace {

struct shrink_options {
  std::uint64_t runs = 100'000;          // executions, over everything
  std::uint64_t states_max = 5'000'000;  // of the search that certifies
  double time_s = 0;                     // budget, 0: none. What it ends is not reproducible, and says so
  search_observer* observer = nullptr;   // on_progress alone; on false, the best so far is the result
  // Whether to search for a schedule with fewer preemptions at all. That search knows no time: a program whose tasks sleep or
  // wait for a time is another program there.
  bool search = true;
  kvrace::limits limits = {};
  std::vector<std::string> metrics = {};
};

struct shrunk {
  finding minimal;           // the same signature as the finding it came from
  unsigned preemptions = 0;  // of minimal.schedule
  // There are no fewer preemptions, or every schedule with fewer was explored and none fails like this.
  bool certified = false;
  std::uint64_t runs = 0;    // executions spent
  bool interrupted = false;  // by the time budget or by the observer: the best until then
  double time_s = 0;

  // The passing schedule that differs least: as few neighbouring answers of the minimal one left out as make the run pass, the
  // last such ones.
  std::optional<schedule> passing;
  // Two conflicting steps whose order is different in the two runs, the last such pair of the failing one; step numbers of
  // minimal.trace. Empty if there is no such pair.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> decisive;
};

// Deterministic, and anytime: a spent budget leaves the best so far. Requires a finding of `tested` that replays.
shrunk shrink(const shrink_options& options, const finding& from, const program& tested);

// As prove(), but only a finding with this signature is a violation, and the first one in findings; the others met on the way
// stand behind it, and end their own runs only. An empty signature stands for any.
result search_for(const std::string& signature, const prove_options& options, const program& tested);

// How often the run of a finding switched away from a task that could have gone on.
[[nodiscard]] unsigned preemptions_of(const finding& recorded);

}  // namespace kvrace
