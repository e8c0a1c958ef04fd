// The "sweep" part of a scenario file: reading it and checking it.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "reports/input_error.h"
#include "scenarios/scenario.h"

namespace kvrace::scenarios {

// Requires what the schema demands.
[[nodiscard]] sweep sweep_of(const nlohmann::json&);

// What the schema cannot say, of a scenario that has one.
[[nodiscard]] std::optional<reports::input_error> check_sweep(const nlohmann::json& document, const scenario& read);

}  // namespace kvrace::scenarios
