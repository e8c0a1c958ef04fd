#include "runtime/stack_overflow.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include <ucontext.h>

#include "runtime/execution.h"
#include "runtime/instrumentation.h"

namespace kvrace::detail {

namespace {

#if defined(__x86_64__) || defined(__aarch64__)
constexpr bool registers_known = true;
#else
constexpr bool registers_known = false;
#endif

// The handler cannot run on the stack that is used up.
alignas(16) std::array<std::byte, std::size_t{64} * 1024> handler_stack;
struct sigaction handled_before{};

// Runs on the task's own stack, over frames that nobody returns to: the run is cut here.
[[noreturn]] void used_up() {
  active->fail_and_end([] {
    const std::string task = "task '" + active->task_name(state.slot) + "'";
    return run_failure{"stack_overflow",
                       task,
                       task + " used up its stack of " + std::to_string(fiber_stack_bytes / 1024) +
                           " KiB: a recursion without end, or large objects on the stack",
                       {to_site(state.current->where)}};
  });
}

// Goes on in used_up(), in the middle of the stack: the frames at its top are the engine's and needed.
void go_on_in_used_up([[maybe_unused]] ucontext_t& context, [[maybe_unused]] void* middle) {
  [[maybe_unused]] const auto stack = reinterpret_cast<std::uintptr_t>(middle) / 16 * 16;
  [[maybe_unused]] const auto function = reinterpret_cast<std::uintptr_t>(&used_up);
#if defined(__x86_64__)
  context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(stack - sizeof(void*));  // as after a call
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(function);
#elif defined(__aarch64__)
  context.uc_mcontext.sp = stack;
  context.uc_mcontext.pc = function;
#endif
}

void on_fault(int number, siginfo_t* info, void* context) {
  if (void* const middle = state.generation == generation_none ? nullptr : fiber_guarding(info->si_addr)) {
    go_on_in_used_up(*static_cast<ucontext_t*>(context), middle);
    return;
  }
  ::sigaction(number, &handled_before, nullptr);  // and the access is made once more
}

}  // namespace

stack_watch::stack_watch() {
  if (!registers_known || instrumentation::on || instrumentation::checks_memory) return;
  stack_t own{};
  own.ss_sp = handler_stack.data();
  own.ss_size = handler_stack.size();
  struct sigaction handler{};
  handler.sa_sigaction = &on_fault;
  handler.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (::sigaltstack(&own, &stack_before_) != 0) return;
  watches_ = ::sigaction(SIGSEGV, &handler, &faults_before_) == 0;
  handled_before = faults_before_;
}

stack_watch::~stack_watch() {
  if (!watches_) return;
  ::sigaction(SIGSEGV, &faults_before_, nullptr);
  if ((stack_before_.ss_flags & SS_DISABLE) != 0) stack_before_.ss_size = 0;
  ::sigaltstack(&stack_before_, nullptr);
}

}  // namespace kvrace::detail
