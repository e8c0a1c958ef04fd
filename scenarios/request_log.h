// Which requests of a run of traffic stood behind given steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/traffic.h"

namespace kvrace::scenarios {

// Keeps what it was asked for, so that memory does not grow with the requests.
class request_log {
 public:
  struct moment {
    unsigned task = 0;
    std::uint64_t step = 0;
  };
  struct request {
    unsigned task = 0;
    std::uint64_t step = 0;  // executed before it began
    arrival what;
  };

  request_log(std::vector<moment> wanted, std::uint64_t end);
  void begin_run();
  // A request of `task` begins, after `step` visible operations.
  void begins(unsigned task, std::uint64_t step, const arrival& what);

  // The request which each moment's task was busy with, in the order of the moments; nullopt if it had not begun one.
  [[nodiscard]] const std::vector<std::optional<request>>& wanted() const { return requests_; }
  // The last invalidation that began before the end.
  [[nodiscard]] const std::optional<request>& last_invalidation() const { return invalidation_; }

 private:
  std::vector<moment> moments_;
  std::uint64_t end_;
  std::vector<std::optional<request>> requests_;
  std::optional<request> invalidation_;
};

}  // namespace kvrace::scenarios
