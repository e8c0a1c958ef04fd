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

// Indices drawn by weight, through the inverse of their cumulative sum.
class weighted_index {
 public:
  // Requires weights whose sum is above 0 and fits 64 bits.
  explicit weighted_index(const std::vector<std::uint64_t>& weights);
  std::size_t draw(random_engine&) const;

 private:
  std::vector<std::uint64_t> cumulative_;
};

// 2^40 / k^exponent for k = 1 .. count, rounded down but never to 0. Only operations that IEEE 754 fixes are used.
[[nodiscard]] std::vector<std::uint64_t> zipf_weights(std::size_t count, double exponent);

}  // namespace kvrace::scenarios
