// A hash table from 128-bit keys to small values: the memory of the bounded search.
//
// Keys are hashes themselves; two different states with one key would be confused. With n states the chance is below
// n^2 / 2^129: 10^-20 for a billion.
#pragma once

#include <cstdint>
#include <vector>

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

class state_table {
 public:
  state_table() : slots_(1U << 12U) {}

  // The value for `key`, 0 if it is new; the caller must then give it one that is not 0. The reference is valid until the next
  // call.
  std::uint32_t& operator[](state_key key);
  [[nodiscard]] std::uint32_t find(state_key key) const;  // 0 if absent
  [[nodiscard]] std::uint64_t size() const { return used_; }

 private:
  struct slot {
    state_key key;
    std::uint32_t value = 0;  // 0: empty
  };
  void grow();
  [[nodiscard]] std::size_t place(const state_key& key) const;

  std::vector<slot> slots_;
  std::uint64_t used_ = 0;
};

}  // namespace kvrace::detail
