#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

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

// A pipe or a device cannot be replaced, and has no half-written state to hide.
bool is_special(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

std::optional<std::string> write_special(const std::string& path, std::string_view content) {
  // A pipe without a reader is an error, not something to wait for.
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return failure(path, "open");
  ::fcntl(descriptor, F_SETFL, O_WRONLY);
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
  // A report that others may not read does not become readable by being written again. A new one has what the umask leaves.
  void take_permissions_of(const std::string& path) const {
    struct stat status{};
    if (::stat(path.c_str(), &status) == 0) static_cast<void>(::fchmod(descriptor_, status.st_mode & 07777U));
  }
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

std::string file_behind(const std::string& path) {
  constexpr int links_max = 40;  // as the kernel follows
  std::filesystem::path file = path;
  std::error_code none;
  for (int i = 0; i < links_max && std::filesystem::is_symlink(file, none); ++i) {
    const std::filesystem::path target = std::filesystem::read_symlink(file, none);
    if (none) break;
    file = file.parent_path() / target;
  }
  return file.string();
}

std::optional<std::string> write_file(const std::string& path, std::string_view content) {
  if (path.empty()) return "cannot write a file without a name";
  if (is_special(path)) return write_special(path, content);
  const std::string target = file_behind(path);

  new_file file(target);
  if (!file.open()) return failure(path, "create");
  file.take_permissions_of(target);
  const char* action = !file.write(content) ? "write" : !file.move_to(target) ? "replace" : nullptr;
  if (action == nullptr) return std::nullopt;
  file.discard();
  return failure(path, action);
}

}  // namespace kvrace::reports
