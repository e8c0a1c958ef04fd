// What a schema cannot say: names that exist, fields that fit each other.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "reports/input_error.h"
#include "scenarios/scenario.h"

namespace kvrace::scenarios {

using reports::input_error;

// `document` is valid under the schema and `read` holds its plain values; `generated` is its "generate" part.
[[nodiscard]] std::optional<input_error> check_semantics(const nlohmann::json& document, const scenario& read,
                                                         const std::optional<generator>& generated);

}  // namespace kvrace::scenarios
