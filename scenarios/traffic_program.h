// Traffic as a program the engine can run: one task a worker.
#pragma once

#include <kvrace/check.h>

#include "scenarios/request_log.h"
#include "scenarios/scenario.h"
#include "scenarios/traffic_account.h"

namespace kvrace::scenarios {

// Requires a scenario with traffic. `account` and `log` may be null; they must outlive the program. Memory does not grow with the
// requests, but for a trace's own.
[[nodiscard]] kvrace::program make_traffic_program(const scenario&, traffic_account* account, request_log* log = nullptr);

// Visible operations in one run, generously.
[[nodiscard]] std::uint64_t traffic_steps_max(const traffic&);

}  // namespace kvrace::scenarios
