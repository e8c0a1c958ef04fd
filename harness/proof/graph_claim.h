#pragma once

#include <string>

#include <kvrace/check.h>

namespace kvrace::detail {

// The verdict of a proof by execution graphs as a sentence, with every bound that applied.
[[nodiscard]] std::string claim_of_graphs(const result& result, const limits& limits);

}  // namespace kvrace::detail
