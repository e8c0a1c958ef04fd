// What the steps of a finding have to do with each other beside their order in each task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <kvrace/result.h>

namespace kvrace::reports {

struct relation {
  enum class kind : std::uint8_t {
    reads_from,    // a write, and a read of it by another task
    modification,  // two writes to one object, the later one next in its modification order
    hand_over,     // what gave a lock or a permit back, and another task that took it next
  };
  kind what = kind::reads_from;
  std::size_t from = 0;  // indices into the trace
  std::size_t to = 0;
  friend bool operator==(const relation&, const relation&) = default;
};

// In order of `to`. In an interleaving a read reads the last write but those it is behind (trace_step::behind), and the order of
// the trace is that of modification. Of a finding along a graph whose loads are stale (schedule::setting::graph) the trace tells
// neither: there are no modifications then, and no read of a stale value.
[[nodiscard]] std::vector<relation> relations_of(const finding&);

}  // namespace kvrace::reports
