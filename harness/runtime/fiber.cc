// Measured facts behind this file: a direct context::resume() costs about 12 ns, a pass through the scheduler 69 ns; parking and
// shutdown therefore use Boost.Fiber's scheduler, and switches within a run never do.
#include "runtime/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cxxabi.h>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include <boost/fiber/context.hpp>
#include <boost/fiber/fiber.hpp>
#include <boost/fiber/operations.hpp>

#include "runtime/instrumentation.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KVRACE_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define KVRACE_ASAN 1
#endif
#if defined(KVRACE_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif

namespace kvrace::detail {

namespace {

// The per-thread exception state of the Itanium C++ ABI (2.2.2). It must follow the fiber: a switch inside a catch block would
// otherwise hand one task's exception to another.
struct exception_globals {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

// Debian builds and ours agree on 4 KiB pages; sysconf is asked all the same.
std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

struct stack_memory {
  void* base = nullptr;
  std::size_t bytes = 0;  // with the guard page
  void* top = nullptr;
};

// A guard page below; tops are staggered so that stacks do not compete for the same cache sets.
stack_memory stack_map(unsigned index) {
  const std::size_t bytes = fiber_stack_bytes + page_bytes() * 2;
  void* base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (base == MAP_FAILED || ::mprotect(base, page_bytes(), PROT_NONE) != 0) {
    std::fputs("kvrace: no memory for the stack of a task\n", stderr);
    std::exit(70);
  }
  const std::size_t stagger = (index * 1088) % page_bytes() & ~std::size_t{63};
  return {base, bytes, static_cast<char*>(base) + bytes - stagger};
}

// Boost.Context's StackAllocator concept over memory that outlives the fiber.
struct mapped_stack {
  stack_memory memory;
  boost::context::stack_context allocate() {
    boost::context::stack_context context;
    context.sp = memory.top;
    context.size = static_cast<std::size_t>(static_cast<char*>(memory.top) - static_cast<char*>(memory.base)) - page_bytes();
    return context;
  }
  void deallocate(boost::context::stack_context&) noexcept {}
};

}  // namespace

class thread_runtime;

struct fiber {
  boost::fibers::context* context = nullptr;
  thread_runtime* owner = nullptr;
  exception_globals exceptions;
  exception_globals exceptions_outside;  // of the host: its caller's
  bool abandoned = false;
  std::array<void*, 5> restart{};  // for __builtin_longjmp
  fiber_entry entry = nullptr;
  stack_memory stack;
  boost::fibers::fiber handle;
  instrumentation::task instrumented;
#if defined(KVRACE_ASAN)
  void* fake_stack = nullptr;
  const void* bounds_bottom = nullptr;
  std::size_t bounds_bytes = 0;
#endif
};

class thread_runtime {
 public:
  thread_runtime() : globals_(reinterpret_cast<exception_globals*>(abi::__cxa_get_globals())) {
    host_.context = boost::fibers::context::active();  // before our own registration for destruction: Boost's outlives us
    host_.owner = this;
    running_ = &host_;
  }
  thread_runtime(const thread_runtime&) = delete;
  thread_runtime& operator=(const thread_runtime&) = delete;
  ~thread_runtime();

  fiber& host() { return host_; }
  exception_globals* globals() { return globals_; }
  [[nodiscard]] bool stopping() const { return stopping_; }
  fiber* worker(unsigned index, fiber_entry entry);
  [[nodiscard]] void* guarding(const void* address) const;

  // AddressSanitizer is told of every switch: before it, and by the fiber that arrives.
  void departs(fiber* from, fiber* to);
  void departs_for_good(fiber* from);  // to the host
  void arrives(fiber* at);

 private:
  void work(fiber* self);

