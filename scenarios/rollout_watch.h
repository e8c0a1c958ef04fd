// The monitor of a rollout beside its traffic: what it is given, what it orders, and what came of it. The tasks of a run keep
// these books together, as bookkeeping.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cache_model/monitor/rollout_controller.h"
#include "reports/rollout.h"
#include "scenarios/rollout.h"
#include "scenarios/traffic_account.h"

namespace kvrace::scenarios {

class rollout_watch {
 public:
  explicit rollout_watch(const rollout&);
  void begin_run();

  void count(cache::population, const traffic_account::ended_request&, const cache::text_read&);

  struct order {
    enum class kind : std::uint8_t { none, route, roll_back };
    kind what = kind::none;
    cache::traffic_split split = {};  // route
  };
  // When to look next.
  [[nodiscard]] std::chrono::nanoseconds next_look() const;
  order look(std::chrono::nanoseconds now);
  // The candidate has broken the isolation of priority classes.
  order isolation_violated(std::chrono::nanoseconds now);
  // The traffic is over.
  void end_run();

  // Of each rollout that has begun in the last run, in order.
  [[nodiscard]] const std::vector<reports::rollout_facts>& facts() const { return facts_; }

 private:
  [[nodiscard]] bool over() const;
  [[nodiscard]] bool another_to_begin() const { return next_rollout_ < asked_.begins.size(); }
  [[nodiscard]] const monitor::population_counters& readable(std::chrono::nanoseconds now);
  order begin(std::chrono::nanoseconds now);
  order follow(monitor::decision);
  void close();

  rollout asked_;
  monitor::rollout_controller controller_;
  monitor::population_counters counters_;
  monitor::population_counters read_;  // as the monitor was given them last
  std::size_t next_rollout_ = 0;
  std::vector<reports::rollout_facts> facts_;
  // Of the present rollout; at first there is none.
  std::optional<std::chrono::nanoseconds> began_;
  monitor::population_counters at_beginning_;
  std::optional<monitor::population_counters> at_decision_;
};

// The same traffic without a canary: what was served wrong between two times.
class silent_release {
 public:
  struct span {
    std::chrono::nanoseconds from = {};
    std::chrono::nanoseconds to = {};
    reports::rollout_served served = {};
  };
  explicit silent_release(std::vector<span> spans) : spans_(std::move(spans)) {}
  void count(std::chrono::nanoseconds now, const traffic_account::ended_request&);
  [[nodiscard]] const std::vector<span>& spans() const { return spans_; }

 private:
  std::vector<span> spans_;
};

// Served something else than its own, or what was no longer to be served.
[[nodiscard]] inline bool is_wrong(const traffic_account::ended_request& request) {
  return request.outcome.polluted || request.outcome.stale;
}

}  // namespace kvrace::scenarios
