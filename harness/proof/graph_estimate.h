// How many executions an exploration has, estimated by random paths.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "proof/graph_walk.h"
#include "strategies/random_source.h"

namespace kvrace::detail {

struct work_estimate {
  std::uint64_t probes = 0;
  double executions = 0;  // in all
  double error = 0;       // standard error
};

class graph_estimate {
 public:
  explicit graph_estimate(std::size_t metrics) : scratch_(metrics) {}

  void probe(graph_walk& walk, double for_s);
  void probe_anew(graph_walk& walk, unsigned times);  // forgets what it has: the outcome depends on no clock
  void clear();                                       // the exploration has begun anew
  // nullopt while there are too few. There are at least `done` executions.
  [[nodiscard]] std::optional<work_estimate> now(std::uint64_t done) const;

 private:
  void probe_once(graph_walk& walk);

  random_source random_{1, 0};
  std::vector<std::uint64_t> scratch_;
  std::uint64_t probes_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // of the deviations from the mean (Welford)
};

}  // namespace kvrace::detail
