// Program counters of this program as lines of source.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kvrace::race_job {

// The path of a source as the project knows it. The compiler notes the folder it ran in, relative to the project where it can be,
// and addr2line puts it in front, once or twice: "build/tsan/build/tsan/cache_model/keys.cc" in /anywhere/kvrace/build/tsan/.
[[nodiscard]] std::string project_path(std::string place, std::string_view build_folder);

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
