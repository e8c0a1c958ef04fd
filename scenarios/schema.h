// Validates a document against reports/schema/scenario.schema.json.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "reports/input_error.h"

namespace kvrace::scenarios {

using reports::input_error;

// The first mismatch in the order of the document's keys, in the schema's own terms; nullopt if the document is valid.
[[nodiscard]] std::optional<input_error> check_schema(const nlohmann::json& document);

}  // namespace kvrace::scenarios
