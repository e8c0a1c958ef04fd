#include "proof/bounded_search.h"

#include <bit>
#include <utility>

namespace kvrace::detail {

namespace {

constexpr std::uint32_t visited = 1;
constexpr std::uint32_t needed = 2;
constexpr std::uint32_t complete = 4;
constexpr unsigned nobody = tasks_max;  // as last task: switching is free. As answer: the engine refuses it

state_key node_key(const state_key& state, unsigned last) { return mix(state, last + 0xda942042e4dd58b5); }

}  // namespace

void bounded_search::visit(const state_key& key) {
  std::uint32_t& flags = states_[key];
  if ((flags & visited) != 0) return;
  ++states_visited_;
  if ((flags & needed) != 0) --states_open_;
  flags |= visited;
}

void bounded_search::require(const state_key& key) {
  std::uint32_t& flags = states_[key];
  if ((flags & (visited | needed)) == 0) ++states_open_;
  flags |= needed;
}

bool bounded_search::explored(const state_key& key, unsigned last, std::uint32_t preemptions) const {
  const std::uint32_t free = nodes_.find(node_key(key, nobody));
  if (free != 0 && free - 1 <= preemptions) return true;
  if (last == nobody) return false;
  const std::uint32_t same = nodes_.find(node_key(key, last));
  return same != 0 && same - 1 <= preemptions;
}

bool bounded_search::worth_trying(const alternative& branch) const {
  return !branch.distinct_key || !explored(branch.after, branch.task, branch.preemptions);
}

// ---- which run ----

bool bounded_search::begin_run(std::uint64_t index, const execution_view& view) {
  order_.begin_run(view);
  position_ = 0;
  preemptions_ = 0;
  tail_ = false;
  return index == 0 || next_branch();
}

bool bounded_search::next_branch() {
  for (;;) {
    if (states_max_ != 0 && states_visited_ >= states_max_) {
      out_of_states_ = true;
      return false;
    }
    if (backtrack() || take_postponed()) return true;
    finish_bound();
    if (states_open_ == 0 || bound_ == preemptions_max_ || later_.empty()) return false;
    ++bound_;
    ready_ = std::exchange(later_, {});
  }
}

bool bounded_search::backtrack() {
  while (!path_.empty()) {
    node& last = path_.back();
    if (last.value && last.alternatives > 0) {
      --last.alternatives;
      ++last.chosen;
      return true;
    }
    while (!last.value && last.alternatives > 0) {
      --last.alternatives;
      const alternative next = alternatives_.back();
      alternatives_.pop_back();
      if (!worth_trying(next)) continue;
      last.chosen = next.task;
      return true;
    }
    path_.pop_back();
  }
  return false;
}

bool bounded_search::take_postponed() {
  while (!ready_.empty()) {
    postponed next = std::move(ready_.back());
    ready_.pop_back();
    if (!worth_trying(next.last)) continue;
    for (const answer each : next.prefix) path_.push_back({0, 0, each, false});
    return true;
  }
  return false;
}

void bounded_search::finish_bound() {
  finished_bounds_ = bound_ + 1;
  executions_by_bound_.push_back(executions_);
}

// ---- within a run ----

task_answer bounded_search::follow(const decision& now, unsigned task) {
  if (now.current_enabled && !now.yielded && task != now.current) ++preemptions_;
  order_.execute(task);
  return {task, 1};
}

task_answer bounded_search::choose_task(const decision& now) {
  unsigned first = static_cast<unsigned>(std::countr_zero(now.enabled));
  const bool preempting = now.current_enabled && !now.yielded;
  if (preempting) first = now.current;
  if (tail_) return {first, ~std::uint64_t{0} >> 1U, true};

  order_.absorb_new_tasks();
  if (position_ < path_.size()) {
    node& next = path_[position_++];
    if ((next.enabled != 0 && next.enabled != now.enabled) || next.value || (now.enabled >> next.chosen & 1) == 0) {
      divergence_ = "a repeated prefix of decisions met other enabled tasks: the program is not deterministic";
      return {nobody, 1};
    }
    return follow(now, next.chosen);
  }

  const state_key key = order_.key();
  visit(key);
  const unsigned last = preempting ? now.current : nobody;
  if (explored(key, last, preemptions_)) {
    tail_ = true;
    return {first, ~std::uint64_t{0} >> 1U, true};
  }
  nodes_[node_key(key, last)] = preemptions_ + 1;
  branch(now, first, preempting);
  ++position_;
  return follow(now, first);
}

// Adds a node for the present state whose first branch is `first`; the others are kept for later.
void bounded_search::branch(const decision& now, unsigned first, bool preempting) {
  node fresh{now.enabled, 0, static_cast<answer>(first), false};
  for (task_set rest = now.enabled; rest != 0; rest &= rest - 1) {
    const auto task = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t outcomes = order_.outcomes(task);
    alternative next{static_cast<answer>(task), outcomes == 1, preemptions_ + (preempting && task != now.current ? 1U : 0U), {}};
    for (std::uint64_t outcome = 0; outcome < outcomes; ++outcome) {
      next.after = order_.successor(task, outcome);
      require(next.after);
    }
    if (task == first || !worth_trying(next)) continue;
    if (next.preemptions <= bound_) {
      alternatives_.push_back(next);
      ++fresh.alternatives;
    } else {
      postponed& later = later_.emplace_back(postponed{{}, next});
      later.prefix.reserve(path_.size() + 1);
      for (const node& each : path_) later.prefix.push_back(each.chosen);
      later.prefix.push_back(static_cast<answer>(task));
    }
  }
  path_.push_back(fresh);
}

std::uint64_t bounded_search::choose_value(unsigned task, std::uint64_t outcomes) {
  if (tail_) return 0;
  if (outcomes > 0xffff) {
    divergence_ = "a choice has " + std::to_string(outcomes) + " outcomes; an exhaustive search takes at most 65535";
    return outcomes;
  }
  if (position_ == path_.size()) path_.push_back({0, static_cast<std::uint32_t>(outcomes - 1), 0, true});
  node& choice = path_[position_++];
  choice.value = true;  // a postponed prefix does not say so
  if (choice.chosen >= outcomes) {
    divergence_ = "a repeated prefix of decisions met other outcomes: the program is not deterministic";
    return outcomes;
  }
  order_.outcome(task, choice.chosen);
  return choice.chosen;
}

void bounded_search::end_run(const run_summary& run) {
  if (tail_ || !(run.complete || run.blocked)) return;
  const state_key key = order_.key();
  visit(key);
  if (!run.complete) return;
  std::uint32_t& flags = states_[key];
  if ((flags & complete) != 0) return;
  flags |= complete;
  ++executions_;
}

}  // namespace kvrace::detail
