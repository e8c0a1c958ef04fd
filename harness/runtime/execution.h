// One run: who runs next, what ends it, what it leaves behind. The inner of the two loops.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <kvrace/check.h>
#include <kvrace/detail/core.h>

#include "memory/lock_order.h"
#include "runtime/fiber.h"

namespace kvrace::detail {

class recorder;

// Why a run failed, as a value; it becomes words in a report and an exit code at the edge.
struct run_failure {
  std::string oracle;
  std::string subject;
  std::string message;
  std::vector<source_site> sites;
  std::uint64_t step = 0;
};

enum class run_end : std::uint8_t {
  complete,   // the body returned
  violation,  // cut at the violation
  blocked,    // an assumption was not met
  cut,        // the search was to end
  unsound,    // the strategy's answer could not be followed, or the program broke a rule of the harness
};

class execution {
 public:
  // One execution exists at a time in a process; `strategy` answers its questions.
  struct settings {
    kvrace::limits limits;
    kvrace::strategy* strategy = nullptr;
    recorder* record = nullptr;      // non-null: record everything
    bool stop_at_violation = false;  // cut the run at the first violation of any kind
    schedule::setting set_up = schedule::setting::sampled;
    std::span<std::uint64_t> metrics = {};
    std::size_t deviations_max = SIZE_MAX;  // further ones are not kept
    bool repeated = false;                  // see run::repeated
    const std::function<bool()>* go_on = nullptr;  // asked by run::poll every now and then: false cuts the run
    graph_run* graph = nullptr;  // non-null: execute along it, without a strategy
  };

  // Runs `tested` once.
  run_end run(const program& tested, const settings& chosen);

  // Of the last run.
  [[nodiscard]] const std::optional<run_failure>& failure() const { return failure_; }
  [[nodiscard]] const std::optional<run_failure>& last_failure() const { return last_failure_; }  // if there were several
  [[nodiscard]] const std::vector<deviation>& deviations() const { return deviations_; }
  [[nodiscard]] bool deviations_complete() const { return deviations_complete_; }
  [[nodiscard]] run_summary summary() const;
  // It followed a graph, and audits or histories are to be judged in an interleaving.
  [[nodiscard]] bool asks_interleaving() const { return asks_interleaving_; }
  [[nodiscard]] std::uint64_t switches() const { return switches_; }
  [[nodiscard]] std::uint64_t schedule_hash() const;  // equal for equal decision sequences
  [[nodiscard]] unsigned slots() const { return slots_; }
  [[nodiscard]] const task_record& record(unsigned slot) const { return records_[slot]; }
  [[nodiscard]] task_set unstarted() const { return unstarted_; }

  // ---- for the functions of core.h and the primitives ----
  void decide();
  void* spawn_prepare(std::string_view name, std::size_t bytes, std::size_t alignment, unsigned* slot);
  void spawn_commit(unsigned slot, void* closure, void (*invoke)(void*));
  void join(unsigned slot, site where);
  void join_all(site where);
  void yield(site where);
  void sleep(std::chrono::nanoseconds duration, site where);
  std::uint64_t choose(std::uint64_t outcomes, site where);
  std::uint64_t choose_announced(std::uint64_t outcomes);  // for an operation that has been announced already
  void at_quiescence(std::function<void()> audit);
  void call_ended();
  [[nodiscard]] bool is_quiescent() const;
  [[nodiscard]] bool along_graph() const { return settings_.graph != nullptr; }
  void poll();
  void steps_stopped();
  // The first and the last failure of a run are kept. `make` returns the run_failure, and all it needed is destroyed before the
  // run ends: the stack of a run that is cut is never unwound, so strings on it would be lost for good.
  template <class Make>
  void fail(bool ends_run, Make make) {
    keep(make());
    if (ends_run || settings_.stop_at_violation) leave(run_end::violation);
  }
  template <class Make>
  [[noreturn]] void fail_and_end(Make make) {
    keep(make());
    leave(run_end::violation);
  }
  // As above; `make` returns the message.
  template <class Make>
  [[noreturn]] void end_unsound(Make make) {
    failure_ = run_failure{"unsound", "", make(), {}, state.steps};
    leave(run_end::unsound);
  }
  [[noreturn]] void assume_failed(site where);
  recorder* recording() { return settings_.record; }
  void name(const object& what, std::string_view name);
  // For the execution along a graph, which decides for itself who runs.
  void go_to(unsigned slot) { switch_to(slot); }
  [[noreturn]] void leave_graph(run_end end) { leave(end); }
  [[noreturn]] void deadlock_of_graph() { deadlock(); }
  // Tasks that await `what` and have not been notified.
  [[nodiscard]] task_set awaiting(const object& what) const;
  [[nodiscard]] bool data_races() const { return settings_.limits.data_races; }
  // "client", or "client #3" where the name is shared.
  [[nodiscard]] std::string name_of_task(unsigned id) const;
  [[nodiscard]] std::string task_name(unsigned slot) const { return name_of_task(records_[slot].id); }
  // True while a 64th task has the place of the body, which waits for all tasks.
  [[nodiscard]] bool body_is_aside() const { return body_aside_.has_value(); }
  [[nodiscard]] unsigned task_id(unsigned slot) const { return records_[slot].id; }

