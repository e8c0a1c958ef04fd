// When the monitor calls a candidate bad: judged on one window of time, against a baseline of the same age.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "cache_model/monitor/counters.h"

namespace kvrace::monitor {

// Shares are in millionths. A rule that is not set is not judged.
struct rules {
  std::chrono::nanoseconds interval = std::chrono::seconds(5);      // from one evaluation to the next
  std::chrono::nanoseconds window = std::chrono::seconds(5);        // an evaluation looks at what was counted in it
  std::chrono::nanoseconds persistence = std::chrono::seconds(30);  // of an anomaly, before it fires
  // From the beginning of a rollout: evaluations before its end judge nothing but isolation, as those without data do.
  std::chrono::nanoseconds warm_up = {};
  // Between two evaluations with data. What is longer, because data was missing or the clock jumped, counts for nothing.
  std::chrono::nanoseconds gap_max = std::chrono::seconds(15);
  std::uint64_t queries_min = 100;  // in the window, of each population: fewer are no data
  std::optional<std::uint64_t> hit_ratio_floor_ppm = 900'000;  // of the candidate's hit rate to the baseline's
  std::optional<std::uint64_t> hit_rate_floor_ppm = {};        // the target of the workload, 950000 in the incident's
  std::optional<std::uint64_t> similarity_floor_ppm = 950'000;
  std::optional<std::uint64_t> trigger_ceiling_ppm = {};
};

enum class rule : std::uint8_t { hit_ratio, hit_rate, similarity, trigger_frequency, count };
inline constexpr std::size_t rule_count = static_cast<std::size_t>(rule::count);
[[nodiscard]] const char* to_string(rule);  // "hit_ratio", ...

enum class judgement : std::uint8_t {
  good,
  bad,      // the candidate, and not the baseline
  both_bad, // not the candidate's fault
  no_data,
};
[[nodiscard]] const char* to_string(judgement);  // "good", "bad", "both bad", "no data"

struct judged_window {
  // By rule; nullopt if it is not set.
  std::array<std::optional<judgement>, rule_count> by_rule = {};
  // Bad if one rule says so, else both_bad if one does, else no_data if one has none: what cannot be judged is not healthy.
  judgement overall = judgement::no_data;
};

// What the two populations counted in the window. With `baseline_gone` the baseline gets no requests (the candidate has all of
// them): `baseline` is then the last window of it that had data, and the candidate alone is judged where it stands for nothing
// that is compared.
[[nodiscard]] judged_window judge(const rules&, const counters& candidate, const counters& baseline, bool baseline_gone = false);

}  // namespace kvrace::monitor
