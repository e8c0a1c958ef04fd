// What sanitizers are told by the engine; see kvrace/detail/instrumentation.h. To ThreadSanitizer each task is a fiber, and a
// switch orders nothing.
#pragma once

#include <kvrace/detail/instrumentation.h>

#if defined(KVRACE_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace kvrace::detail::instrumentation {

#if defined(KVRACE_TSAN)

// Whether renew_memory() was called since the last call.
[[nodiscard]] bool memory_to_renew();

class task {
 public:
  task() = default;
  task(const task&) = delete;
  task& operator=(const task&) = delete;
  ~task();

  // To be called by the one that spawns the task first: a new fiber knows what its maker knows. `id` is for reports.
  void make(unsigned id);
  // To be called by what runs now, right before this task is resumed.
  void resume();
  // The caller is the program outside of any run. body_begins: what it did precedes the body, which this task is.
  void body_begins();
  void body_ended(bool dropped);
  // The run is over and this task parked or abandoned: what it did precedes all that follows. `dropped`: its frames are.
  void run_over(bool dropped);

 private:
  friend void begin_aside();
  friend void end_aside();
  friend void relaxed_read(const void*);
  friend void relaxed_write(const void*);
  friend void fence(bool, bool);

  unsigned id_ = 0;
  void* fiber_ = nullptr;
  void* acquires_later_ = nullptr;   // knows what the task has read relaxed
  void* released_before_ = nullptr;  // knows what the task knew at its last release fence
  unsigned asides_ = 0;
  bool has_release_fence_ = false;
};

#else

inline bool memory_to_renew() { return false; }

class task {
 public:
  void make(unsigned) {}
  void resume() {}
  void body_begins() {}
  void body_ended(bool) {}
  void run_over(bool) {}
};

#endif

#if defined(KVRACE_ASAN)
inline void poison(const void* memory, std::size_t bytes) { __asan_poison_memory_region(memory, bytes); }
inline void unpoison(const void* memory, std::size_t bytes) { __asan_unpoison_memory_region(memory, bytes); }
#else
inline void poison(const void*, std::size_t) {}
inline void unpoison(const void*, std::size_t) {}
#endif

}  // namespace kvrace::detail::instrumentation
