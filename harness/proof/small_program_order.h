// The order of the events of one interleaving: what makes two interleavings equal, and what C++20 leaves unordered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kvrace::testing {

inline constexpr int nobody = -1;

// How an event depends on others of the same object: reads commute with reads, shared ones with shared ones, no others.
enum class way : std::uint8_t { read, shared, write };
enum object_id : std::uint8_t { atomic_0, atomic_1, the_mutex, the_shared_mutex, the_condition, objects };

struct touch {
  object_id object;
  way how;
};

// One step of one task, or a plain access between two steps.
struct event {
  unsigned task = 0;
  unsigned index = 0;  // among the task's steps
  std::uint64_t label = 0;
  std::array<touch, 2> touches{};
  unsigned touched = 0;
  // For happens-before.
  bool atomic_write = false;
  bool update = false;
  bool acquires = false;
  bool releases = false;
  bool is_fence = false;
  int reads_from = nobody;  // event; also of a relaxed read
  bool locks = false, locks_shared = false, unlocks = false, unlocks_shared = false;
  object_id lock = objects;
  bool plain = false, plain_write = false;
  unsigned datum = 0;
};

// Equal for two interleavings exactly if they are linearisations of one partial order of the same events.
[[nodiscard]] std::uint64_t trace_key(const std::vector<event>& events);

// Whether two conflicting plain accesses are unordered by happens-before, by the definitions of C++20 over the finished
// interleaving: it is the closure of sequenced-before and synchronises-with, and both follow the order of the events.
[[nodiscard]] bool has_race(const std::vector<event>& events);

}  // namespace kvrace::testing
