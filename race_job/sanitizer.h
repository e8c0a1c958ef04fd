// The sanitizer this program is compiled with, as a list of reports. One of the sanitizer_*.cc is linked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace kvrace::race_job {

struct access {
  static constexpr int task_unknown = -1;

  bool write = false;
  bool atomic = false;
  unsigned bytes = 0;
  int task = task_unknown;                // id of the task; 0 is the body
  std::array<std::uintptr_t, 12> stack{};  // innermost first, ends at 0
};

struct raw_report {
  std::array<char, 48> kind{};  // in the sanitizer's words: "data-race"
  std::uint64_t step = 0;       // visible operations executed before it
  unsigned accesses = 0;
  std::array<access, 2> access_of{};  // [0] is the one that was noticed
};

// "thread", "address", or "none".
[[nodiscard]] const char* sanitizer_name();

// Reports made since the last call of forget_reports. Of more than reports_max only the number is kept.
inline constexpr std::size_t reports_max = 64;
[[nodiscard]] std::span<const raw_report> reports();
[[nodiscard]] std::uint64_t reports_made();
void forget_reports();

// From now on the engine lets the sanitizer see what it finds by itself: see kvrace/detail/instrumentation.h.
void watch_engine();

}  // namespace kvrace::race_job
