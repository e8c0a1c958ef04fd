// How progress displays and interrupts listen to a search.
#pragma once

#include <cstdint>

namespace kvrace {

struct search_progress {
  std::uint64_t runs = 0;
  std::uint64_t runs_max = 0;           // 0: no such budget
  double time_s = 0;
  double time_s_max = 0;                // 0: no such budget
  std::uint64_t schedules_distinct = 0; // sampling
  std::uint64_t states_distinct = 0;    // bounded search
  std::uint64_t states_open = 0;        // bounded search
  unsigned preemptions = 0;             // bounded search: the bound being explored
  std::uint64_t violations = 0;
  double run_virtual_s = 0;             // virtual time in the present run
};

class search_observer {
 public:
  virtual ~search_observer() = default;
  // Called about every 100 ms. Returning false ends the search as interrupted.
  virtual bool on_progress(const search_progress&) = 0;
};

}  // namespace kvrace
