// A rollout: a candidate beside the cache of a scenario, a ramp, and the rules by which a monitor judges it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kvrace/cache/rollout.h>

#include "cache_model/monitor/rollout_controller.h"
#include "cache_model/monitor/rules.h"

namespace kvrace::scenarios {

struct scenario;

// The "rollout" part of a scenario.
struct rollout {
  cache::configuration stable;  // of the baseline too
  cache::configuration candidate;

  // The rest is for traffic.
  std::vector<monitor::ramp_step> ramp = {};
  monitor::rules rules = {};
  bool canary = true;  // false: the candidate gets all requests at once, whatever the monitor says
  std::vector<std::chrono::nanoseconds> begins = {std::chrono::nanoseconds(0)};  // of each rollout, rising
  struct span {
    std::chrono::nanoseconds from = {};
    std::chrono::nanoseconds to = {};
  };
  std::vector<span> blind = {};  // the counters that the monitor is given stand still
  // How a rollout must end.
  struct answer {
    std::string outcome;  // "promoted", "rolled back" or "held"
    std::string reason = {};  // what the report's sentence must contain
    std::optional<std::chrono::nanoseconds> at = {};
    std::optional<std::chrono::nanoseconds> after_bad = {};  // since the anomaly was first seen
  };
  std::vector<answer> answers = {};  // one a rollout, in order; none: whatever comes
};

// The caches of a run. Of tasks, all requests are the candidate's until it is rolled back; of traffic, none are before a rollout
// begins, and there is a baseline. Traffic counts what comes of planted flaws: no oracle but "rollback" states it.
[[nodiscard]] cache::rollout_options caches_of(const scenario&);

}  // namespace kvrace::scenarios
