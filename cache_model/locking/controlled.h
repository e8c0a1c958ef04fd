// The caches under test: the locking strategies over kvrace::sync.
//
// They are a translation unit of their own, which sanitizers look into; whoever drives and judges a cache is another.
#pragma once

#include <memory>
#include <string_view>

#include <kvrace/cache/prefix_cache.h>
#include <kvrace/sync.h>

namespace kvrace::cache {

// Requires a name from locking_strategies().
[[nodiscard]] std::unique_ptr<prefix_cache<sync>> make_controlled_cache(std::string_view locking, const cache_parameters&);

}  // namespace kvrace::cache
