// Latencies counted in cells of a width relative to their value.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace kvrace::scenarios {

// The cells that are not empty, as values.
struct latency_cells {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> counts;  // by cell, in order
  std::int64_t max_ns = 0;

  void add(const latency_cells&);
  [[nodiscard]] std::uint64_t count() const;
  // The least value at or above `per_mille` of a thousand latencies, too high by less than 1/128 of itself; 0 if there are none.
  [[nodiscard]] std::int64_t quantile_ns(unsigned per_mille) const;
};

// What they are counted in.
class latency_histogram {
 public:
  latency_histogram();
  ~latency_histogram();
  void record(std::int64_t latency_ns);
  // Its content, to which nothing has been added yet afterwards.
  latency_cells take();

 private:
  struct counters;
  std::unique_ptr<counters> counters_;
  std::int64_t max_ns_ = 0;
};

}  // namespace kvrace::scenarios
