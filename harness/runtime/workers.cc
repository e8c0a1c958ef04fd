#include "runtime/workers.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "runtime/pipes.h"

namespace kvrace::detail {

namespace {

static_assert(std::is_trivially_copyable_v<search_counts>);

struct header {
  search_counts counts;
  std::uint64_t runs_outside;
  std::array<std::uint64_t, 3> sizes;
};

template <class T>
bool send_all(int pipe, const std::vector<T>& items) {
  return send_bytes(pipe, items.data(), items.size() * sizeof(T));
}

}  // namespace

workers::workers(unsigned jobs, std::uint64_t first, std::uint64_t last, std::uint64_t block_runs, const work& execute)
    : jobs_(jobs), first_(first), last_(last), block_runs_(block_runs), processes_(jobs, [&](unsigned job, int pipe) {
        work_as(job, pipe, execute);
      }) {}

void workers::work_as(unsigned job, int pipe, const work& execute) const {
  const std::uint64_t stride = block_runs_ * jobs_;
  for (std::uint64_t at = first_ + job * block_runs_; at < last_; at += std::min(stride, last_ - at)) {
    const run_block block = execute(at, at + std::min(block_runs_, last_ - at));
    const header head{block.counts, block.runs_outside, {block.metrics.size(), block.schedules.size(), block.failures.size()}};
    if (!send_bytes(pipe, &head, sizeof head) || !send_all(pipe, block.metrics) || !send_all(pipe, block.schedules) ||
        !send_all(pipe, block.failures))
      break;
  }
}

void workers::receive(void* into, std::size_t bytes) {
  if (receive_bytes(processes_.pipe_of(turn_), into, bytes)) return;
  throw std::runtime_error("kvrace: a worker process " + processes_.how_it_ended(turn_) + " in the runs from " +
                           std::to_string(first_) + " on: repeat them with one job to see where");
}

workers::next_is workers::next(run_block& block) {
  if (first_ >= last_) return next_is::end;
  pollfd wanted{processes_.pipe_of(turn_), POLLIN, 0};
  if (::poll(&wanted, 1, 100) <= 0) return next_is::nothing_yet;
  header head{};
  receive(&head, sizeof head);
  block.counts = head.counts;
  block.runs_outside = head.runs_outside;
  block.metrics.resize(head.sizes[0]);
  block.schedules.resize(head.sizes[1]);
  block.failures.resize(head.sizes[2]);
  receive(block.metrics.data(), block.metrics.size() * sizeof block.metrics[0]);
  receive(block.schedules.data(), block.schedules.size() * sizeof block.schedules[0]);
  receive(block.failures.data(), block.failures.size() * sizeof block.failures[0]);
  first_ += std::min(block_runs_, last_ - first_);
  turn_ = (turn_ + 1) % jobs_;
  return next_is::block;
}

}  // namespace kvrace::detail
