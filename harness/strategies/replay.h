// Follows a schedule, and the baseline where the schedule says nothing.
#pragma once

#include <memory>

#include <kvrace/schedule.h>
#include <kvrace/strategy.h>

namespace kvrace::detail {

class followed_schedule : public strategy {
 public:
  // Every answer of the schedule has been given.
  [[nodiscard]] virtual bool at_its_end() const = 0;
};

[[nodiscard]] std::unique_ptr<followed_schedule> make_replay(schedule schedule);

}  // namespace kvrace::detail
