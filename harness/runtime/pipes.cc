#include "runtime/pipes.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace kvrace::detail {

bool send_bytes(int pipe, const void* from, std::size_t bytes) {
  const auto* at = static_cast<const std::byte*>(from);
  while (bytes > 0) {
    const ssize_t sent = ::write(pipe, at, bytes);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_bytes(int pipe, void* into, std::size_t bytes) {
  auto* at = static_cast<std::byte*>(into);
  while (bytes > 0) {
    const ssize_t got = ::read(pipe, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

std::string how_it_ended(pid_t process) {
  int status = 0;
  if (::waitpid(process, &status, 0) != process) return "has gone";
  if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace kvrace::detail
