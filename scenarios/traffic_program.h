// Traffic as a program the engine can run: one task a worker.
#pragma once

#include <cstdint>
#include <memory>

#include <kvrace/cache/simulation.h>
#include <kvrace/check.h>

#include "scenarios/request_log.h"
#include "scenarios/scenario.h"
#include "scenarios/traffic_account.h"

namespace kvrace::scenarios {

// Where requests go, if not to one cache. What it shares between tasks is bookkeeping.
class traffic_router {
 public:
  virtual ~traffic_router() = default;
  // Makes the caches of a run. What is started beside the workers ends with the traffic.
  virtual std::unique_ptr<cache::simulation> begin_run(kvrace::run&) = 0;
  // The calling worker takes the arrival with this number, and has done with its request.
  virtual void begins(std::uint64_t number) = 0;
  virtual void ended(const traffic_account::ended_request&) = 0;
  // The same, and not bookkeeping.
  virtual void after(const traffic_account::ended_request&) {}
  // All workers are done.
  virtual void end_run() = 0;
};

// Requires a scenario with traffic. `account`, `log` and `router` may be null, where a rollout is a router of its own; they must
// outlive the program. Memory does not grow with the requests, but for a trace's own.
[[nodiscard]] kvrace::program make_traffic_program(const scenario&, traffic_account* account, request_log* log = nullptr,
                                                   traffic_router* router = nullptr);

// Visible operations in one run, generously.
[[nodiscard]] std::uint64_t traffic_steps_max(const traffic&);

}  // namespace kvrace::scenarios
