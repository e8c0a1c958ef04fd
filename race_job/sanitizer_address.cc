#include <execinfo.h>

#include <cstring>

#include <sanitizer/asan_interface.h>

#include <kvrace/run.h>

#include "race_job/report_buffer.h"

extern "C" {
// Stacks are made readable once, at the end. What the tasks of a run that was cut short own is never unwound: no leaks.
const char* __asan_default_options() {
  return "halt_on_error=0:suppress_equal_pcs=0:detect_leaks=0:symbolize=0:exitcode=0:log_path=/dev/null:quarantine_size_mb=64";
}
void __asan_on_error();
}

namespace kvrace::race_job {

namespace {
report_buffer buffer;
}

void set_kind(raw_report& report, const char* kind) { std::strncpy(report.kind.data(), kind, report.kind.size() - 1); }

const char* sanitizer_name() { return "address"; }
std::span<const raw_report> reports() { return buffer.kept(); }
std::uint64_t reports_made() { return buffer.made(); }
void forget_reports() { buffer.clear(); }
void watch_engine() { detail::instrumentation::watch_memory = true; }

static void keep() {
  raw_report& kept = buffer.add();
  set_kind(kept, __asan_get_report_description());
  kept.step = run::step();
  kept.accesses = 1;
  access& noticed = kept.access_of[0];
  noticed.write = __asan_get_report_access_type() != 0;
  noticed.bytes = static_cast<unsigned>(__asan_get_report_access_size());
  noticed.task = static_cast<int>(run::task());
  // The frames of the report itself come first.
  void* frames[64];
  const int count = ::backtrace(frames, 64);
  void* at = __asan_get_report_pc();
  int first = 0;
  while (first < count && frames[first] != at) ++first;
  if (first == count) {
    noticed.stack[0] = reinterpret_cast<std::uintptr_t>(at);
    return;
  }
  for (std::size_t i = 0; i < noticed.stack.size() && first < count; ++i, ++first)
    noticed.stack[i] = reinterpret_cast<std::uintptr_t>(frames[first]);
}

}  // namespace kvrace::race_job

void __asan_on_error() { kvrace::race_job::keep(); }
