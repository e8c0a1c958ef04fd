// The one source of randomness: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), fixed here so that a seed means the same everywhere.
#pragma once

#include <cstdint>

namespace kvrace::detail {

class random_source {
 public:
  random_source() = default;
  // Independent streams for independent pairs.
  random_source(std::uint64_t seed, std::uint64_t stream) : state_(scramble(seed) ^ scramble(stream * 0x9e3779b97f4a7c15 + 1)) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    return scramble(state_);
  }
  // Uniform in 0 .. bound-1, by multiplication (Lemire 2019) without the rejection step: the bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<wide>(next()) * bound) >> 64U);
  }

 private:
  __extension__ using wide = unsigned __int128;
  static std::uint64_t scramble(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
    return z ^ (z >> 31U);
  }
  std::uint64_t state_ = 0;
};

}  // namespace kvrace::detail
