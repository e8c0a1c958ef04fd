// The fast path of a run's memory: recycled blocks by size class, else the next bytes of a chunk. The rest is in
// runtime/arena.cc.
#pragma once

#include <cstddef>
#include <new>

#include <kvrace/detail/instrumentation.h>

namespace kvrace::detail {

inline constexpr std::size_t arena_granule = 16;
inline constexpr std::size_t arena_small_classes = 64;  // multiples of the granule; above, powers of two
inline constexpr std::size_t arena_classes = arena_small_classes + 40;

struct arena_block {
  arena_block* next;
};
// While no run is in progress nothing is free and nothing is left, so that every request takes the long way.
struct arena_state {
  std::byte* next = nullptr;  // a multiple of the granule
  std::byte* end = nullptr;
  arena_block* free[arena_classes + 1] = {};  // by size class
  bool free_used = false;
  bool open = false;          // a run is in progress
  bool recycles = false;      // and its blocks are handed out again. In a proof they are not, but for fault::address_reuse: which
                              // task gets one would depend on more than happens-before
};
extern constinit arena_state arena;

[[nodiscard]] void* arena_allocate_slowly(std::size_t bytes, std::size_t alignment);
void arena_deallocate_slowly(void* memory, std::size_t bytes) noexcept;
// The block for `bytes` that the current task gave back last, if the strategy chooses so; else null.
[[nodiscard]] void* arena_reuse(std::size_t bytes, std::size_t alignment);

// The size class of a small block is its number of granules. Where instrumentation is told of every block, none is small.
[[nodiscard]] inline bool arena_is_small(std::size_t granules) {
  return !instrumentation::on && !instrumentation::checks_memory && granules - 1 < arena_small_classes;
}
[[nodiscard]] inline std::size_t arena_granules(std::size_t bytes) { return (bytes + arena_granule - 1) / arena_granule; }

[[nodiscard]] inline void* arena_allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t granules = arena_granules(bytes);
  if (arena_is_small(granules) && alignment <= arena_granule) [[likely]] {
    arena_state& a = arena;
    if (arena_block* block = a.free[granules]; block != nullptr) {
      a.free[granules] = block->next;
      return block;
    }
    std::byte* const fresh = a.next;
    if (granules * arena_granule <= static_cast<std::size_t>(a.end - fresh)) [[likely]] {
      a.next = fresh + granules * arena_granule;
      return fresh;
    }
  }
  return arena_allocate_slowly(bytes, alignment);
}

inline void arena_deallocate(void* memory, std::size_t bytes) noexcept {
  const std::size_t granules = arena_granules(bytes);
  arena_state& a = arena;
  if (!arena_is_small(granules) || !a.recycles) [[unlikely]]
    return arena_deallocate_slowly(memory, bytes);
  a.free[granules] = new (memory) arena_block{a.free[granules]};
  a.free_used = true;
}

}  // namespace kvrace::detail
