// The preemption-bounded exhaustive search (Musuvathi, Qadeer, PLDI 2007) with happens-before caching, raised bound by bound.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kvrace/strategy.h>

#include "proof/happens_before.h"
#include "proof/state_table.h"

namespace kvrace::detail {

// A depth-first search by re-execution. A node is a happens-before state with the task that ran last; one that was explored with
// as few preemptions is not explored again. A branch that would exceed the bound waits for the next one, so nothing is explored
// twice when the bound is raised.
//
// Everything was explored when the visited states are closed: for every visited state and every enabled operation, preempting or
// not, the successor was visited. Successors' keys are computed from announcements, without executing.
class bounded_search final : public strategy {
 public:
  explicit bounded_search(unsigned preemptions_max, std::uint64_t states_max, unsigned yields_max)
      : preemptions_max_(preemptions_max), states_max_(states_max), yields_max_(yields_max) {}

  bool begin_run(std::uint64_t index, const execution_view& view) override;
  task_answer choose_task(const decision& asked) override;
  std::uint64_t choose_value(unsigned task, std::uint64_t outcomes) override;
  void end_run(const run_summary& run) override;
  [[nodiscard]] bool wants_every_step() const override { return true; }
  [[nodiscard]] std::optional<std::string> divergence() const override { return divergence_; }
  [[nodiscard]] std::string describe() const override { return "bounded search"; }

  [[nodiscard]] bool closed() const { return finished_bounds_ > 0 && states_open_ == 0; }
  // Bounds 0 .. finished_bounds-1 are exhausted.
  [[nodiscard]] unsigned finished_bounds() const { return finished_bounds_; }
  [[nodiscard]] unsigned preemptions() const { return bound_; }
  [[nodiscard]] bool states_exhausted() const { return out_of_states_; }
  [[nodiscard]] bool held_back() const { return held_back_; }  // a task that had given way often enough
  [[nodiscard]] std::uint64_t states_distinct() const { return states_visited_; }
  [[nodiscard]] std::uint64_t states_open() const { return states_open_; }
  [[nodiscard]] std::uint64_t executions_distinct() const { return executions_; }
  [[nodiscard]] const std::vector<std::uint64_t>& executions_by_bound() const { return executions_by_bound_; }

 private:
  using answer = std::uint16_t;
  struct node {
    task_set enabled = 0;          // 0: not known, or a value node
    std::uint32_t alternatives = 0; // left to try: for a task node on alternatives_, for a value node outcomes above `chosen`
    answer chosen = 0;
    bool value = false;
    std::uint32_t trail = 0;       // where the path up to `chosen` is kept; 0: nowhere yet
    std::uint64_t state = 0;       // half of the key before the decision; 0: not known
  };
  // Paths to what is postponed, as a tree: most of a path is shared by many.
  struct trail_step {
    std::uint32_t before;
    answer chosen;
  };
  struct alternative {
    answer task;
    bool distinct_key;   // `after` is the successor's key; false if the operation has several outcomes
    std::uint32_t preemptions;
    state_key after;
  };
  struct postponed {
    std::uint32_t before;  // trail
    alternative last;      // the preemption
  };

  bool next_branch();
  bool backtrack();
  bool take_postponed();
  void finish_bound();
  void visit(const state_key& key);
  void require(const state_key& key);
  [[nodiscard]] bool explored(const state_key& key, unsigned last, std::uint32_t preemptions) const;
  [[nodiscard]] bool worth_trying(const alternative& branch) const;
  void branch(const decision& now, const state_key& key, unsigned first, bool preempting);
  [[nodiscard]] std::uint32_t trail_of_path();
  [[nodiscard]] task_set fair(task_set enabled);
  [[nodiscard]] static task_answer finish(const decision& now);
  task_answer follow(const decision& now, unsigned task);

  unsigned preemptions_max_;
  std::uint64_t states_max_;
  unsigned yields_max_;
  const execution_view* view_ = nullptr;
  std::array<std::uint32_t, tasks_max> yields_{};  // executed in this run, by slot: a function of the happens-before state
  happens_before order_;
  state_table states_;  // bit 0: visited, bit 1: a successor of a visited state, bit 2: complete
  state_table nodes_;   // (state, last task) -> 1 + least preemptions with which it was explored
  std::vector<node> path_;
  std::vector<alternative> alternatives_;
  std::vector<trail_step> trails_{{}};
  std::vector<postponed> later_;  // branches that wait for the next bound
  std::vector<postponed> ready_;  // branches that waited for the present one
  std::size_t position_ = 0;
  std::uint64_t promised_ = 0;  // half of the key after the branch that this run takes, computed when it was met; 0: not known
  std::uint32_t preemptions_ = 0;
  bool tail_ = false;  // the rest of the run was explored before
  unsigned bound_ = 0;
  unsigned finished_bounds_ = 0;
  bool out_of_states_ = false;
  bool held_back_ = false;
  std::uint64_t states_visited_ = 0;
  std::uint64_t states_open_ = 0;
  std::uint64_t executions_ = 0;
  std::vector<std::uint64_t> executions_by_bound_;
  std::optional<std::string> divergence_;
};

}  // namespace kvrace::detail
