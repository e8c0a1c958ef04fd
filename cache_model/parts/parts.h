// Makes what stands beside the cache, for one run.
#pragma once

#include <cstdint>
#include <memory>

#include <kvrace/cache/parts.h>
#include <kvrace/cache/seams.h>
#include <kvrace/run.h>

#include "cache_model/judge.h"

namespace kvrace::cache {

// Null if there is none. `capacity` is that of the prefix cache, in blocks. Everything that is passed outlives what is returned.
[[nodiscard]] std::unique_ptr<parts> make_parts(run&, const parts_options&, std::uint32_t capacity, const seams&, judge&);

}  // namespace kvrace::cache
