// Start here: check() samples schedules, prove() explores them all within bounds, replay() repeats one.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <kvrace/observer.h>
#include <kvrace/result.h>
#include <kvrace/run.h>
#include <kvrace/schedule.h>
#include <kvrace/strategy.h>

namespace kvrace {

// A test program: called once per run, on the caller's thread, always with the same inputs. It must be deterministic but for
// the schedule and the choices it asks for.
using program = std::function<void(run&)>;

// What may go wrong although nobody is to blame, and how often to each task of a run: where it may, the strategy chooses
// whether it does.
struct fault_budget {
  unsigned weak_failures = 0;        // compare_exchange_weak fails although the value is the expected one
  unsigned spurious_wakeups = 0;     // a wait for a condition variable ends without a notification
  unsigned allocation_failures = 0;  // Sync::allocator and Sync::make throw std::bad_alloc
  unsigned cancellations = 0;        // cancellation_point() throws kvrace::cancelled
  // Sync::allocator and Sync::make hand out the memory of that size which the same task gave back last. For prove(), where memory
  // is fresh otherwise; a sample always hands it out again, to whichever task asks first.
  unsigned address_reuses = 0;
};

// What check, prove and replay have in common.
struct limits {
  std::uint64_t steps_max = 100'000;  // per run; more is a violation of oracle "step_bound"
  bool data_races = true;
  bool leaks = true;                  // objects from Sync::make that outlive the run
  // A call (kvrace::operation) that takes more visible operations of its own task is a violation of oracle "call_bound"; 0: no
  // bound. What other tasks do meanwhile does not count, so that an unfair schedule is no excuse; but a loop that waits for them
  // must give way, or it spins for as long as the strategy lets it.
  std::uint64_t call_steps_max = 0;
  // Locks that are taken in orders that contradict each other are a violation of oracle "lock_order", though no deadlock was met:
  // it may be a false alarm. Not along execution graphs.
  bool lock_order = false;
  fault_budget faults = {};
};

struct check_options {
  strategy_choice strategy = random_walk();
  std::uint64_t seed = 1;
  std::uint64_t runs = 1'000;  // 0: no such budget
  double time_s = 0;  // 0: no such budget. A search it ends is not reproducible, and says so
  // Processes to share the runs, forked after the first few; the result is the same for any number. Only for programs that leave
  // nothing behind in memory but their metrics. observer->on_run is not called for what other processes execute.
  unsigned jobs = 1;
  bool stop_at_violation = true;  // false: go through all runs, for rates
  bool count_distinct = false;  // count different decision sequences
  // false: virtual time advances only when no task is enabled. true: there is no time; a timed wait gives up whenever the
  // strategy chooses so, and sleeping is a yield.
  bool timeouts_any_time = false;
  // rc11: a load may read an older store where C++ allows it, and which it reads is a choice of the strategy. Every run is an
  // execution of RC11, but not every such execution can be a run: see memory/store_history.h and the claim.
  kvrace::memory_model memory_model = kvrace::memory_model::sc;
  kvrace::limits limits = {};
  std::vector<std::string> metrics = {};
  search_observer* observer = nullptr;
};
result check(const check_options& options, const program& tested);

enum class proof_engine : std::uint8_t {
  automatic,  // interleavings for sc, graphs for the others
  interleavings,  // sc only: schedules with 0, 1, 2, ... preemptions
  graphs,  // every execution graph once: faster, without preemption bounds. It refuses by name what it does not model
};

struct prove_options {
  kvrace::memory_model memory_model = kvrace::memory_model::sc;
  proof_engine engine = proof_engine::automatic;
  // Interleavings: raise the bound until nothing is left or this many preemptions are exhausted.
  unsigned preemptions_max = 1'000;
  std::uint64_t runs = 0;  // budget of executions, 0: none
  std::uint64_t states_max = 0;  // interleavings: budget for visited states (about 150 bytes each), 0: none
  // A task that has given way so many times waits from then on, wherever it gives way, until no other can go on: loops that spin
  // until another task has done something end. The claim says so where it made a difference.
  unsigned yields_max = 3;
  double time_s = 0;  // budget, 0: none
  // Budget of memory in use, by this process and those that share the search, 0: none. Where a time or a memory budget ends a search
  // is not reproducible, and the result says so.
  std::uint64_t memory_bytes_max = 0;
  bool count_distinct = false;  // graphs: compare all complete graphs, not a sample: that takes memory for each
  // Processes that share the search, with the same counts, findings and certificate for any number. As check_options::jobs; with
  // a budget of runs there is one. Interleavings: the effort differs (see search_counts), a violation is looked for again by one
  // process, and observer->on_run is not called. There metrics are summed over different executions.
  unsigned jobs = 1;
  // Graphs: called with what is needed to go on later, about every `checkpoint_s` seconds and when a budget or an interrupt ends
  // the exploration. Given as `resume` it goes on from there, with the same counts and certificate as without the interruption.
  // Only for the same program, options and build: `program_name` says what a checkpoint is of, and what it cannot belong to is
  // refused with checkpoint_error.
  std::function<void(const std::string& checkpoint)> checkpoint = {};
  double checkpoint_s = 5;
  std::string resume = {};
  std::string program_name = {};
  kvrace::limits limits = {};
  std::vector<std::string> metrics = {};
  search_observer* observer = nullptr;
};
// prove_options::resume cannot be gone on from; what() says what was expected.
class checkpoint_error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};
// By interleavings: preemption-bounded exhaustive search, raised bound by bound. PROVED only when the set of visited
// happens-before states is closed under every enabled operation. By graphs: PROVED when every execution graph was visited.
result prove(const prove_options& options, const program& tested);

// Runs `schedule` once and stops at the violation. UNSOUND if the program cannot follow it.
struct replay_options {
  kvrace::limits limits = {};
  std::vector<std::string> metrics = {};
};
result replay(const replay_options& options, const schedule& schedule, const program& tested);

}  // namespace kvrace
