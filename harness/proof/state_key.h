// Hashes of 128 bits that stand for what they are made of.
//
// Two different things with one key would be confused. With n of them the chance is below n^2 / 2^129: 10^-20 for a billion.
#pragma once

#include <cstdint>

namespace kvrace::detail {

struct state_key {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const state_key&, const state_key&) = default;
};

// A key that depends on every bit of `key` and `part`.
[[nodiscard]] inline state_key mix(state_key key, std::uint64_t part) {
  std::uint64_t low = (key.low ^ part) * 0x9fb21c651e98df25;
  std::uint64_t high = (key.high + part) * 0xd6e8feb86659fd93;
  low ^= low >> 32U;
  high ^= high >> 29U;
  low = (low ^ (high << 17U | high >> 47U)) * 0xff51afd7ed558ccd;
  high = (high + low) * 0xc4ceb9fe1a85ec53;
  return {low ^ low >> 33U, high ^ high >> 31U};
}

}  // namespace kvrace::detail
