// A hash table from 128-bit keys to small values.
#pragma once

#include <cstdint>
#include <vector>

#include "proof/state_key.h"

namespace kvrace::detail {

class key_table {
 public:
  key_table() : slots_(1U << 12U) {}

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
