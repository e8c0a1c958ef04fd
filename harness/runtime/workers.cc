#include "runtime/workers.h"

#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <system_error>
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
    : jobs_(jobs), first_(first), last_(last), block_runs_(block_runs) {
  for (unsigned job = 0; job < jobs; ++job) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "kvrace: a pipe to a worker process");
    const pid_t id = ::fork();
    if (id < 0) throw std::system_error(errno, std::generic_category(), "kvrace: a worker process");
    if (id == 0) {
      ::close(ends[0]);
      work_as(job, ends[1], execute);
    }
    ::close(ends[1]);
    processes_.push_back({id, ends[0]});
  }
}

workers::~workers() {
  for (const process& each : processes_) {
    ::kill(each.id, SIGKILL);
    ::close(each.pipe);
  }
  for (const process& each : processes_) (void)how_it_ended(each.id);
}

void workers::work_as(unsigned job, int pipe, const work& execute) const {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGINT, SIG_IGN);  // the parent decides what an interrupt means
  ::signal(SIGPIPE, SIG_IGN);
  const std::uint64_t stride = block_runs_ * jobs_;
  for (std::uint64_t at = first_ + job * block_runs_; at < last_; at += std::min(stride, last_ - at)) {
    const run_block block = execute(at, at + std::min(block_runs_, last_ - at));
    const header head{block.counts, block.runs_outside, {block.metrics.size(), block.schedules.size(), block.failures.size()}};
    if (!send_bytes(pipe, &head, sizeof head) || !send_all(pipe, block.metrics) || !send_all(pipe, block.schedules) ||
        !send_all(pipe, block.failures))
      break;
  }
  ::_exit(0);  // nothing of the parent's is to be flushed or destroyed here
}

void workers::receive(const process& from, void* into, std::size_t bytes) const {
  if (receive_bytes(from.pipe, into, bytes)) return;
  throw std::runtime_error("kvrace: a worker process " + how_it_ended(from.id) + " in the runs from " + std::to_string(first_) +
                           " on: repeat them with one job to see where");
}

workers::next_is workers::next(run_block& block) {
  if (first_ >= last_) return next_is::end;
  const process& from = processes_[turn_];
  pollfd wanted{from.pipe, POLLIN, 0};
  if (::poll(&wanted, 1, 100) <= 0) return next_is::nothing_yet;
  header head{};
  receive(from, &head, sizeof head);
  block.counts = head.counts;
  block.runs_outside = head.runs_outside;
  block.metrics.resize(head.sizes[0]);
  block.schedules.resize(head.sizes[1]);
  block.failures.resize(head.sizes[2]);
  receive(from, block.metrics.data(), block.metrics.size() * sizeof block.metrics[0]);
  receive(from, block.schedules.data(), block.schedules.size() * sizeof block.schedules[0]);
  receive(from, block.failures.data(), block.failures.size() * sizeof block.failures[0]);
  first_ += std::min(block_runs_, last_ - first_);
  turn_ = (turn_ + 1) % jobs_;
  return next_is::block;
}

}  // namespace kvrace::detail
