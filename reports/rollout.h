// The course of a rollout, as plain facts: what the monitor saw, what was decided and when, and what it saved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kvrace::reports {

// What one population was and counted, in a window or altogether.
struct rollout_population {
  std::uint64_t queries = 0;
  std::uint64_t tokens_queried = 0;
  std::uint64_t tokens_hit = 0;
  std::uint64_t queries_triggering = 0;  // the sanitiser's patterns matched
  std::uint64_t similarity_count = 0;    // answers that were compared
  double similarity_mean = 0;            // of them; means nothing if there are none
  std::uint64_t isolation_violations = 0;
  std::uint64_t polluted = 0;
};

// An evaluation of the monitor, over the window that ends there.
struct rollout_point {
  double time_s = 0;
  // Of a thousand requests, in the window.
  unsigned stable_permille = 0;
  unsigned candidate_permille = 0;
  unsigned baseline_permille = 0;
  rollout_population stable;
  rollout_population candidate;
  rollout_population baseline;
  std::string judgement;            // "good", "bad", "both bad", "no data", "warming up"
  std::vector<std::string> failed;  // rules by which the candidate is bad
  std::string decision;             // "hold", "next step", "promote", "roll back"
};

struct rollout_alert {
  std::string name;
  double pending_s = 0;
  std::optional<double> firing_s = {};
  std::optional<double> resolved_s = {};
};

struct rollout_served {
  std::uint64_t wrong = 0;  // polluted requests
  std::uint64_t served = 0;
};

// One rollout; several may follow each other.
struct rollout_facts {
  double start_s = 0;
  std::vector<rollout_point> points;
  std::vector<rollout_alert> alerts;
  std::string outcome;               // "rolled back", "promoted", "held": neither, until the traffic ended
  std::optional<double> decided_s = {};  // of a rollback or promotion
  std::string reason;                // one sentence
  // From its beginning until the next one's.
  rollout_population stable;
  rollout_population candidate;
  rollout_population baseline;
  // By whatever population, until the decision or else the end; and of the same traffic had the candidate got all of it from the
  // beginning, and nobody looked.
  rollout_served until_decided;
  std::optional<rollout_served> without_canary = {};
};

}  // namespace kvrace::reports
