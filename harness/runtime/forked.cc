#include "runtime/forked.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace kvrace::detail {

forked_processes::forked_processes(unsigned jobs, const work& its_work) {
  for (unsigned job = 0; job < jobs; ++job) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "kvrace: a pipe to a worker process");
    const pid_t id = ::fork();
    if (id < 0) throw std::system_error(errno, std::generic_category(), "kvrace: a worker process");
    if (id == 0) {
      ::close(ends[0]);
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::signal(SIGINT, SIG_IGN);  // the parent decides what an interrupt means
      ::signal(SIGPIPE, SIG_IGN);
      try {
        its_work(job, ends[1]);
      } catch (...) {
        ::_exit(70);
      }
      ::_exit(0);
    }
    ::close(ends[1]);
    processes_.push_back({.id = id, .pipe = ends[0]});
  }
}

forked_processes::~forked_processes() {
  for (const process& each : processes_) {
    if (!each.gone) ::kill(each.id, SIGKILL);
    ::close(each.pipe);
  }
  for (process& each : processes_) wait_for(each);
}

void forked_processes::wait_for(process& its) {
  while (!its.gone && ::waitpid(its.id, &its.status, 0) < 0 && errno == EINTR) {
  }
  its.gone = true;
}

bool forked_processes::ended_well(unsigned job) {
  wait_for(processes_[job]);
  return processes_[job].status == 0;
}

std::string forked_processes::how_it_ended(unsigned job) {
  wait_for(processes_[job]);
  const int status = processes_[job].status;
  if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace kvrace::detail
