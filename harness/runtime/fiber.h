// Persistent fibers that are resumed directly: the runtime's only way to move from one task to another.
//
// fiber.cc is the only file of the project that names Boost.Fiber and the sanitizers' fiber interfaces.
#pragma once

#include <cstddef>

namespace kvrace::detail {

struct fiber;

// What a worker fiber does each time it is armed: runs once per resumption from its parking place.
using fiber_entry = void (*)();

// The calling thread's own context. The first call on a thread prepares its runtime.
[[nodiscard]] fiber* fiber_host();
// Worker number `index` (0 .. fibers_max-1) of the calling thread, created and parked on first use. Its stack has a guard page.
[[nodiscard]] fiber* fiber_worker(unsigned index, fiber_entry entry);
inline constexpr unsigned fibers_max = 64;
inline constexpr std::size_t fiber_stack_bytes = std::size_t{256} * 1024;
// The middle of the stack whose guard page has `address`; null if there is none.
[[nodiscard]] void* fiber_guarding(const void* address);

// Suspends `from` (the running one) and resumes `to`; returns when somebody resumes `from`. If `from` was abandoned meanwhile, it
// does not return: a worker starts its entry afresh, the host returns false from fiber_run_on_host.
void fiber_switch(fiber* from, fiber* to);
// The next resumption of `which` drops everything on its stack without unwinding it.
void fiber_abandon(fiber* which);
// To be called outside of fiber_run_on_host, for every worker that took part in a run.
void fiber_run_over(fiber* which);
// Runs `body` on the host; true if it returned, false if it was abandoned.
[[nodiscard]] bool fiber_run_on_host(void (*body)());
// Drops the host's frames above fiber_run_on_host. To be called on the host itself.
[[noreturn]] void fiber_leave_host();

}  // namespace kvrace::detail
