// What a test program sees of the run it is in.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

#include <kvrace/detail/core.h>

namespace kvrace {

// A violation as the program under test states it.
struct violation {
  std::string_view oracle;   // a short name: "ghost_entry"
  std::string_view subject;  // what it is about, as in note(); may be empty
  std::string_view message;  // one sentence
  // true: end the run here (the state can no longer be trusted); false: let it end by itself, so that rates stay meaningful.
  // The first violation of a run is the one reported.
  bool ends_run = true;
};

// The body of a test receives one run. It sets up, spawns tasks, joins them and checks; it may also take part while they run.
// Nothing the body or a task owns is unwound when a run is cut short (deadlock, data race, a violation that ends the run).
class run {
 public:
  run(const run&) = delete;
  run& operator=(const run&) = delete;

  // Starts a task. `name` is copied. At most 64 in one run, counting threads started inside.
  template <class F>
  void spawn(std::string_view name, F function) {
    detail::spawn(name, std::move(function));
  }
  // Blocks the body until every task has ended. To be called from the body.
  void join_all(std::source_location where = std::source_location::current()) { detail::join_all(where); }

  // A violation with oracle "requirement" unless `condition` holds.
  void require(bool condition, std::string_view message, std::source_location where = std::source_location::current()) {
    if (!condition) [[unlikely]]
      detail::require_failed(message, where);
  }
  void fail(const violation& what, std::source_location where = std::source_location::current()) {
    detail::fail(what.oracle, what.subject, what.message, what.ends_run, where);
  }
  // Runs in which `condition` does not hold are not counted: the calling task blocks for good, and that is no deadlock.
  void assume(bool condition, std::source_location where = std::source_location::current()) {
    if (!condition) [[unlikely]]
      detail::assume_failed(where);
  }

  // Input chosen by the strategy, low .. high inclusive: sampled, or explored in full by an exhaustive search. A range that is
  // empty or holds all 2^64 values is a violation of oracle "harness_misuse".
  std::int64_t pick(std::int64_t low, std::int64_t high, std::source_location where = std::source_location::current()) {
    const std::uint64_t outcomes = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    if (low > high || outcomes == 0) [[unlikely]]
      detail::bad_range(low, high, where);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + detail::choose(outcomes, where));
  }
  bool flip(std::source_location where = std::source_location::current()) { return detail::choose(2, where) != 0; }

  // Called when a kvrace::operation ends and none is in progress in any task, and by join_all() at its end. The audit reads the
  // program's state directly: it must not call primitives that are decision points. It lives until the run ends.
  void at_quiescence(std::function<void()> audit) { detail::at_quiescence(std::move(audit)); }

  // Adds to the metric with this index in check_options::metrics.
  void add(std::size_t metric, std::uint64_t amount, std::source_location where = std::source_location::current()) {
    if (metric >= detail::state.metrics_size) [[unlikely]]
      detail::no_such_metric(metric, where);
    detail::state.metrics[metric] += amount;
  }

  // For runs that take long: lets the observer of the search look in, and cuts the run here if the search is to end. Cheap.
  static void poll() {
    if (--detail::state.polls_left == 0) [[unlikely]]
      detail::poll();
  }
  // True while a run is executed again, for the report of its finding: what it adds to metrics is not counted, and a program
  // that keeps statistics of its own should leave it out too.
  [[nodiscard]] static bool repeated() { return detail::state.repeated; }
  // True while a run follows an execution graph: operations that the graph does not order are carried out in one order of many.
  // What keeps books beside checked objects must not judge then. If the program has audits or histories, each sequentially
  // consistent graph is executed as an interleaving afterwards, where it must.
  [[nodiscard]] static bool along_graph() { return detail::along_graph(); }
  // True while a finding is re-executed for its report: only then do note() and operation texts go anywhere, so build
  // expensive texts only then.
  [[nodiscard]] static bool recording() { return detail::state.recording; }
  // An event about an object, for the ledger of a finding.
  static void note(std::string_view subject, std::string_view event, std::string_view detail = {}) {
    if (detail::state.recording) [[unlikely]]
      detail::note(subject, event, detail);
  }
  // The number of visible operations executed so far.
  [[nodiscard]] static std::uint64_t step() { return detail::state.steps; }
  // Virtual time since the run began.
  [[nodiscard]] static std::chrono::nanoseconds now() { return std::chrono::nanoseconds(detail::state.now_ns); }
  // True if no kvrace::operation is in progress in any task.
  [[nodiscard]] static bool is_quiescent() { return detail::is_quiescent(); }
  // The id of the calling task; 0 is the body.
  [[nodiscard]] static unsigned task() { return detail::current_task_id(); }

 private:
  friend struct detail::run_access;
  run() = default;
};

// To be held by code that watches the program under test and is no part of it, an oracle or an account: where compiled code is
// searched for races (race_job), what it shares needs no order. Costs nothing elsewhere.
using bookkeeping = detail::instrumentation::aside;

// Marks a call on the object under test, from construction to destruction, as one operation of a history: reports show it,
// and a point where none is in progress is quiescent. A call is in progress from its first visible operation on: a task stands
// before that one as soon as it has finished the call before, so that otherwise hardly any point would be quiescent.
class operation {
 public:
  // `describe` returns the text of the call, and is called only while recording.
  template <class Describe>
  explicit operation(Describe describe) {
    if (detail::state.recording) [[unlikely]]
      record_ = detail::operation_called(describe());
    if (detail::task_record* task = detail::state.current; task != nullptr && task->calls_open++ == 0) {
      task->call_begun_at = task->operations;
      detail::state.calls |= detail::bit(detail::state.slot);
    }
  }
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;
  ~operation() {
    if (detail::task_record* task = detail::state.current; task != nullptr && --task->calls_open == 0) {
      detail::state.calls &= ~detail::bit(detail::state.slot);
      if (detail::state.has_audit) detail::call_ended();
    }
  }
  template <class Describe>
  void returns(Describe describe) {
    if (detail::state.recording) [[unlikely]]
      detail::operation_returned(record_, describe());
  }

 private:
  std::size_t record_ = 0;
};

}  // namespace kvrace
