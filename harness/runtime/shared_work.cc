#include <kvrace/shared_work.h>

#include <poll.h>

#include <algorithm>
#include <stdexcept>

#include "runtime/forked.h"
#include "runtime/pipes.h"

namespace kvrace {
namespace {

void receive(detail::forked_processes& processes, unsigned job, std::uint64_t piece, void* into, std::size_t bytes) {
  if (detail::receive_bytes(processes.pipe_of(job), into, bytes)) return;
  throw std::runtime_error("kvrace: a worker process " + processes.how_it_ended(job) + " at piece " + std::to_string(piece) +
                           " of the work: do it with one job to see why");
}

bool do_alone(const shared_work& what) {
  for (std::uint64_t piece = 0; piece < what.pieces; ++piece) {
    if (!what.go_on()) return false;
    what.take(piece, what.work(piece));
  }
  return true;
}

}  // namespace

bool do_shared(unsigned jobs, const shared_work& what) {
  jobs = static_cast<unsigned>(std::min<std::uint64_t>(jobs, what.pieces));
  if (jobs <= 1) return do_alone(what);
  detail::forked_processes processes(jobs, [&](unsigned job, int pipe) {
    for (std::uint64_t piece = job; piece < what.pieces; piece += jobs) {
      const std::string came_to = what.work(piece);
      const std::uint64_t bytes = came_to.size();
      if (!detail::send_bytes(pipe, &bytes, sizeof bytes) || !detail::send_bytes(pipe, came_to.data(), came_to.size())) return;
    }
  });
  std::string came_to;
  for (std::uint64_t piece = 0; piece < what.pieces;) {
    if (!what.go_on()) return false;
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

}  // namespace kvrace
