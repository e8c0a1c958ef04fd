// Independent pieces of work, shared by processes. For programs around the harness; a test needs none of it, and kvrace.h has it not.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace kvrace {

struct shared_work {
  std::uint64_t pieces = 0;
  // Does piece `index` and returns what it came to, as bytes. Must not depend on which pieces the process has done before.
  std::function<std::string(std::uint64_t index)> work;
  // Called in this process, in order of the pieces, whoever has done them and however many processes there are.
  std::function<void(std::uint64_t index, const std::string& came_to)> take;
  // Asked several times a second, and between two pieces, how many seconds after the beginning; false ends the work, and the
  // pieces not taken yet are lost.
  std::function<bool(double time_s)> go_on;
};

struct shared_work_done {
  bool complete = false;  // go_on() has not ended it
  double time_s = 0;
};
// In `jobs` processes forked for it, or in this one if that is 1. Throws std::runtime_error if a process dies; what a piece
// throws is lost in another process, and escapes from this one.
shared_work_done do_shared(unsigned jobs, const shared_work& what);

}  // namespace kvrace
