// A task that uses up its stack, as a violation instead of a crash of the whole search.
#pragma once

#include <csignal>

namespace kvrace::detail {

// While one lives, an access to the guard page of a task's stack ends the run with oracle "stack_overflow". Any other fault is
// left to whoever handled faults before. Where a sanitizer watches, or the processor is one whose registers are not known here,
// nothing is watched: there the fault ends the process.
class stack_watch {
 public:
  stack_watch();
  stack_watch(const stack_watch&) = delete;
  stack_watch& operator=(const stack_watch&) = delete;
  ~stack_watch();

 private:
  struct sigaction faults_before_{};
  stack_t stack_before_{};
  bool watches_ = false;
};

}  // namespace kvrace::detail