  fiber host_;
  std::array<std::unique_ptr<fiber>, fibers_max> workers_;
  exception_globals* globals_;
  bool stopping_ = false;
  fiber* running_ = nullptr;  // kept for AddressSanitizer only
};

namespace {

thread_runtime& runtime() {
  static thread_local thread_runtime instance;
  return instance;
}
// A copy of what the switch needs: one load instead of a thread-local lookup. Runs never overlap between threads.
thread_runtime* active_runtime = nullptr;

}  // namespace

#if defined(KVRACE_ASAN)
void thread_runtime::departs(fiber* from, fiber* to) {
  __sanitizer_start_switch_fiber(&from->fake_stack, to->bounds_bottom, to->bounds_bytes);
}
void thread_runtime::departs_for_good(fiber*) {
  __sanitizer_start_switch_fiber(nullptr, host_.bounds_bottom, host_.bounds_bytes);
}
void thread_runtime::arrives(fiber* at) {
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(at->fake_stack, &bottom, &bytes);
  running_->bounds_bottom = bottom;  // of the one that was left: how the host's bounds become known
  running_->bounds_bytes = bytes;
  running_ = at;
}
#else
inline void thread_runtime::departs(fiber*, fiber*) {}
inline void thread_runtime::departs_for_good(fiber*) {}
inline void thread_runtime::arrives(fiber*) {}
#endif

namespace {

// Nothing that tasks own is freed when a run is cut: LeakSanitizer must not look at what is allocated within runs.
void leaks_expected([[maybe_unused]] bool expected) {
#if defined(KVRACE_ASAN)
  expected ? __lsan_disable() : __lsan_enable();
#endif
}

// Everything above the frame of the setjmp is gone. Frees the fake frames and unpoisons the stack.
[[noreturn]] void drop_frames(fiber* of) {
#if defined(KVRACE_ASAN)
  __asan_handle_no_return();
#endif
  __builtin_longjmp(of->restart.data(), 1);
}

__attribute__((noinline)) void worker_loop(fiber* self) {
  (void)__builtin_setjmp(self->restart.data());
  // Also when it was abandoned before its first resumption.
  self->abandoned = false;
  while (!self->owner->stopping()) self->entry();
}

}  // namespace

// On its own stack. The creator waits; every later resumption comes from fiber_switch, the last from the destructor.
void thread_runtime::work(fiber* self) {
  fiber* creator = running_;
  self->context = boost::fibers::context::active();
  arrives(self);
  departs(self, creator);
  self->context->suspend();
  arrives(self);
  worker_loop(self);
  departs_for_good(self);
}

fiber* thread_runtime::worker(unsigned index, fiber_entry entry) {
  auto& place = workers_[index];
  if (place) return place.get();
  place = std::make_unique<fiber>();
  fiber* self = place.get();
  fiber* creator = running_;
  self->owner = this;
  self->entry = entry;
  self->stack = stack_map(index);
#if defined(KVRACE_ASAN)
  self->bounds_bottom = static_cast<char*>(self->stack.base) + page_bytes();
  self->bounds_bytes = fiber_stack_bytes + page_bytes();
#endif
  departs(creator, self);
  self->handle = boost::fibers::fiber(boost::fibers::launch::dispatch, std::allocator_arg, mapped_stack{self->stack},
                                      [self] { self->owner->work(self); });
  arrives(creator);
  self->instrumented.make(index == 0 ? fibers_max : index);
  return self;
}

void* thread_runtime::guarding(const void* address) const {
  for (const auto& worker : workers_) {
    if (!worker) continue;
    auto* const base = static_cast<std::byte*>(worker->stack.base);
    if (address >= base && address < base + page_bytes()) return base + page_bytes() + fiber_stack_bytes / 2;
  }
  return nullptr;
}

thread_runtime::~thread_runtime() {
  stopping_ = true;
  for (auto& worker : workers_) {
    if (!worker) continue;
    fiber_abandon(worker.get());
    departs(&host_, worker.get());
    boost::fibers::context::active()->schedule(worker->context);
    worker->handle.join();
    arrives(&host_);
    ::munmap(worker->stack.base, worker->stack.bytes);
  }
}

fiber* fiber_host() {
  active_runtime = &runtime();
  return &active_runtime->host();
}

void* fiber_guarding(const void* address) { return active_runtime == nullptr ? nullptr : active_runtime->guarding(address); }

fiber* fiber_worker(unsigned index, fiber_entry entry) { return active_runtime->worker(index, entry); }

void fiber_switch(fiber* from, fiber* to) {
  thread_runtime* thread = from->owner;
  exception_globals* globals = thread->globals();
  from->exceptions = *globals;
  *globals = to->exceptions;
  thread->departs(from, to);
  to->instrumented.resume();
  to->context->resume();
  thread->arrives(from);
  if (from->abandoned) [[unlikely]] {
    from->abandoned = false;
    *globals = {};  // it may have been abandoned inside a handler
    drop_frames(from);
  }
}

void fiber_abandon(fiber* which) {
  which->abandoned = true;
  which->exceptions = {};
}

__attribute__((noinline)) bool fiber_run_on_host(void (*body)()) {
  fiber& host = active_runtime->host();
  // The caller may be inside a handler itself; the body starts without, and the caller gets it back.
  host.exceptions_outside = *active_runtime->globals();
  *active_runtime->globals() = {};
  host.abandoned = false;
  leaks_expected(true);
  host.instrumented.body_begins();
  const bool returned = __builtin_setjmp(host.restart.data()) == 0;
  if (returned) body();
  active_runtime->host().instrumented.body_ended(!returned);
  leaks_expected(false);
  *active_runtime->globals() = active_runtime->host().exceptions_outside;
  return returned;
}

void fiber_run_over(fiber* which) { which->instrumented.run_over(which->abandoned); }

void fiber_leave_host() { drop_frames(&active_runtime->host()); }

}  // namespace kvrace::detail
