// The state of the one execution in progress, and the few functions on every primitive's fast path.
//
// Internal: nothing here is part of the public contract. It is a header because an announcement that needs no decision must
// cost a handful of instructions inlined into the primitive, not a call.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <kvrace/detail/arena.h>
#include <kvrace/detail/clock.h>
#include <kvrace/detail/instrumentation.h>
#include <kvrace/strategy.h>

namespace kvrace {
class run;
}

namespace kvrace::detail {

using site = std::source_location;

// Generations tell which run an object belongs to. Runs count from generation_first.
inline constexpr std::uint32_t generation_none = 0;       // no run in progress
inline constexpr std::uint32_t generation_destroyed = 1;  // the object has been destroyed
inline constexpr std::uint32_t generation_first = 2;
inline constexpr std::uint32_t generation_outside = ~0U;  // the object was created outside of any run

inline constexpr unsigned slot_none = 0xff;
[[nodiscard]] inline constexpr task_set bit(unsigned slot) { return task_set{1} << slot; }
[[nodiscard]] inline constexpr unsigned lowest(task_set tasks) { return static_cast<unsigned>(std::countr_zero(tasks)); }

enum class object_type : std::uint32_t {
  mutex,
  shared_mutex,
  condition_variable,
  atomic,
  var,
  made,
  semaphore,
  latch,
  barrier,
  once_flag,
  future,
  stop_state,
};

[[nodiscard]] const char* name_of(object_type);

// Identity of a primitive within its run: the slot of the task that created it and that task's creation count.
struct object {
  std::uint32_t generation;
  std::uint32_t id;  // creating slot << 26 | creation index
  object_type type;

