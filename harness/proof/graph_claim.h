#pragma once

#include <optional>
#include <string>

#include <kvrace/check.h>

#include "proof/graph_account.h"
#include "proof/graph_estimate.h"

namespace kvrace::detail {

// The verdict of a proof by execution graphs as a sentence, with every bound that applied.
// `estimate` of what a budget has ended.
[[nodiscard]] std::string claim_of_graphs(const result& result, const limits& limits,
                                          const std::optional<work_estimate>& estimate);
[[nodiscard]] graph_certificate certificate_of(const result& result, const limits& limits, const graph_account& account);

}  // namespace kvrace::detail
