// The memory of one run: closures, Sync::allocator and Sync::make. Dropped as a whole when the run ends.
#pragma once

#include <cstddef>

namespace kvrace::detail {

// At the start of a run and at its end.
void arena_open();
void arena_close();
// Memory that is never recycled within the run.
[[nodiscard]] void* arena_keep(std::size_t bytes, std::size_t alignment);

}  // namespace kvrace::detail
