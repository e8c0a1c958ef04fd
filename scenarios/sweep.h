// A sweep: the traffic of a scenario again and again, at many loads, with each locking strategy and set of flaws, from many
// seeds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kvrace/cache/simulation.h>
#include <kvrace/observer.h>

#include "reports/sweep.h"

namespace kvrace::scenarios {

struct scenario;

// The "sweep" part of a scenario.
struct sweep {
  struct flaw_set {
    std::string name;
    std::vector<std::string> flaws;  // those that make no sense for a locking strategy are left out with it
  };
  // How much of the requests must be polluted, in percent: at every point of these curves, or at one load.
  struct answer {
    std::string flaw_set;
    std::vector<std::string> locking;  // empty: whichever the sweep has
    std::optional<double> qps;
    double percent_min = 0;
    double percent_max = 0;
  };
  std::vector<double> qps;
  std::vector<std::string> locking;
  std::uint64_t seed_first = 1;  // a seed is one of the arrivals and of the schedule
  std::uint64_t seed_count = 20;
  std::vector<flaw_set> flaw_sets;
  std::vector<answer> answers;
};

// A locking strategy with a set of flaws: one curve. Two sets of which the strategy knows the same flaws are one curve.
struct swept_curve {
  std::string locking;
  std::string flaw_set;
  std::vector<std::string> flaws;
};
[[nodiscard]] std::vector<swept_curve> curves_of(const sweep&);

// One run of a sweep.
struct swept_run {
  bool ended = false;     // by itself: nothing was found that cuts a run short
  bool violation = false;
  std::uint64_t completed = 0;
  std::uint64_t polluted = 0;
  std::uint64_t polluted_by[cache::pollution_ways] = {};
  std::uint64_t starved = 0;
  std::uint64_t tokens_queried = 0;
  std::uint64_t tokens_hit = 0;
  double qps_reached = 0;
  double in_flight = 0;
  double p50_ms = 0;
  double p99_ms = 0;
};
[[nodiscard]] swept_run run_point(const scenario&, const swept_curve&, double qps, std::uint64_t seed);

// Requires a scenario with traffic and a sweep. If the observer ends it, the facts are nullopt. The same facts for any number of
// `jobs`, but for the time.
[[nodiscard]] std::optional<reports::sweep_facts> carry_out(const scenario&, unsigned jobs, kvrace::search_observer& observer);

}  // namespace kvrace::scenarios
