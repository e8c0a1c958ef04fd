// What one population of a rollout (stable, candidate, baseline) has counted since it began. Counters only grow, as those that
// serving systems export do; what happened in a window is the difference of two readings.
#pragma once

#include <cstdint>

namespace kvrace::monitor {

// A quotient of two counts. 0/0 is "no data", never 0.
struct ratio {
  std::uint64_t part = 0;
  std::uint64_t whole = 0;
  [[nodiscard]] bool has_data() const { return whole != 0; }
  friend bool operator==(const ratio&, const ratio&) = default;
};
// Whether `of` is below `floor_ppm` millionths; exactly. Requires data.
[[nodiscard]] bool below(const ratio& of, std::uint64_t floor_ppm);
[[nodiscard]] bool above(const ratio& of, std::uint64_t ceiling_ppm);
// Whether `of` is below `floor_ppm` millionths of `other`; exactly. Requires data of both, and counts below 2^50.
[[nodiscard]] bool below(const ratio& of, std::uint64_t floor_ppm, const ratio& other);

// A similarity of 1, in the units of counters::similarity_sum. See similarity.h.
inline constexpr std::uint64_t similarity_one = std::uint64_t{1} << 30;

struct counters {
  std::uint64_t queries = 0;         // requests that were answered
  std::uint64_t tokens_queried = 0;  // of their prompts, by lookups in the cache
  std::uint64_t tokens_hit = 0;
  std::uint64_t queries_triggering = 0;  // in which a pattern of the sanitiser matched
  std::uint64_t similarity_sum = 0;      // of the answers that were compared, each at most similarity_one
  std::uint64_t similarity_count = 0;
  std::uint64_t isolation_violations = 0;
  // Known to the simulation alone: no rule looks at it, reports tell how much it was.
  std::uint64_t polluted = 0;

  // Of tokens, never a mean of the ratios of requests.
  [[nodiscard]] ratio hit_rate() const { return {tokens_hit, tokens_queried}; }
  // The mean, as a share of 1.
  [[nodiscard]] ratio similarity() const { return {similarity_sum, similarity_count * similarity_one}; }
  [[nodiscard]] ratio trigger_frequency() const { return {queries_triggering, queries}; }

  counters& operator+=(const counters&);
  friend bool operator==(const counters&, const counters&) = default;
};

// What was counted between two readings. A counter that went down began anew in between, from 0 (as in Prometheus): then all of
// them did, and what the later reading says is what happened.
[[nodiscard]] counters between(const counters& earlier, const counters& later);

}  // namespace kvrace::monitor
