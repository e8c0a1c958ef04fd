#include <kvrace/shared_work.h>

#include <poll.h>

#include <algorithm>
#include <stdexcept>

#include "runtime/forked.h"
#include "runtime/pipes.h"
#include "runtime/stopwatch.h"

namespace kvrace {
namespace {

void receive(detail::forked_processes& processes, unsigned job, std::uint64_t piece, void* into, std::size_t bytes) {
  if (detail::receive_bytes(processes.pipe_of(job), into, bytes)) return;
  throw std::runtime_error("kvrace: a worker process " + processes.how_it_ended(job) + " at piece " + std::to_string(piece) +
                           " of the work: do it with one job to see why");
}

// Both return false if they were told to end.
bool do_alone(const shared_work& what, double started_s) {
  for (std::uint64_t piece = 0; piece < what.pieces; ++piece) {
    if (!what.go_on(detail::monotonic_time_s() - started_s)) return false;
    what.take(piece, what.work(piece));
  }
  return true;
}

bool do_in_processes(unsigned jobs, const shared_work& what, double started_s) {
  detail::forked_processes processes(jobs, [&](unsigned job, int pipe) {
    for (std::uint64_t piece = job; piece < what.pieces; piece += jobs) {
      const std::string came_to = what.work(piece);
      const std::uint64_t bytes = came_to.size();
      if (!detail::send_bytes(pipe, &bytes, sizeof bytes) || !detail::send_bytes(pipe, came_to.data(), came_to.size())) return;
    }
  });
  std::string came_to;
  for (std::uint64_t piece = 0; piece < what.pieces;) {
    if (!what.go_on(detail::monotonic_time_s() - started_s)) return false;
    const auto job = static_cast<unsigned>(piece % jobs);
    pollfd wanted{processes.pipe_of(job), POLLIN, 0};
    if (::poll(&wanted, 1, 100) <= 0) continue;
    std::uint64_t bytes = 0;
    receive(processes, job, piece, &bytes, sizeof bytes);
    came_to.resize(bytes);
    receive(processes, job, piece, came_to.data(), came_to.size());
    what.take(piece++, came_to);
  }
  return true;
}

}  // namespace

shared_work_done do_shared(unsigned jobs, const shared_work& what) {
  const double started_s = detail::monotonic_time_s();
  jobs = static_cast<unsigned>(std::min<std::uint64_t>(jobs, what.pieces));
  const bool complete = jobs <= 1 ? do_alone(what, started_s) : do_in_processes(jobs, what, started_s);
  return {complete, detail::monotonic_time_s() - started_s};
}

}  // namespace kvrace
