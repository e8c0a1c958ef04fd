// Rollouts in the JSON of a report.
#pragma once

#include <nlohmann/json.hpp>

#include "reports/json_node.h"
#include "reports/rollout.h"

namespace kvrace::reports {

[[nodiscard]] nlohmann::ordered_json rollout_to_json(const rollout_facts&);
// Throws input_error.
[[nodiscard]] rollout_facts rollout_from_json(const node&);

}  // namespace kvrace::reports