 private:
  static constexpr unsigned overflow_slot = 0;  // where the 64th task runs

  void keep(run_failure failure);
  void begin(const settings& chosen);
  void body();
  void body_returned();
  void end();
  void task_main();
  void finish();
  [[nodiscard]] unsigned choose_next(bool current_enabled);
  void switch_to(unsigned slot);
  void start_unstarted();
  [[nodiscard]] bool starts_eagerly() const { return settings_.set_up == schedule::setting::search && state.every_step != 0; }
  [[nodiscard]] const char* plain_name(unsigned id) const;
  void run_overflow(site where);
  void release_body();
  void nobody_enabled();
  [[nodiscard]] std::uint64_t next_stop() const;
  [[nodiscard]] bool bounds_calls() const;
  void bound_call(const task_record& task);
  [[noreturn]] void steps_exhausted();
  void run_audits();
  void count_decision();
  [[noreturn]] void deadlock();
  [[nodiscard]] run_failure describe_deadlock(task_set blocked) const;
  [[nodiscard]] task_set waiting_cycle(task_set blocked) const;
  [[noreturn]] void leave(run_end end);
  void note_deviation(deviation::kind what, std::uint64_t answer);
  void widen_clocks(unsigned slot);
  unsigned take_slot();
  static void reset(task_record& record, unsigned slot, unsigned id, const char* name, fiber* fiber);

  static void body_entry();
  static void task_entry();

  settings settings_;
  const program* program_ = nullptr;
  std::array<task_record, tasks_max> records_;
  std::optional<task_record> body_aside_;  // the body, while a 64th task runs in slot 0
  unsigned slots_ = 0;  // slots in use
  unsigned tasks_ = 0;  // spawned in this run
  unsigned alive_ = 0;  // spawned and not ended
  bool body_joins_all_ = false;
  bool wants_every_step_ = false;
  std::optional<std::pair<void*, void (*)(void*)>> overflow_closure_;  // of the 64th task
  std::string overflow_name_;
  task_set unstarted_ = 0;
  bool in_prologue_ = false;
  unsigned prologue_return_ = 0;
  bool preempting_ = false;  // the switch just made was a preemption
  task_set assume_blocked_ = 0;
  std::uint64_t switches_ = 0;
  std::vector<deviation> deviations_;
  bool deviations_complete_ = true;
  std::vector<std::function<void()>> audits_;
  bool asks_interleaving_ = false;
  lock_order lock_order_;
  std::optional<run_failure> failure_;
  std::optional<run_failure> last_failure_;
  run_end end_ = run_end::complete;
  std::uint32_t generation_ = generation_first;
};

[[noreturn]] void unusable_outside();  // a primitive or a spawn outside of any run

extern execution* active;  // the execution in progress, or the last one; null before the first

[[nodiscard]] source_site to_site(site where);

}  // namespace kvrace::detail

namespace kvrace {

// What a strategy may see beside a decision.
class execution_view {
 public:
  explicit execution_view(const detail::execution& execution) : execution_(execution) {}
  [[nodiscard]] unsigned slots() const { return execution_.slots(); }
  [[nodiscard]] const detail::task_record& task(unsigned slot) const { return execution_.record(slot); }
  [[nodiscard]] task_set awaiting(const detail::object& what) const { return execution_.awaiting(what); }

 private:
  const detail::execution& execution_;
};

}  // namespace kvrace
