#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/report.h"

namespace kvrace::reports {
namespace {

std::string failure(const std::string& path, const char* action) {
  return path + ": cannot " + action + ": " + std::strerror(errno);
}

bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A link keeps pointing where it points: what it names is replaced.
std::string resolved(const std::string& path) {
  std::string target = path;
  if (char* real = ::realpath(path.c_str(), nullptr)) {
    target = real;
    std::free(real);
  }
  return target;
}

// A pipe or a device cannot be replaced, and has no half-written state to hide.
bool is_special(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

std::optional<std::string> write_special(const std::string& path, std::string_view content) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return failure(path, "open");
  const bool written = write_all(descriptor, content);
  const std::optional<std::string> error = written ? std::nullopt : std::optional(failure(path, "write"));
  ::close(descriptor);
  return error;
}

// A file that gets its name only once it is whole, so that a killed process leaves nothing behind. Where the file system has
// no nameless files it has its name from the start.
class new_file {
 public:
  explicit new_file(const std::string& path) : name_(path + "." + std::to_string(::getpid()) + ".new") {
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    nameless_ = descriptor_ >= 0;
    if (!nameless_) descriptor_ = ::open(name_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  }
  new_file(const new_file&) = delete;
  new_file& operator=(const new_file&) = delete;
  ~new_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  [[nodiscard]] bool open() const { return descriptor_ >= 0; }
  bool write(std::string_view content) { return write_all(descriptor_, content) && ::fsync(descriptor_) == 0; }
  bool move_to(const std::string& path) {
    if (nameless_) {
      const std::string self = "/proc/self/fd/" + std::to_string(descriptor_);
      ::unlink(name_.c_str());
      if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name_.c_str(), AT_SYMLINK_FOLLOW) != 0) return false;
    }
    return std::rename(name_.c_str(), path.c_str()) == 0;
  }
  void discard() const {
    const int reason = errno;
    ::unlink(name_.c_str());
    errno = reason;
  }

 private:
  std::string name_;
  int descriptor_ = -1;
  bool nameless_ = false;
};

}  // namespace

std::optional<std::string> write_file(const std::string& path, std::string_view content) {
  if (path.empty()) return "cannot write a file without a name";
  const std::string target = resolved(path);
  if (is_special(target)) return write_special(path, content);

  new_file file(target);
  if (!file.open()) return failure(path, "create");
  const char* action = !file.write(content) ? "write" : !file.move_to(target) ? "replace" : nullptr;
  if (action == nullptr) return std::nullopt;
  file.discard();
  return failure(path, action);
}

}  // namespace kvrace::reports
