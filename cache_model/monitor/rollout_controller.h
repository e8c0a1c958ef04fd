// Decides, evaluation by evaluation, how much of the traffic a candidate gets: more while it is healthy, none once an anomaly has
// persisted. It has no clock and no traffic: the caller tells both.
//
// A clock may jump. Time that nobody watched (longer than rules::gap_max, or backwards) counts for nothing, neither for the
// persistence of an anomaly nor for the hold of a step.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache_model/monitor/alert.h"
#include "cache_model/monitor/counters.h"
#include "cache_model/monitor/rules.h"

namespace kvrace::monitor {

struct ramp_step {
  unsigned candidate_permille = 0;  // its share of the requests, from 1 to 1000
  std::chrono::nanoseconds hold = {};  // how long it must be healthy without interruption before the next step
};

// Of a thousand requests: as many for the baseline as for the candidate, so that both are compared at the same load, as long as
// there are as many.
struct traffic_split {
  unsigned stable = 1000;
  unsigned candidate = 0;
  unsigned baseline = 0;
  friend bool operator==(const traffic_split&, const traffic_split&) = default;
};
[[nodiscard]] traffic_split split_for(unsigned candidate_permille);

enum class decision : std::uint8_t { hold, next_step, promote, roll_back };
[[nodiscard]] const char* to_string(decision);  // "hold", "next step", "promote", "roll back"

enum class rollout_state : std::uint8_t { none, ramping, promoted, rolled_back };
[[nodiscard]] const char* to_string(rollout_state);

// Cumulative, as read at one moment.
struct population_counters {
  counters stable;
  counters candidate;
  counters baseline;
};

// One point of the time line.
struct evaluation {
  std::chrono::nanoseconds time = {};
  traffic_split split;  // in the window
  population_counters window;  // what each population counted in it
  judged_window judged;
  bool warming_up = false;
  monitor::decision decision = decision::hold;
};

class rollout_controller {
 public:
  // Requires a ramp whose shares rise, and an interval above 0.
  rollout_controller(rules, std::vector<ramp_step> ramp);

  // Another rollout, at its first step. `read` are the counters as they stand. Whatever was decided before is forgotten.
  void begin(std::chrono::nanoseconds now, const population_counters& read);

  // True if an evaluation is due. Those that were missed are not made up for.
  [[nodiscard]] bool due(std::chrono::nanoseconds now) const;
  [[nodiscard]] std::chrono::nanoseconds next_evaluation() const { return next_; }

  // What has been decided stays so: after a promotion or a rollback, every decision is to hold, and alerts go on. To be called
  // when it is due, and at once when the candidate has violated isolation: that rolls back without waiting.
  decision evaluate(std::chrono::nanoseconds now, const population_counters& read);

  [[nodiscard]] rollout_state state() const { return state_; }
  [[nodiscard]] traffic_split split() const;
  [[nodiscard]] std::size_t step() const { return step_; }  // in the ramp
  // Of the present rollout: of its promotion or rollback.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> decided_at() const { return decided_at_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }  // a sentence; empty while nothing is decided
  [[nodiscard]] const std::vector<evaluation>& evaluations() const { return evaluations_; }
  [[nodiscard]] const std::vector<alert_record>& alerts() const { return alerts_; }

 private:
  struct reading {
    std::chrono::nanoseconds line;
    population_counters read;
  };
  // An alert that may be raised, and its open record.
  struct tracked {
    std::optional<std::size_t> open;
    std::chrono::nanoseconds since = {};  // by watched_
  };
  static constexpr std::size_t anomaly = rule_count, isolation = anomaly + 1, outage = isolation + 1, alert_count = outage + 1;

  void pass(std::chrono::nanoseconds now);
  [[nodiscard]] population_counters window_of(const population_counters& read);
  void judge_window(evaluation&);
  void raise(std::size_t alert, std::chrono::nanoseconds now);
  void resolve(std::size_t alert, std::chrono::nanoseconds now);
  void update(std::size_t alert, judgement, std::chrono::nanoseconds now);
  void update_alerts(const evaluation&);
  [[nodiscard]] bool firing(std::size_t alert) const;
  decision decide(const evaluation&);
  void roll_back(const evaluation&);
  decision go_on(const evaluation&);

  rules rules_;
  std::vector<ramp_step> ramp_;
  rollout_state state_ = rollout_state::none;
  std::size_t step_ = 0;
  std::chrono::nanoseconds start_ = {};
  std::chrono::nanoseconds last_ = {};  // what the clock said last
  std::chrono::nanoseconds next_ = {};
  std::chrono::nanoseconds elapsed_ = {};  // since the evaluation before this one; 0 if nobody watched
  std::chrono::nanoseconds line_ = {};  // time that never goes back
  std::chrono::nanoseconds watched_ = {};  // time in evaluations with data, see rules::gap_max
  std::optional<std::chrono::nanoseconds> data_at_;  // by line_: the last evaluation with data
  std::chrono::nanoseconds healthy_ = {};  // of the present step
  std::vector<reading> readings_;  // one window back
  counters last_baseline_;  // its last window with enough queries
  std::array<tracked, alert_count> tracked_ = {};
  std::optional<std::chrono::nanoseconds> decided_at_;
  std::string reason_;
  std::vector<evaluation> evaluations_;
  std::vector<alert_record> alerts_;
};

}  // namespace kvrace::monitor
