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

// True if some lane of `a` is above that of `b`.
inline bool clock_exceeds(const vector_clock& a, const vector_clock& b, unsigned width) {
  const auto* left = reinterpret_cast<const clock_lanes*>(a.at);
  const auto* right = reinterpret_cast<const clock_lanes*>(b.at);
  clock_lanes above{};
  for (unsigned i = 0; i < width; i += 4) above |= *left++ > *right++;
  return (above[0] | above[1] | above[2] | above[3]) != 0;
}

// What a release left at an object. Index 0 in the pool means "nothing released yet".
//
// Knowledge travels in whole clocks, and a task counts its own lane up at each release: a clock with a lane of at least c has
// all that the task of this lane knew when it released at c. So a message that is what one task knew is told by one lane.
struct alignas(16) message_clock {
  static constexpr clock_value mixed = INT32_MAX;  // of several tasks: no lane tells

  std::uint32_t width = 0;
  std::uint32_t by_slot = 0;
  clock_value by_clock = 0;  // the lane of by_slot when it was released; 0: nothing in it
  vector_clock clock;

  [[nodiscard]] bool known_to(const vector_clock& reader) const { return reader.at[by_slot] >= by_clock; }
  void clear() {
    width = by_slot = 0;
    by_clock = 0;
  }
  // What task `slot` knew, by its lane.
  void replace(const vector_clock& knowledge, unsigned slot, unsigned clock_width) {
    width = clock_width;
    by_slot = slot;
    by_clock = knowledge.at[slot];
    clock_copy(clock, knowledge, clock_width);
  }
  // Adds it to what is there.
  void add(const vector_clock& knowledge, unsigned slot, unsigned clock_width) {
    if (known_to(knowledge)) return replace(knowledge, slot, clock_width);
    clock_zero(clock, width, clock_width);
    width = clock_width;
    by_clock = mixed;
    clock_join(clock, knowledge, clock_width);
  }
};

}  // namespace kvrace::detail
