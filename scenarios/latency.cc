#include "scenarios/latency.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <tuple>

#include <boost/histogram/axis/option.hpp>
#include <boost/histogram/histogram.hpp>
#include <boost/histogram/indexed.hpp>
#include <boost/histogram/make_histogram.hpp>

namespace kvrace::scenarios {
namespace {

constexpr unsigned precision_bits = 7;  // 128 cells between a power of two and the next
constexpr unsigned largest_power = 52;  // 52 days

// Integer arithmetic only: a logarithm of libm could put a value beside a cell's border on one machine and behind it on another.
std::uint32_t cell_of(std::uint64_t value) {
  value = std::min(value, (std::uint64_t{1} << largest_power) - 1);
  const auto width = static_cast<unsigned>(std::bit_width(value));
  if (width <= precision_bits + 1) return static_cast<std::uint32_t>(value);
  const unsigned shift = width - precision_bits - 1;
  return static_cast<std::uint32_t>((std::uint64_t{shift} << precision_bits) + (value >> shift));
}

std::uint64_t largest_in(std::uint32_t cell) {
  constexpr std::uint32_t exact = 2U << precision_bits;
  if (cell < exact) return cell;
  const unsigned shift = (cell >> precision_bits) - 1;
  const std::uint64_t in_power = (cell & ((1U << precision_bits) - 1)) + (1U << precision_bits);
  return ((in_power + 1) << shift) - 1;
}

// An axis of Boost.Histogram.
struct latency_axis {
  [[nodiscard]] static int index(std::uint64_t value) { return static_cast<int>(cell_of(value)); }
  [[nodiscard]] static int size() { return static_cast<int>(cell_of(~std::uint64_t{0})) + 1; }
  static constexpr boost::histogram::axis::option::bitset<0> options() { return {}; }
  static constexpr bool inclusive() { return true; }
};

}  // namespace

void latency_cells::add(const latency_cells& other) {
  max_ns = std::max(max_ns, other.max_ns);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> merged;
  merged.reserve(counts.size() + other.counts.size());
  std::merge(counts.begin(), counts.end(), other.counts.begin(), other.counts.end(), std::back_inserter(merged));
  counts.clear();
  for (const auto& [cell, amount] : merged) {
    if (!counts.empty() && counts.back().first == cell)
      counts.back().second += amount;
    else
      counts.emplace_back(cell, amount);
  }
}

std::uint64_t latency_cells::count() const {
  std::uint64_t sum = 0;
  for (const auto& [cell, amount] : counts) sum += amount;
  return sum;
}

std::int64_t latency_cells::quantile_ns(unsigned per_mille) const {
  const std::uint64_t wanted = (count() * per_mille + 999) / 1000;
  std::uint64_t seen = 0;
  for (const auto& [cell, amount] : counts) {
    seen += amount;
    if (seen >= wanted) return std::min(static_cast<std::int64_t>(largest_in(cell)), max_ns);
  }
  return 0;
}

struct latency_histogram::counters {
  using storage = boost::histogram::dense_storage<std::uint64_t>;
  boost::histogram::histogram<std::tuple<latency_axis>, storage> cells{std::tuple<latency_axis>(), storage()};
};

latency_histogram::latency_histogram() : counters_(std::make_unique<counters>()) {}
latency_histogram::~latency_histogram() = default;

void latency_histogram::record(std::int64_t latency_ns) {
  counters_->cells(static_cast<std::uint64_t>(latency_ns));
  max_ns_ = std::max(max_ns_, latency_ns);
}

latency_cells latency_histogram::take() {
  latency_cells result{.counts = {}, .max_ns = max_ns_};
  for (const auto& cell : boost::histogram::indexed(counters_->cells))
    if (*cell != 0) result.counts.emplace_back(static_cast<std::uint32_t>(cell.index()), *cell);
  counters_->cells.reset();
  max_ns_ = 0;
  return result;
}

}  // namespace kvrace::scenarios
