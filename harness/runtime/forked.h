// Processes that work for this one, and end with it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace kvrace::detail {

// Forks `jobs` processes, which inherit all there is. Each does `its_work` with its number and the write end of a pipe, and then
// ends without destroying or flushing anything of its parent's.
class forked_processes {
 public:
  using work = std::function<void(unsigned job, int pipe)>;

  forked_processes(unsigned jobs, const work& its_work);
  forked_processes(const forked_processes&) = delete;
  forked_processes& operator=(const forked_processes&) = delete;
  ~forked_processes();  // ends those that still work

  [[nodiscard]] unsigned jobs() const { return static_cast<unsigned>(processes_.size()); }
  [[nodiscard]] int pipe_of(unsigned job) const { return processes_[job].pipe; }  // the read end
  // Both wait for its end.
  [[nodiscard]] bool ended_well(unsigned job);
  [[nodiscard]] std::string how_it_ended(unsigned job);  // "was ended by signal 9", "ended with exit code 0"

 private:
  struct process {
    pid_t id;
    int pipe;
    int status = 0;
    bool gone = false;
  };
  void wait_for(process& its);

  std::vector<process> processes_;
};

}  // namespace kvrace::detail