  explicit object(object_type);  // takes the next identity of the current task
  object(const object&) = delete;
  object& operator=(const object&) = delete;
};

enum class fault : std::uint8_t { weak_failure, spurious_wakeup, allocation_failure, cancellation, address_reuse };
inline constexpr std::size_t fault_kinds = 5;

struct wait_queue;
class graph_run;
class lock_order;

struct task_record {
  // The announced operation. `object` is null for operations without one.
  operation_kind pending_kind = operation_kind::start;
  bool yielded = false;
  bool timed_out = false;
  bool has_acquire_pending = false;
  bool has_release_fence = false;
  bool finished = false;
  std::uint8_t slot = 0;
  std::uint8_t parent = 0;         // slot of the task that spawned it
  std::uint8_t joins = slot_none;  // slot it waits for in join
  object* pending_object = nullptr;
  site where;
  std::uint64_t operations = 0;  // announced so far
  std::uint32_t objects_created = 0;
  std::uint32_t id = 0;          // the task id that users see: order of spawning, 0 is the body
  std::uint64_t choice_outcomes = 0;  // of a pending choice
  // For compare_exchange: would it succeed now?
  bool (*succeeds)(const task_record&) = nullptr;
  const void* compare_object = nullptr;
  const void* compare_expected = nullptr;
  // For wait, reacquire and timeout.
  wait_queue* waits_in = nullptr;
  object* reacquires = nullptr;
  task_set joiners = 0;
  // Of kvrace::operation: how deep the task is in such calls, and `operations` when the outermost began.
  std::uint32_t calls_open = 0;
  std::uint64_t call_begun_at = 0;
  // By fault. Each task has its own budget: with a common one, which of two tasks meets the fault would depend on the order of
  // operations that are otherwise independent.
  std::array<std::uint32_t, fault_kinds> faults_left{};
  void* fiber = nullptr;
  void (*invoke)(void* closure) = nullptr;
  void* closure = nullptr;
  const char* name = "";
  vector_clock clock;
  vector_clock acquire_pending;
  vector_clock release_fence;
};

struct engine_state {
  task_set enabled = 0;
  std::uint64_t every_step = 0;  // 1: decide() sees every announcement
  std::uint64_t decisions = 0;
  std::uint64_t ask_at = 0;      // the strategy answers the decision with this number
  std::uint64_t steps = 0;       // visible operations executed
  std::uint64_t steps_stop = 0;  // after so many, the engine looks up: for the bound of the run, and whether to go on at all
  task_record* current = nullptr;
  unsigned slot = 0;
  unsigned clock_width = 4;      // lanes in use, a multiple of 4
  std::uint32_t generation = generation_none;
  std::uint32_t generation_new_object = generation_outside;
  bool recording = false;
  bool naming = false;             // somebody wants to know what the program calls its objects
  bool has_audit = false;
  bool wakeups_ask = false;
  bool repeated = false;           // the run has been executed before; this time it is not counted
  bool history_undecided = false;  // in this run: a check of linearizability has used up its budget
  bool asks_interleaving = false;  // along a graph: something judges in an interleaving only
  bool histories_causal = false;   // in this run: one compared calls that are no visible operations
  bool timeouts_any_time = false;  // proofs: there is no clock, a timed wait may give up at any point
  bool stale_reads = false;        // memory_model::rc11
  std::uint32_t messages_used = 0;
  std::uint32_t messages_free = 0;  // head of the chain of recycled ones
  message_clock* messages = nullptr;
  std::int64_t now_ns = 0;         // virtual
  std::uint64_t* metrics = nullptr;
  std::size_t metrics_size = 0;
  std::array<std::uint32_t, fault_kinds> faults_max{};  // by fault, for each task of this run
  std::uint64_t objects_alive = 0; // made by Sync::make and not destroyed
  task_set timed = 0;              // tasks that wait with a deadline
  task_set calls = 0;              // tasks inside a kvrace::operation
  std::int64_t deadline_ns[tasks_max] = {};  // by slot, of those in `timed`
  lock_order* locks = nullptr;     // limits::lock_order: told which locks are taken
  graph_run* graph = nullptr;      // tasks are executed along an execution graph: operations go there, see graph.h
  std::uint64_t polls_left = 0;    // calls of run::poll until the search looks at the clock; 0: it never does
};
// Of each thread: one of the system that a task has started meets no run in progress.
extern constinit thread_local engine_state state [[gnu::tls_model("initial-exec")]];

// ---- out of line (runtime/, memory/) ----
void decide();                     // the current task has announced: choose who runs, return when this task may go on
void steps_stopped();  // steps_stop is passed
void lock_taken(const object& lock, bool shared);  // by the current task, where state.locks is set
void lock_given_back(const object& lock);
[[noreturn]] void unusable(const object& what, site where);  // destroyed, of another run, or no run at all
[[noreturn]] void misuse(const char* oracle, const object* what, std::string_view message, site where);
// While recording: what the operation just executed read or wrote. `behind` as in trace_step.
void record_value(std::string_view text, std::uint64_t behind = 0);
void name_object(const object& what, std::string_view name);
void* spawn_prepare(std::string_view name, std::size_t closure_bytes, std::size_t alignment, unsigned* slot);
void spawn_commit(unsigned slot, void* closure, void (*invoke)(void*));
void join_all(site where);
void require_failed(std::string_view message, site where);
void fail(std::string_view oracle, std::string_view subject, std::string_view message, bool ends_run, site where);
[[noreturn]] void assume_failed(site where);
std::uint64_t choose(std::uint64_t outcomes, site where);
[[noreturn]] void bad_range(std::int64_t low, std::int64_t high, site where);
[[noreturn]] void no_such_metric(std::size_t metric, site where);
void at_quiescence(std::function<void()> audit);
void poll();
void call_ended();  // the outermost call of the current task
[[nodiscard]] bool is_quiescent();
[[nodiscard]] bool along_graph();
void note(std::string_view subject, std::string_view event, std::string_view detail);
std::size_t operation_called(std::string text);
void operation_returned(std::size_t record, std::string text);
unsigned current_task_id();
struct run_access {
  static run make();
};

// ---- fast path ----
inline object::object(object_type its_type)
    : generation(state.generation_new_object),
      id(state.current == nullptr ? 0U : (state.slot << 26U) | ++state.current->objects_created),
      type(its_type) {}

// What a destructor does last. An object's value may be forgotten when its lifetime ends, and g++ does so: the mark is written
// and read as volatile, or uses after destruction would be missed.
inline void mark_destroyed(object& what) { *static_cast<volatile std::uint32_t*>(&what.generation) = generation_destroyed; }
[[nodiscard]] inline std::uint32_t generation_of(const object& what) {
  return *static_cast<const volatile std::uint32_t*>(&what.generation);
}

// Every use of a primitive starts with this.
inline void require_usable(const object& what, site where) {
  if (generation_of(what) != state.generation) [[unlikely]]
    unusable(what, where);
}

// The current task, which is enabled and stays so, announces an operation; returns when it may be executed.
inline void announce(operation_kind kind, object* what, site where) {
  engine_state& s = state;
  task_record& task = *s.current;
  task.pending_kind = kind;
  task.pending_object = what;
  task.where = where;
  ++task.operations;
  if (((s.enabled & (s.enabled - 1)) | s.every_step) != 0 && ++s.decisions >= s.ask_at) decide();
  if (++s.steps > s.steps_stop) [[unlikely]]
    steps_stopped();
}

// The current task announces an operation that is not enabled now; returns when another task has enabled it and it was chosen.
inline void announce_blocked(operation_kind kind, object* what, site where) {
  engine_state& s = state;
  task_record& task = *s.current;
  task.pending_kind = kind;
  task.pending_object = what;
  task.where = where;
  ++task.operations;
  s.enabled &= ~bit(s.slot);
  decide();
  if (++s.steps > s.steps_stop) [[unlikely]]
    steps_stopped();
}

inline void enable(task_set tasks) {
  state.enabled |= tasks;
  if (state.wakeups_ask) state.ask_at = 0;
}

// Does it happen now? Asks the strategy while the budget lasts; free of cost where there is none.
[[nodiscard]] bool choose_fault(fault what, site where);
[[nodiscard]] inline bool may_happen(fault what) {
  return state.current != nullptr && state.current->faults_left[static_cast<std::size_t>(what)] != 0;
}
[[nodiscard]] inline bool happens(fault what, site where) { return may_happen(what) && choose_fault(what, where); }

// ---- happens-before ----
inline constexpr std::uint32_t messages_max = std::uint32_t{1} << 22U;
[[noreturn]] void messages_exhausted();
inline std::uint32_t message_allocate() {
  if (const std::uint32_t recycled = state.messages_free; recycled != 0) {
    state.messages_free = state.messages[recycled].width;
    state.messages[recycled].clear();
    return recycled;
  }
  if (++state.messages_used == messages_max) [[unlikely]]
    messages_exhausted();
  state.messages[state.messages_used].clear();
  return state.messages_used;
}
// The object the message belongs to is destroyed. Free messages are chained through `width`.
inline void message_release(const object& owner, std::uint32_t index) {
  if (index == 0 || owner.generation != state.generation) return;
  state.messages[index].width = state.messages_free;
  state.messages_free = index;
}

// The current task's knowledge becomes the message at `index` (replacing what was there).
inline void release_store(std::uint32_t& index) {
  engine_state& s = state;
  if (index == 0) index = message_allocate();
  s.messages[index].replace(s.current->clock, s.slot, s.clock_width);
  ++s.current->clock.at[s.slot];
}
// The current task's knowledge is added to the message at `index`.
inline void release_join(std::uint32_t& index) {
  engine_state& s = state;
  if (index == 0) index = message_allocate();
  s.messages[index].add(s.current->clock, s.slot, s.clock_width);
  ++s.current->clock.at[s.slot];
}
inline void acquire(std::uint32_t index) {
  if (index == 0) return;
  const message_clock& message = state.messages[index];
  if (!message.known_to(state.current->clock)) clock_join(state.current->clock, message.clock, message.width);
}

template <class F>
unsigned spawn(std::string_view name, F function) {
  unsigned slot = 0;
  void* memory = spawn_prepare(name, sizeof(F), alignof(F), &slot);
  auto* closure = new (memory) F(std::move(function));
  spawn_commit(slot, closure, [](void* erased) {
    auto* typed = static_cast<F*>(erased);
    (*typed)();
    typed->~F();
  });
  return slot;
}

}  // namespace kvrace::detail
