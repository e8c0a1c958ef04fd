#include "runtime/memory_use.h"

#include <fstream>
#include <limits>
#include <string>

namespace kvrace::detail {

namespace {

// The proportional set size: a page that n processes share is an nth part of it in each (proc(5)).
std::uint64_t in_use_bytes(const std::string& process) {
  std::ifstream file("/proc/" + process + "/smaps_rollup");
  for (std::string word; file >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "Pss:" && file >> kilobytes) return kilobytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

}  // namespace

std::uint64_t memory_in_use_bytes() {
  std::uint64_t bytes = in_use_bytes("self");
  std::ifstream children("/proc/thread-self/children");
  for (std::string process; children >> process;) bytes += in_use_bytes(process);
  return bytes;
}

}  // namespace kvrace::detail
