// How progress displays and interrupts listen to a search.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <kvrace/result.h>
#include <kvrace/strategy.h>

namespace kvrace {

struct search_progress {
  std::uint64_t runs = 0;
  std::uint64_t runs_max = 0;           // 0: no such budget
  double time_s = 0;
  double time_s_max = 0;                // 0: no such budget
  std::uint64_t schedules_distinct = 0; // sampling
  // Execution graphs: how many runs there will be in all, by random probes, and the standard error of that; 0: not known. Rare paths
  // that lead far are easily missed: it is too low more often than too high.
  double runs_estimated = 0;
  double runs_estimated_error = 0;
  std::uint64_t states_distinct = 0;    // bounded search
  std::uint64_t states_open = 0;        // bounded search
  unsigned preemptions = 0;             // bounded search: the bound being explored
  std::uint64_t violations = 0;
  double run_virtual_s = 0;             // virtual time in the present run
};

struct observed_violation {
  std::string_view oracle;
  std::string_view subject;
  std::span<const source_site> sites;
  std::uint64_t step = 0;
};

// What one run came to. Valid during the call.
struct observed_run {
  std::uint64_t index = 0;
  run_summary summary;
  std::optional<observed_violation> first;   // the one that is reported
  std::optional<observed_violation> last;   // where there were several: it may have cut the run
  kvrace::schedule::setting set_up = kvrace::schedule::setting::sampled;
  std::span<const deviation> deviations;     // those that were kept
};

class search_observer {
 public:
  virtual ~search_observer() = default;
  // Called after every run of the search, before a violation in it is executed again for its report.
  virtual void on_run(const observed_run&) {}
  // Called about every 100 ms. Returning false ends the search as interrupted.
  virtual bool on_progress(const search_progress&) = 0;
};

}  // namespace kvrace
