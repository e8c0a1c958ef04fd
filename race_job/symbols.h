// Program counters of this program as lines of source.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kvrace::race_job {

class symbols {
 public:
  // Looks them all up at once, with addr2line. An address is that of the instruction after a call.
  void look_up(const std::vector<std::uintptr_t>& addresses);

  // The frames of the code under test, innermost first, inlined ones too: "FILE:LINE in FUNCTION". Frames of the engine, of its
  // headers and of the standard library are left out, unless there are no others.
  [[nodiscard]] std::vector<std::string> frames_of(const std::vector<std::uintptr_t>& stack) const;

 private:
  std::map<std::uintptr_t, std::vector<std::string>> known_;
};

}  // namespace kvrace::race_job
