// The preemption-bounded exhaustive search (Musuvathi, Qadeer, PLDI 2007) with happens-before caching, raised bound by bound.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <kvrace/strategy.h>

#include "proof/happens_before.h"
#include "proof/search_team.h"
#include "proof/state_table.h"

namespace kvrace::detail {

// A depth-first search by re-execution. A node is a happens-before state with the task that ran last, or with none where a switch
// is free. A branch that would exceed the bound waits for the next one: so all that is met within a bound for the first time has
// exactly that many preemptions, what was explored before has no more, and no node is explored twice.
//
// Everything was explored when the visited states are closed: for every visited state and every enabled operation, preempting or
// not, the successor was visited. Successors' keys are computed from announcements, without executing.
class bounded_search final : public strategy {
 public:
  struct limits {
    unsigned preemptions_max = 0;
    std::uint64_t states_max = 0;  // 0: none
    unsigned yields_max = 0;
  };
  // Alone, or as a member of a team, whose states and limits it shares.
  bounded_search(limits within, std::size_t metrics, search_team* team = nullptr, unsigned member = 0);

  bool begin_run(std::uint64_t index, const execution_view& view) override;
  task_answer choose_task(const decision& asked) override;
  std::uint64_t choose_value(unsigned task, std::uint64_t outcomes) override;
  void end_run(const run_summary& run) override;
  [[nodiscard]] bool wants_every_step() const override { return true; }
  [[nodiscard]] std::optional<std::string> divergence() const override { return divergence_; }
  [[nodiscard]] std::string describe() const override { return "bounded search"; }

  // To be called after end_run. Metrics are summed over different executions.
  void count_run(const execution& done, std::span<const std::uint64_t> metrics);

  [[nodiscard]] bool states_exhausted() const { return out_of_states_; }
  [[nodiscard]] unsigned preemptions() const { return bound_; }
  [[nodiscard]] const explored_counts& so_far() const { return counts_; }
  [[nodiscard]] const std::vector<std::uint64_t>& metrics() const { return metrics_; }
  // At the end of the last bound that was exhausted.
  [[nodiscard]] const search_team::outcome& at_last_bound() const { return at_last_bound_; }

 private:
  using answer = std::uint16_t;
  struct node {
    task_set enabled = 0;  // 0: not known, or a value node
    std::uint32_t alternatives = 0;  // left to try: for a task node on alternatives_, for a value node outcomes above `chosen`
    answer chosen = 0;
    bool value = false;
    std::uint32_t trail = 0;  // where the path up to `chosen` is kept; 0: nowhere yet
    std::uint64_t state = 0;  // half of the key before the decision; 0: not known
  };
  // Paths to what is postponed, as a tree: most of a path is shared by many.
  struct trail_step {
    std::uint32_t before;
    answer chosen;
  };
  struct alternative {
    answer task;
    bool distinct_key;  // `after` is the successor's key; false if the operation has several outcomes
    state_key after;
  };
  struct postponed {
    std::uint32_t before;  // trail
    alternative last;  // for another bound, the preemption
  };
  struct announcement {
    answer task;
    bool distinct_key;
    state_key after;
  };

  bool next_branch();
  bool backtrack();
  bool take_postponed();
  bool next_bound();
  bool next_errands();
  void share_work();
  bool share_ready();
  bool share_path();
  void visit(state_entry& entry);
  bool require(const announcement& next);
  [[nodiscard]] bool worth_trying(const alternative& branch);
  void branch(const decision& now, const state_key& key, unsigned first, bool preempting);
  [[nodiscard]] std::uint32_t trail_of_path();
  [[nodiscard]] task_set fair(task_set enabled);
  [[nodiscard]] static task_answer finish(const decision& now);
  task_answer follow(const decision& now, unsigned task);

  limits limits_;
  search_team* team_;
  unsigned member_;
  std::optional<state_table> own_states_;
  state_table& states_;
  const execution_view* view_ = nullptr;
  std::array<std::uint32_t, tasks_max> yields_{};  // executed in this run, by slot: a function of the happens-before state
  happens_before order_;
  std::vector<announcement> announced_;  // at the present node
  std::vector<node> path_;
  std::vector<alternative> alternatives_;
  std::size_t alternatives_first_ = 0;  // those before were given away
  std::vector<trail_step> trails_{{}};
  std::vector<postponed> later_;  // branches that wait for the next bound
  std::vector<postponed> ready_;  // branches that waited for the present one, or that others left
  std::size_t ready_first_ = 0;  // those before were given away
  std::vector<search_team::errand> errands_;
  std::size_t position_ = 0;
  std::uint64_t promised_ = 0;  // half of the key after the branch that this run takes, computed when it was met; 0: not known
  std::uint32_t preemptions_ = 0;
  bool tail_ = false;  // the rest of the run was explored before
  bool new_execution_ = false;
  unsigned bound_ = 0;
  bool out_of_states_ = false;
  explored_counts counts_;
  std::vector<std::uint64_t> metrics_;
  search_team::outcome at_last_bound_;
  std::optional<std::string> divergence_;
};

}  // namespace kvrace::detail
