// The execution graphs of a small program by brute force: events are added in every order and every way, and each graph is
// checked against the definition of the memory model, with relations as matrices. Shares nothing with the engine. Included by
// tests only.
#pragma once

#include <cstdint>
#include <set>

#include "proof/small_program.h"

namespace kvrace::testing {

struct all_graphs {
  std::uint64_t complete = 0;
  std::uint64_t blocked = 0;  // graphs in which some task waits for a lock for ever
  bool races = false;         // some graph has two conflicting plain accesses that happens-before leaves unordered
  std::set<observation> observations;  // of complete graphs, as execute() makes them
  std::uint64_t visited = 0;
  bool cut = false;           // there are more graphs than `visited_max`
};
// Of programs of atomics, fences, plain data, choices, mutex with try_lock, and shared_mutex without.
[[nodiscard]] all_graphs enumerate(const small_program& program, memory_model model, std::uint64_t visited_max);

}  // namespace kvrace::testing
