// Not instrumented: it runs inside ThreadSanitizer's report of a race, and a race in it would wait for itself.
#include <cstdlib>
#include <cstring>

#include <kvrace/run.h>

#include "race_job/report_buffer.h"

namespace __tsan {
struct ReportDesc;
bool OnReport(const ReportDesc* report, bool suppressed);
}  // namespace __tsan

extern "C" {
int __tsan_get_report_data(void* report, const char** description, int* count, int* stack_count, int* mop_count, int* loc_count,
                           int* mutex_count, int* thread_count, int* unique_tid_count, void** sleep_trace,
                           unsigned long trace_size);
int __tsan_get_report_mop(void* report, unsigned long index, int* tid, void** address, int* size, int* write, int* atomic,
                          void** trace, unsigned long trace_size);
int __tsan_get_report_thread(void* report, unsigned long index, int* tid, unsigned long* os_id, int* running, const char** name,
                             int* parent_tid, void** trace, unsigned long trace_size);

// Stacks are made readable once, at the end. Deadlocks, leaks and misuse of locks are the engine's business: what an abandoned
// run leaves locked is none.
const char* __tsan_default_options() {
  return "exitcode=0:symbolize=0:suppress_equal_stacks=0:suppress_equal_addresses=0:detect_deadlocks=0:report_thread_leaks=0:"
         "report_destroy_locked=0:report_mutex_bugs=0:report_signal_unsafe=0:report_bugs=1:history_size=4:atexit_sleep_ms=0";
}
}

namespace kvrace::race_job {

namespace {

report_buffer buffer;

// Fibers are named by the task they run.
int task_of(void* report, int threads, int tid) {
  for (int i = 0; i < threads; ++i) {
    int listed = 0;
    int running = 0;
    int parent = 0;
    unsigned long os_id = 0;
    const char* name = nullptr;
    void* trace[1];
    __tsan_get_report_thread(report, static_cast<unsigned long>(i), &listed, &os_id, &running, &name, &parent, trace, 0);
    if (listed == tid && name != nullptr && name[0] >= '0' && name[0] <= '9') return std::atoi(name);
  }
  return access::task_unknown;
}

}  // namespace

void set_kind(raw_report& report, const char* kind) { std::strncpy(report.kind.data(), kind, report.kind.size() - 1); }

const char* sanitizer_name() { return "thread"; }
std::span<const raw_report> reports() { return buffer.kept(); }
std::uint64_t reports_made() { return buffer.made(); }
void forget_reports() { buffer.clear(); }
void watch_engine() {}

static void keep(void* report) {
  const char* description = "";
  int count = 0;
  int stacks = 0;
  int accesses = 0;
  int locations = 0;
  int mutexes = 0;
  int threads = 0;
  int tids = 0;
  void* sleep_trace[1];
  __tsan_get_report_data(report, &description, &count, &stacks, &accesses, &locations, &mutexes, &threads, &tids, sleep_trace, 0);
  detail::instrumentation::renew_memory();
  raw_report& kept = buffer.add();
  set_kind(kept, description);
  kept.step = run::step();
  for (int i = 0; i < accesses && kept.accesses < kept.access_of.size(); ++i) {
    access& each = kept.access_of[kept.accesses++];
    int tid = 0;
    void* address = nullptr;
    int size = 0;
    int write = 0;
    int atomic = 0;
    void* trace[std::tuple_size_v<decltype(each.stack)>] = {};
    __tsan_get_report_mop(report, static_cast<unsigned long>(i), &tid, &address, &size, &write, &atomic, trace,
                          each.stack.size());
    each.write = write != 0;
    each.atomic = atomic != 0;
    each.bytes = static_cast<unsigned>(size);
    each.task = task_of(report, threads, tid);
    for (std::size_t frame = 0; frame < each.stack.size(); ++frame)
      each.stack[frame] = reinterpret_cast<std::uintptr_t>(trace[frame]);
  }
}

}  // namespace kvrace::race_job

// Returning true drops the text.
bool __tsan::OnReport(const ReportDesc* report, bool) {
  kvrace::race_job::keep(const_cast<ReportDesc*>(report));
  return true;
}
