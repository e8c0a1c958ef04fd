// prove() by execution graphs: the outer loop.
#pragma once

#include <kvrace/check.h>

#include "runtime/execution.h"

namespace kvrace::detail {

// Whether these options ask for graphs. Throws std::invalid_argument for what does not go together.
[[nodiscard]] bool by_graphs(const prove_options& options);
[[nodiscard]] result prove_by_graphs(const prove_options& options, const program& tested, execution& execution);

}  // namespace kvrace::detail
