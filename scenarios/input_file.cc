#include "scenarios/input_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kvrace::scenarios {
namespace {

bool is_named_pipe(const std::string& path) {
  struct stat status{};
  const bool is_open = path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/") || path == "/dev/stdin";
  return !is_open && ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

input_error failed() { return {"", std::string("cannot be read: ") + std::strerror(errno)}; }

}  // namespace

std::variant<input_file, input_error> input_file::open(const std::string& path) {
  // A NUL would cut the name the system sees.
  if (path.empty() || path.find('\0') != std::string::npos) return input_error{"", "expected the name of a file"};
  if (is_named_pipe(path)) return input_error{"", "expected a file, not a named pipe"};
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return failed();
  return input_file(descriptor);
}

input_file::input_file(input_file&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

input_file::~input_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::variant<std::size_t, input_error> input_file::read(std::span<char> to) {
  for (;;) {
    const ssize_t count = ::read(descriptor_, to.data(), to.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return failed();
  }
}

}  // namespace kvrace::scenarios
