#include "scenarios/request_log.h"

#include <utility>

namespace kvrace::scenarios {

request_log::request_log(std::vector<moment> wanted, std::uint64_t end)
    : moments_(std::move(wanted)), end_(end), requests_(moments_.size()) {}

void request_log::begin_run() {
  requests_.assign(moments_.size(), std::nullopt);
  invalidation_.reset();
}

// A request's own first step comes after it began, hence `<`.
void request_log::begins(unsigned task, std::uint64_t step, const arrival& what) {
  for (std::size_t i = 0; i < moments_.size(); ++i)
    if (moments_[i].task == task && step < moments_[i].step) requests_[i] = request{task, step, what};
  if (what.what == arrival::kind::invalidate && step < end_) invalidation_ = request{task, step, what};
}

}  // namespace kvrace::scenarios
