// An operation as a scenario file spells it.
#pragma once

#include <nlohmann/json.hpp>

#include "scenarios/scenario.h"

namespace kvrace::scenarios {

// What the loader reads as an operation equal to `call`.
[[nodiscard]] nlohmann::ordered_json to_json(const operation& call);

}  // namespace kvrace::scenarios
