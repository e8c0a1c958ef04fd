// The oracle that answers every question an execution asks. A strategy is one file under strategies/ and one factory here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kvrace/schedule.h>

namespace kvrace {

// What a task is about to do. It is announced before anybody is chosen, so strategies need no dry run.
enum class operation_kind : std::uint8_t {
  start,  // the task has not run yet: what it does first is unknown
  load,
  store,
  read_modify_write,
  compare_exchange,
  fence,
  lock,
  try_lock,
  unlock,
  lock_shared,
  try_lock_shared,
  unlock_shared,
  wait,        // condition_variable: releases the mutex and enqueues
  reacquire,   // condition_variable: takes the mutex again after a notification or a timeout
  timeout,     // condition_variable: a timed wait gives up
  notify_one,
  notify_all,
  sleep,
  yield,
  join,
  choice,
  assume,
  access,  // a plain access that was asked to be a decision point
  acquire,      // semaphore: takes one
  try_acquire,
  release,      // semaphore, future, call_once: lets others go on
  arrive,       // latch, barrier
  await,        // until others have arrived, or a value is there, or a notification has come
};
[[nodiscard]] const char* to_string(operation_kind);

using task_set = std::uint64_t;  // bit i: task slot i
inline constexpr unsigned tasks_max = 64;

// Bit masks and ids in a decision are task slots. Slot and task id are the same but for a 64th task, which takes over slot 0
// while the body is joining.
struct decision {
  task_set enabled = 0;        // never 0
  unsigned current = 0;        // who ran last
  bool current_enabled = false;
  bool yielded = false;        // current gave way of its own accord
  std::uint64_t number = 0;    // decisions taken in this run so far
};

struct task_answer {
  unsigned task = 0;
  // How many decisions to let the chosen task run without asking again, as long as it stays enabled. 1: ask at the next.
  std::uint64_t decisions = 1;
  bool rest_unobserved = false;  // from now on behave as if wants_every_step() were false
};

struct run_summary {
  std::uint64_t decisions = 0;
  std::uint64_t steps = 0;
  unsigned tasks = 0;  // without the body
  bool complete = false;  // every task ended
  bool blocked = false;   // by an unmet assumption
};

// What a strategy that looks into the execution may ask. Implemented by the engine; valid between begin_run and end_run.
class execution_view;

class strategy {
 public:
  virtual ~strategy() = default;

  // Another run? `index` counts from 0. The view stays valid until end_run.
  virtual bool begin_run(std::uint64_t index, const execution_view& view) = 0;
  // Which task runs next? Asked at decisions only (more than one task enabled) unless wants_every_step().
  virtual task_answer choose_task(const decision&) = 0;
  // Which outcome of 0 .. outcomes-1? 0 is the baseline. Never asked with fewer than 2 outcomes.
  virtual std::uint64_t choose_value(unsigned task, std::uint64_t outcomes) = 0;
  virtual void end_run(const run_summary&) {}

  // The engine asks at the next decision after a task has become enabled, whatever the last answer said.
  [[nodiscard]] virtual bool wants_wakeups() const { return false; }
  // The engine asks before every visible operation, and lets every task announce before it asks.
  [[nodiscard]] virtual bool wants_every_step() const { return false; }
  // The engine tells what the program calls its objects (Sync::name) in this run. Their ids are the same in every run.
  [[nodiscard]] virtual bool wants_names() const { return false; }
  virtual void named(std::uint32_t /*object*/, std::string_view /*name*/) {}
  // Set when an answer could not be followed, in words. Ends the run as UNSOUND.
  [[nodiscard]] virtual std::optional<std::string> divergence() const { return std::nullopt; }

  [[nodiscard]] virtual std::string describe() const = 0;  // "random walk, switch probability 0.3"
  // Least probability of hitting a bug in one run, and for which runs it holds, if the strategy has such a bound.
  struct probability_bound {
    double probability = 0;
    std::uint64_t decisions_max = 0;  // holds for runs with at most this many decisions
    unsigned depth = 0;
    std::uint64_t runs_outside = 0;   // runs that were longer
  };
  [[nodiscard]] virtual std::optional<probability_bound> bound() const { return std::nullopt; }
};

// Makes a fresh strategy for a seed. Copyable, so that options are values.
struct strategy_factory {
  virtual ~strategy_factory() = default;
  [[nodiscard]] virtual std::unique_ptr<strategy> make(std::uint64_t seed) const = 0;
};
using strategy_choice = std::shared_ptr<const strategy_factory>;

// At each decision, leave the current task with this probability for another enabled one, uniformly.
// 0 < switch_probability <= 1.
strategy_choice random_walk(double switch_probability = 0.3);

// Probabilistic concurrency testing as published (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010): a bug of depth
// `depth` is hit by one run with probability at least 1/(n k^(depth-1)), for n tasks and runs of at most k decisions.
struct pct_options {
  unsigned depth = 3;                // >= 1
  std::uint64_t decisions_max = 100; // k
};
strategy_choice pct(pct_options options = {});

// Partial order sampling as published (Yuan, Yang, Gu, CAV 2018): no parameters, no bound.
strategy_choice pos();

// Selectively uniform random walk as published (Zhao, Wolff, Mathur, Roychoudhury, ASPLOS 2025): each run interleaves the
// operations on one set of shared objects uniformly. The first 4 runs only count.
struct surw_options {
  // Each is a set: the objects that Sync::name calls so, or those whose names begin so if it ends in '*'; an object belongs to
  // the first that fits. A run takes one of those that several tasks use. Empty: every object is a set of its own.
  std::vector<std::string> sets = {};
};
strategy_choice surw(surw_options options = {});

// The tasks take turns of `quantum` decisions each, in order of their slots; who blocks, ends or yields gives up the rest of its
// turn. The first turn is shorter and starts elsewhere from run to run, so that quantum x tasks runs may differ, and no more.
strategy_choice round_robin(std::uint64_t quantum = 1);

// One strategy after the other, run by run.
strategy_choice portfolio(std::vector<strategy_choice> members);
// random_walk, POS, SURW, and PCT of depths 2, 3 and 5 for runs of at most `decisions_max` decisions.
strategy_choice portfolio(std::uint64_t decisions_max = 100);

// Each run gives the first answers of `prefix`, as many as the seed says, from none to all, and the baseline's between them; then
// it goes on by `rest`. For exploring around a finding: it must be one of the same program in the same setting. The other
// strategies' bounds do not hold.
strategy_choice replay_then(schedule prefix, strategy_choice rest);

}  // namespace kvrace
