// Processes that share the runs of a sample. A run depends on its index alone, so who executes it makes no difference.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <kvrace/result.h>

#include "runtime/forked.h"

namespace kvrace::detail {

// What consecutive runs came to.
struct run_block {
  search_counts counts;             // of these runs; schedules_distinct and violations are left to the reader
  std::uint64_t runs_outside = 0;   // of strategy::probability_bound
  std::vector<std::uint64_t> metrics;
  std::vector<std::uint64_t> schedules;                           // hashes, where they are counted
  std::vector<std::pair<std::uint64_t, std::uint64_t>> failures;  // (index of the run, hash of its signature), ascending
};

// Forks `jobs` processes. Process i executes blocks i, i + jobs, ... of [first, last) and sends them.
class workers {
 public:
  // Executes the runs [first, last), or up to its end where that comes before.
  using work = std::function<run_block(std::uint64_t first, std::uint64_t last)>;

  workers(unsigned jobs, std::uint64_t first, std::uint64_t last, std::uint64_t block_runs, const work& execute);

  enum class next_is : std::uint8_t { block, nothing_yet, end };
  // The blocks in order of their runs. Waits at most 100 ms. Throws std::runtime_error if a process has died.
  next_is next(run_block& block);

 private:
  void work_as(unsigned job, int pipe, const work& execute) const;
  void receive(void* into, std::size_t bytes);

  unsigned jobs_;
  std::uint64_t first_;  // of the next block
  std::uint64_t last_;
  std::uint64_t block_runs_;
  unsigned turn_ = 0;
  forked_processes processes_;
};

}  // namespace kvrace::detail
