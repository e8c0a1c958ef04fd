// Follows a schedule, and the baseline where the schedule says nothing.
#pragma once

#include <memory>

#include <kvrace/schedule.h>
#include <kvrace/strategy.h>

namespace kvrace::detail {

[[nodiscard]] std::unique_ptr<strategy> make_replay(schedule schedule);

}  // namespace kvrace::detail
