// The only place that asks how much memory is in use: budgets, never decisions.
#pragma once

#include <cstdint>

namespace kvrace::detail {

// Memory that this process and the processes it has forked have in use, in bytes: what several share counts once. What the system
// does not tell counts as nothing.
[[nodiscard]] std::uint64_t memory_in_use_bytes();

[[nodiscard]] inline bool exceeds_memory(std::uint64_t bytes_max) { return bytes_max != 0 && memory_in_use_bytes() > bytes_max; }

}  // namespace kvrace::detail
