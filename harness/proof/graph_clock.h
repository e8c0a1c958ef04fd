// Vector clocks over the events of an execution graph: for each lane, how many of its events are known. Sixteen lanes of a byte,
// so that a join is one instruction.
#pragma once

#include <cstdint>
#include <cstring>

namespace kvrace::detail {

inline constexpr unsigned lanes_max = 16;
inline constexpr unsigned lane_events_max = 254;

struct alignas(16) graph_clock {
  std::uint8_t at[lanes_max];
};

using graph_lanes = std::uint8_t __attribute__((vector_size(16), may_alias));

inline void join(graph_clock& into, const graph_clock& from) {
  auto* a = reinterpret_cast<graph_lanes*>(into.at);
  const auto* b = reinterpret_cast<const graph_lanes*>(from.at);
  *a = *a > *b ? *a : *b;
}
// The clock then knows `events` of `lane`, if it knew fewer. A narrow store followed by a wide load would stall: so no at[lane] =
// events.
inline void know(graph_clock& clock, unsigned lane, unsigned events) {
  struct masks {
    graph_clock of[lanes_max];
    constexpr masks() : of{} {
      for (unsigned i = 0; i < lanes_max; ++i) of[i].at[i] = 0xff;
    }
  };
  static constexpr masks only;
  const graph_lanes more =
      (graph_lanes{} + static_cast<std::uint8_t>(events)) & *reinterpret_cast<const graph_lanes*>(only.of[lane].at);
  auto* a = reinterpret_cast<graph_lanes*>(clock.at);
  *a = *a > more ? *a : more;
}
// Whether `a` knows no more than `b`.
[[nodiscard]] inline bool within(const graph_clock& a, const graph_clock& b) {
  graph_clock more = a;
  join(more, b);
  return std::memcmp(more.at, b.at, lanes_max) == 0;
}

}  // namespace kvrace::detail
