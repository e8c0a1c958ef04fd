// prove() by execution graphs: the outer loop.
#pragma once

#include <functional>

#include <kvrace/check.h>

#include "runtime/execution.h"

namespace kvrace::detail {

// Whether these options ask for graphs. Throws std::invalid_argument for what does not go together.
[[nodiscard]] bool by_graphs(const prove_options& options);
// Executes a schedule once more and records it; `*reproduced` is whether it fails again.
using record_schedule = std::function<finding(const schedule& schedule, std::uint64_t run, bool* reproduced)>;
[[nodiscard]] result prove_by_graphs(const prove_options& options, const program& tested, execution& execution,
                                     const record_schedule& record);

}  // namespace kvrace::detail
