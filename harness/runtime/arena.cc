// A bump allocator over chunks that are kept from run to run, with free lists by size class for recycled memory. Addresses
// depend only on the sequence of requests, so they repeat when a run repeats.
#include "runtime/arena.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include <kvrace/detail/core.h>

#include "runtime/instrumentation.h"

#include "runtime/execution.h"

namespace kvrace::detail {

namespace {

constexpr std::size_t granule = 16;
constexpr std::size_t small_classes = 64;  // multiples of the granule; above, powers of two
constexpr std::size_t classes = small_classes + 40;
constexpr std::size_t redzone_bytes = instrumentation::checks_memory ? 16 : 0;  // between blocks
constexpr std::size_t chunk_bytes = std::size_t{1} << (instrumentation::on ? 14U : 20U);

struct chunk {
  std::unique_ptr<std::byte[]> memory;
  std::size_t bytes = 0;
};
struct free_block {
  free_block* next;
};

struct arena {
  std::vector<chunk> chunks;
  std::size_t chunk_in_use = 0;  // index
  std::byte* next = nullptr;
  std::byte* end = nullptr;
  std::array<free_block*, classes + 1> free{};
  bool free_used = false;

  void enter(std::size_t index) {
    chunk_in_use = index;
    next = chunks[index].memory.get();
    end = next + chunks[index].bytes;
  }
  void* bump(std::size_t bytes, std::size_t alignment) {
    for (;;) {
      const auto address = reinterpret_cast<std::uintptr_t>(next);
      const std::size_t padding = (0 - address) & (alignment - 1);
      if (next != nullptr && static_cast<std::size_t>(end - next) >= padding + bytes + redzone_bytes) {
        std::byte* result = next + padding;
        next = result + bytes + redzone_bytes;
        return result;
      }
      grow(bytes + alignment + redzone_bytes);
    }
  }
  void grow(std::size_t bytes) {
    const instrumentation::aside scope;
    while (next != nullptr && chunk_in_use + 1 < chunks.size()) {
      enter(chunk_in_use + 1);
      if (static_cast<std::size_t>(end - next) >= bytes) return;
    }
    const std::size_t size = std::max(chunk_bytes, bytes);
    chunks.push_back({std::make_unique<std::byte[]>(size), size});
    instrumentation::poison(chunks.back().memory.get(), size);
    enter(chunks.size() - 1);
  }
};

arena& memory() {
  static arena instance;
  return instance;
}

std::size_t class_of(std::size_t bytes) {
  const std::size_t granules = (std::max<std::size_t>(bytes, 1) + granule - 1) / granule;
  return granules <= small_classes ? granules
                                   : small_classes + static_cast<std::size_t>(std::bit_width((granules - 1) / small_classes));
}
std::size_t bytes_of(std::size_t size_class) {
  return size_class <= small_classes ? size_class * granule : small_classes * granule << (size_class - small_classes);
}

}  // namespace

void arena_reset() {
  arena& a = memory();
  if (instrumentation::memory_to_renew()) {
    a.chunks.clear();
    a.next = a.end = nullptr;
  }
  for (std::size_t index = 0; instrumentation::checks_memory && index < a.chunks.size() && index <= a.chunk_in_use; ++index)
    instrumentation::poison(a.chunks[index].memory.get(), a.chunks[index].bytes);
  if (!a.chunks.empty()) a.enter(0);
  if (a.free_used) a.free.fill(nullptr);
  a.free_used = false;
}

void* arena_keep(std::size_t bytes, std::size_t alignment) {
  void* kept = memory().bump(bytes, std::max(alignment, granule));
  instrumentation::unpoison(kept, bytes);
  return kept;
}

void* arena_allocate(std::size_t bytes, std::size_t alignment) {
  if (state.generation == generation_none) unusable_outside();  // the next run would hand the memory out again
  arena& a = memory();
  const std::size_t size_class = class_of(bytes);
  if (free_block* block = a.free[size_class]; block != nullptr && alignment <= granule) {
    instrumentation::unpoison(block, std::max(bytes, sizeof(free_block)));
    a.free[size_class] = block->next;
    return block;
  }
  void* fresh = a.bump(bytes_of(size_class), std::max(alignment, granule));
  instrumentation::unpoison(fresh, bytes);
  return fresh;
}

void arena_deallocate(void* block, std::size_t bytes) noexcept {
  if (state.generation == generation_none) return;  // the run is over and its memory gone
  // To ThreadSanitizer, a block that changes hands within a run would be one object without synchronisation between its users.
  if constexpr (instrumentation::on) return;
  arena& a = memory();
  const std::size_t size_class = class_of(bytes);
  instrumentation::unpoison(block, sizeof(free_block));  // what was asked for may be smaller
  a.free[size_class] = new (block) free_block{a.free[size_class]};
  instrumentation::poison(block, bytes_of(size_class));
  a.free_used = true;
}

}  // namespace kvrace::detail
