// The claim of a result as a sentence that says what was done, and nothing more.
#pragma once

#include <string>

#include <kvrace/check.h>
#include <kvrace/result.h>

namespace kvrace::detail {

[[nodiscard]] std::string claim_of(const result& result, const limits& limits, const std::optional<strategy::probability_bound>& bound);

}  // namespace kvrace::detail
