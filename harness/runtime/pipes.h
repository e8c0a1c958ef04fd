// Bytes between this process and those it has forked.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace kvrace::detail {

// False: nobody reads any more.
bool send_bytes(int pipe, const void* from, std::size_t bytes);
// False: the other end was closed first.
[[nodiscard]] bool receive_bytes(int pipe, void* into, std::size_t bytes);
// Waits for the process. "was ended by signal 9"
std::string how_it_ended(pid_t process);

}  // namespace kvrace::detail
