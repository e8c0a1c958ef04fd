// The memory of one block's rows.
#pragma once

#include <cstdint>
#include <memory>

#include <kvrace/cache/prefix_cache.h>

namespace kvrace::cache {

template <class Sync>
struct rows_of {
  using row = typename Sync::template var<tag>;

  static row* make(std::uint32_t count) {
    row* const rows = memory().allocate(count);
    for (std::uint32_t i = 0; i < count; ++i) std::construct_at(rows + i);
    return rows;
  }
  // Null is none.
  static void destroy(row* rows, std::uint32_t count) {
    if (rows == nullptr) return;
    for (std::uint32_t i = 0; i < count; ++i) std::destroy_at(rows + i);
    memory().deallocate(rows, count);
  }

 private:
  static typename Sync::template allocator<row> memory() { return {}; }
};

}  // namespace kvrace::cache
