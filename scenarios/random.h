// Random numbers whose every bit this file decides: std distributions and libm differ between library versions.
#pragma once

#include <cstdint>
#include <vector>

namespace kvrace::scenarios {

// xoshiro256** 1.0, its state filled by splitmix64, both as published by Blackman and Vigna.
class random_engine {
 public:
  explicit random_engine(std::uint64_t seed);
  std::uint64_t next();
  // Uniform in 0 .. count-1. Requires count > 0.
  std::uint64_t below(std::uint64_t count);
  // True with this probability, in steps of 2^-53.
  bool chance(double probability) { return static_cast<double>(next() >> 11) < probability * 9007199254740992.0; }

 private:
  std::uint64_t state_[4];
};

// Indices drawn by weight, through the inverse of their cumulative sum; in constant time, by a guide table (Chen, Asau 1974).
class weighted_index {
 public:
  // Requires weights whose sum is above 0 and fits 64 bits.
  explicit weighted_index(const std::vector<std::uint64_t>& weights);
  std::size_t draw(random_engine&) const;

 private:
  std::vector<std::uint64_t> cumulative_;
  std::vector<std::uint32_t> guide_;  // by the leading bits of what is drawn: the first index it may mean
  int shift_ = 0;
};

// Exponentially distributed with mean 2^32: the waits between the events of a Poisson process. Exact but for rounding down, by
// von Neumann's game (1951), which only compares uniform numbers.
[[nodiscard]] std::uint64_t exponential(random_engine&);

// Times of a Poisson process from 0 on, in nanoseconds, never decreasing. Requires 0.1 <= rate_hz <= 10^6.
class poisson_times {
 public:
  poisson_times(double rate_hz, std::uint64_t seed);
  std::int64_t next_ns();

 private:
  random_engine engine_;
  std::uint64_t mean_;          // wait, in 2^-20 ns
  std::int64_t now_ns_ = 0;
  std::uint64_t fraction_ = 0;  // of a nanosecond, in 2^-20
};

// 2^40 / k^exponent for k = 1 .. count, rounded down but never to 0. Only operations that IEEE 754 fixes are used.
[[nodiscard]] std::vector<std::uint64_t> zipf_weights(std::size_t count, double exponent);

}  // namespace kvrace::scenarios
