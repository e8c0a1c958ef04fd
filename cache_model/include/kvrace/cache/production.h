// The caches without a scheduler: the same code over the primitives of std.
#pragma once

#include <memory>
#include <string_view>

#include <kvrace/cache/prefix_cache.h>
#include <kvrace/std_sync.h>

namespace kvrace::cache {

// Requires a name from locking_strategies().
[[nodiscard]] std::unique_ptr<prefix_cache<std_sync>> make_production_cache(std::string_view locking, const cache_parameters&);

}  // namespace kvrace::cache
