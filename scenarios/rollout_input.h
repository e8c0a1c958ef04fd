// The "rollout" part of a scenario file: reading it and checking it.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "reports/input_error.h"
#include "scenarios/scenario.h"

namespace kvrace::scenarios {

// Requires what the schema demands. `shared`: what "cache" says of all caches.
[[nodiscard]] rollout rollout_of(const nlohmann::json&, const cache::configuration& shared);

// What the schema cannot say, of any scenario.
[[nodiscard]] std::optional<reports::input_error> check_rollout(const nlohmann::json& document, const scenario& read);

}  // namespace kvrace::scenarios
