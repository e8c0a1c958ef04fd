#include "proof/graph_estimate.h"

#include <algorithm>
#include <cmath>

#include "runtime/stopwatch.h"

namespace kvrace::detail {

void graph_estimate::probe_once(graph_walk& walk) {
  const std::optional<double> found = walk.probe(random_, scratch_);
  if (!found) return;
  const double before = *found - mean_;
  mean_ += before / static_cast<double>(++probes_);
  squares_ += before * (*found - mean_);
}

void graph_estimate::probe(graph_walk& walk, double for_s) {
  const double until_s = monotonic_time_s() + for_s;
  do probe_once(walk);
  while (monotonic_time_s() < until_s);
}

void graph_estimate::probe_anew(graph_walk& walk, unsigned times) {
  clear();
  for (unsigned i = 0; i < times; ++i) probe_once(walk);
}

void graph_estimate::clear() {
  random_ = random_source(1, 0);
  probes_ = 0;
  mean_ = squares_ = 0;
}

std::optional<work_estimate> graph_estimate::now(std::uint64_t done) const {
  constexpr std::uint64_t probes_min = 30;
  if (probes_ < probes_min) return std::nullopt;
  const auto count = static_cast<double>(probes_);
  return work_estimate{probes_, std::max(mean_, static_cast<double>(done)), std::sqrt(squares_ / (count - 1) / count)};
}

// ---- one path ----

bool graph_explorer::keep_one_way(random_source& random, double* weight) {
  std::vector<alternative>& waiting = frame_->waiting;
  for (std::size_t first = 0, last = 0; first < waiting.size(); first = last) {
    while (last < waiting.size() && waiting[last].size == waiting[first].size) ++last;
    const std::size_t ways = last - first + 1;
    *weight *= static_cast<double>(ways);
    const std::uint64_t chosen = random.below(ways);
    if (chosen == 0) continue;
    waiting[0] = waiting[first + chosen - 1];
    waiting.resize(1);
    return true;
  }
  waiting.clear();
  return false;
}

std::optional<double> graph_proof::probe(random_source& random, execution& execution, const program& tested,
                                         execution::settings settings) {
  if (!probed_) probed_.emplace(model_);
  probed_->restart();
  if (explorer_.rules().sequential_seen()) (void)probed_->rules().sees(sequential);
  run_.follow(*probed_, true);
  settings.graph = &run_;
  settings.repeated = true;
  std::optional<double> weight = 1;
  for (;;) {
    const run_end end = execution.run(tested, settings);
    if (end == run_end::unsound || (end == run_end::cut && run_.why() != graph_run::ending::inconsistent)) {
      weight.reset();
      break;
    }
    if (!probed_->keep_one_way(random, &*weight)) break;
    bool there = false;
    do there = probed_->next();
    while (there && probed_->keep_one_way(random, &*weight));  // a revisit may have several places
    if (there) continue;
    weight = 0;  // or none
    break;
  }
  run_.follow(explorer_, false);
  return weight;
}

}  // namespace kvrace::detail
