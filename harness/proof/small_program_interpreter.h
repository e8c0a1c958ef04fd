// What a small program can do, by plain enumeration of its interleavings: no caching, no engine, semantics of its own.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "proof/small_program.h"

namespace kvrace::testing {

struct all_behaviours {
  // Observations of complete interleavings, with the least number of preemptions that reaches each.
  std::map<observation, unsigned> observations;
  // Complete interleavings up to exchange of independent neighbours (Mazurkiewicz traces), likewise.
  std::map<std::uint64_t, unsigned> classes;
  bool deadlocks = false;
  bool races = false;  // some interleaving has two conflicting plain accesses that C++20 leaves unordered
  std::uint64_t interleavings = 0;
  bool cut = false;  // there are more than `interleavings_max`
};
[[nodiscard]] all_behaviours interpret(const small_program& program, std::uint64_t interleavings_max);

}  // namespace kvrace::testing
