// A bump allocator over chunks that are kept from run to run, with free lists by size class for recycled memory. Addresses
// depend only on the sequence of requests, so they repeat when a run repeats.
#include "runtime/arena.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include <kvrace/detail/arena.h>

#include "runtime/instrumentation.h"

#include "runtime/execution.h"

namespace kvrace::detail {

constinit arena_state arena;

namespace {

constexpr std::size_t redzone_bytes = instrumentation::checks_memory ? arena_granule : 0;  // between blocks
constexpr std::size_t chunk_bytes = std::size_t{1} << (instrumentation::on ? 14U : 20U);

struct chunk {
  std::unique_ptr<std::byte[]> memory;
  std::size_t bytes = 0;
};
struct chunk_list {
  std::vector<chunk> all;
  std::size_t in_use = 0;  // index

  void enter(std::size_t index) {
    in_use = index;
    arena.next = all[index].memory.get();
    arena.end = arena.next + all[index].bytes;
  }
  void grow(std::size_t bytes) {
    const instrumentation::aside scope;
    while (arena.next != nullptr && in_use + 1 < all.size()) {
      enter(in_use + 1);
      if (static_cast<std::size_t>(arena.end - arena.next) >= bytes) return;
    }
    const std::size_t size = std::max(chunk_bytes, bytes);
    all.push_back({std::make_unique<std::byte[]>(size), size});
    instrumentation::poison(all.back().memory.get(), size);
    enter(all.size() - 1);
  }
};

chunk_list& chunks() {
  static chunk_list instance;
  return instance;
}

// Alignments are powers of two, and at least the granule.
void* bump(std::size_t bytes, std::size_t alignment) {
  arena_state& a = arena;
  bytes = arena_granules(bytes) * arena_granule + redzone_bytes;
  for (;;) {
    const std::size_t padding = (0 - reinterpret_cast<std::uintptr_t>(a.next)) & (alignment - 1);
    if (a.next != nullptr && static_cast<std::size_t>(a.end - a.next) >= padding + bytes) {
      std::byte* result = a.next + padding;
      a.next = result + bytes;
      return result;
    }
    chunks().grow(bytes + alignment);
  }
}

std::size_t class_of(std::size_t bytes) {
  const std::size_t granules = arena_granules(std::max<std::size_t>(bytes, 1));
  return granules <= arena_small_classes
             ? granules
             : arena_small_classes + static_cast<std::size_t>(std::bit_width((granules - 1) / arena_small_classes));
}
std::size_t bytes_of(std::size_t size_class) {
  return size_class <= arena_small_classes ? size_class * arena_granule
                                           : arena_small_classes * arena_granule << (size_class - arena_small_classes);
}

// What a task has given back in a run without recycling.
struct given_back {
  void* memory;
  std::size_t size_class;
};
std::array<std::vector<given_back>, tasks_max> by_task;  // by slot; capacities are kept from run to run
task_set with_some = 0;

}  // namespace

void arena_open() {
  chunk_list& all = chunks();
  if (instrumentation::memory_to_renew()) all.all.clear();
  for (std::size_t index = 0; instrumentation::checks_memory && index < all.all.size() && index <= all.in_use; ++index)
    instrumentation::poison(all.all[index].memory.get(), all.all[index].bytes);
  if (!all.all.empty()) all.enter(0);
  arena.open = arena.recycles = true;
  for (; with_some != 0; with_some &= with_some - 1) by_task[static_cast<std::size_t>(std::countr_zero(with_some))].clear();
}

void arena_close() {
  arena_state& a = arena;
  a.next = a.end = nullptr;
  if (a.free_used) std::fill(std::begin(a.free), std::end(a.free), nullptr);
  a.open = a.recycles = a.free_used = false;
}

void* arena_keep(std::size_t bytes, std::size_t alignment) {
  void* kept = bump(bytes, std::max(alignment, arena_granule));
  instrumentation::unpoison(kept, bytes);
  return kept;
}

void* arena_allocate_slowly(std::size_t bytes, std::size_t alignment) {
  arena_state& a = arena;
  if (!a.open) unusable_outside();  // the next run would hand the memory out again
  const std::size_t size_class = class_of(bytes);
  if (arena_block* block = a.free[size_class]; block != nullptr && alignment <= arena_granule) {
    instrumentation::unpoison(block, std::max(bytes, sizeof(arena_block)));
    a.free[size_class] = block->next;
    return block;
  }
  void* fresh = bump(bytes_of(size_class), std::max(alignment, arena_granule));
  instrumentation::unpoison(fresh, bytes);
  return fresh;
}

void* arena_reuse(std::size_t bytes, std::size_t alignment) {
  std::vector<given_back>& mine = by_task[state.slot];
  const auto fits = [=, size_class = class_of(bytes)](const given_back& each) {
    return each.size_class == size_class && reinterpret_cast<std::uintptr_t>(each.memory) % alignment == 0;
  };
  const auto last = std::find_if(mine.rbegin(), mine.rend(), fits);
  if (last == mine.rend() || !happens(fault::address_reuse, site{})) return nullptr;
  void* again = last->memory;
  mine.erase(std::next(last).base());
  instrumentation::unpoison(again, bytes);
  return again;
}

void arena_deallocate_slowly(void* block, std::size_t bytes) noexcept {
  arena_state& a = arena;
  if (!a.recycles) {
    if (!may_happen(fault::address_reuse)) return;
    by_task[state.slot].push_back({block, class_of(bytes)});
    with_some |= bit(state.slot);
    return;
  }
  // To ThreadSanitizer, a block that changes hands within a run would be one object without synchronisation between its users.
  if constexpr (instrumentation::on) return;
  const std::size_t size_class = class_of(bytes);
  instrumentation::unpoison(block, sizeof(arena_block));  // what was asked for may be smaller
  a.free[size_class] = new (block) arena_block{a.free[size_class]};
  instrumentation::poison(block, bytes_of(size_class));
  a.free_used = true;
}

}  // namespace kvrace::detail
