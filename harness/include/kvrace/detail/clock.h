// Vector clocks over task slots, and the happens-before bookkeeping that primitives need on their fast path.
#pragma once

#include <cstdint>

namespace kvrace::detail {

using clock_value = std::int32_t;  // signed: SSE2 compares signed lanes only. A run ends long before 2^31 releases

// Slots come in groups of four lanes; lanes at and beyond a clock's width count as 0.
struct alignas(16) vector_clock {
  clock_value at[64];
};

using clock_lanes = clock_value __attribute__((vector_size(16), may_alias));

inline void clock_join(vector_clock& into, const vector_clock& from, unsigned width) {
  auto* a = reinterpret_cast<clock_lanes*>(into.at);
  const auto* b = reinterpret_cast<const clock_lanes*>(from.at);
  for (unsigned i = 0; i < width; i += 4, ++a, ++b) {
    const clock_lanes greater = *a > *b;
    *a = (*a & greater) | (*b & ~greater);
  }
}
inline void clock_copy(vector_clock& into, const vector_clock& from, unsigned width) {
  auto* a = reinterpret_cast<clock_lanes*>(into.at);
  const auto* b = reinterpret_cast<const clock_lanes*>(from.at);
  for (unsigned i = 0; i < width; i += 4) *a++ = *b++;
}
inline void clock_zero(vector_clock& clock, unsigned from, unsigned to) {
  for (unsigned i = from; i < to; ++i) clock.at[i] = 0;
}

// What a release left at an object. Index 0 in the pool means "nothing released yet".
struct alignas(16) message_clock {
  std::uint32_t width = 0;
  vector_clock clock;
};

}  // namespace kvrace::detail
