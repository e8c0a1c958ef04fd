// A service whose requests are routed among caches: a stable one, a candidate that takes a share of them until it is promoted or
// rolled back, and a baseline, which is the stable configuration in a cache as young as the candidate's.
#pragma once

#include <cstdint>
#include <memory>

#include <kvrace/cache/simulation.h>

namespace kvrace::cache {

enum class population : std::uint8_t { stable, baseline, candidate };
inline constexpr std::size_t populations = 3;
[[nodiscard]] const char* to_string(population);

// Shares of all requests. The rest is the stable cache's.
struct traffic_split {
  static constexpr std::uint32_t whole = 1'000;
  std::uint32_t candidate = 0;
  std::uint32_t baseline = 0;  // the two add up to `whole` at most
  friend bool operator==(const traffic_split&, const traffic_split&) = default;
};

struct rollout_options {
  simulation_options stable;
  simulation_options candidate;
  bool baseline = false;    // there is one
  traffic_split split = {};  // at first
};

// Driven like one cache: a lookup or a serve goes where it is routed, and so does what it counts; an invalidation is all caches'.
// What else a simulation does is the stable cache's.
class rollout : public simulation {
 public:
  // Where in 0 .. whole - 1 the calling task's next request falls: the candidate's share comes first, then the baseline's.
  // Without it a request falls to 0.
  virtual void falls_to(std::uint32_t draw) = 0;
  // Of the calling task's last lookup or serve.
  [[nodiscard]] virtual population served_by() const = 0;

  // The next two are one task's at a time. Requests may be in flight.
  virtual void route(traffic_split) = 0;
  // Nothing is routed to the candidate any more; what it has cached, or is computing for requests routed to it before, is served
  // to no request that begins when this has returned, not even in a rollout to come (oracle "rollback"). The baseline begins anew
  // too.
  virtual void roll_back() = 0;
};

// As make_simulation, for both options.
[[nodiscard]] std::unique_ptr<rollout> make_rollout(run&, const rollout_options&);

}  // namespace kvrace::cache
