#include "proof/bounded_search.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace kvrace::detail {

namespace {

constexpr std::uint32_t visited = 1;
constexpr std::uint32_t needed = 2;
constexpr std::uint32_t complete = 4;
constexpr unsigned nobody = tasks_max;  // as last task: switching is free. As answer: the engine refuses it

constexpr const char* other_operations = "a repeated prefix of decisions met other operations: the program is not deterministic";

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
  view_ = &view;
  yields_.fill(0);
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
      last.trail = 0;
      promised_ = 0;
      return true;
    }
    while (!last.value && last.alternatives > 0) {
      --last.alternatives;
      const alternative next = alternatives_.back();
      alternatives_.pop_back();
      if (!worth_trying(next)) continue;
      last.chosen = next.task;
      last.trail = 0;
      promised_ = next.distinct_key ? next.after.low : 0;
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
    promised_ = next.last.distinct_key ? next.last.after.low : 0;
    path_.push_back({0, 0, next.last.task, false, 0, 0});
    for (std::uint32_t at = next.before; at != 0; at = trails_[at].before)
      path_.push_back({0, 0, trails_[at].chosen, false, at, 0});
    std::reverse(path_.begin(), path_.end());
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
  if (view_->task(task).pending_kind == operation_kind::yield) ++yields_[task];
  order_.execute(task);
  return {task, 1};
}

// Without those that have given way often enough, unless nobody else is left.
task_set bounded_search::fair(task_set enabled) {
  task_set tired = 0;
  for (task_set rest = enabled; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(rest));
    if (view_->task(slot).pending_kind == operation_kind::yield && yields_[slot] >= yields_max_) tired |= task_set{1} << slot;
  }
  if (tired == 0 || tired == enabled) return enabled;
  held_back_ = true;
  return enabled & ~tired;
}

// To the end of a run whose rest was explored before: on with the current task, and round robin where one gives way.
task_answer bounded_search::finish(const decision& now) {
  task_set after = now.enabled;
  if (now.yielded && (now.enabled >> now.current >> 1U) != 0) after = now.enabled >> now.current >> 1U << now.current << 1U;
  const bool stays = now.current_enabled && !now.yielded;
  return {stays ? now.current : static_cast<unsigned>(std::countr_zero(after)), ~std::uint64_t{0} >> 1U, true};
}

task_answer bounded_search::choose_task(const decision& asked) {
  if (tail_) return finish(asked);
  order_.absorb_new_tasks();
  decision now = asked;
  now.enabled = fair(asked.enabled);
  const bool preempting = now.current_enabled && !now.yielded;
  const unsigned first = preempting ? now.current : static_cast<unsigned>(std::countr_zero(now.enabled));
  if (position_ < path_.size()) {
    node& next = path_[position_++];
    if ((next.enabled != 0 && next.enabled != now.enabled) || next.value || (now.enabled >> next.chosen & 1) == 0) {
      divergence_ = "a repeated prefix of decisions met other enabled tasks: the program is not deterministic";
      return {nobody, 1};
    }
    const std::uint64_t reached = order_.key().low;
    if (next.state != 0 && next.state != reached) {
      divergence_ = other_operations;
      return {nobody, 1};
    }
    next.state = reached;
    return follow(now, next.chosen);
  }

  const state_key key = order_.key();
  if (promised_ != 0 && std::exchange(promised_, 0) != key.low) {
    divergence_ = other_operations;
    return {nobody, 1};
  }
  visit(key);
  const unsigned last = preempting ? now.current : nobody;
  if (explored(key, last, preemptions_)) {
    tail_ = true;
    return finish(now);
  }
  nodes_[node_key(key, last)] = preemptions_ + 1;
  branch(now, key, first, preempting);
  ++position_;
  return follow(now, first);
}

// Adds a node for the present state whose first branch is `first`; the others are kept for later.
void bounded_search::branch(const decision& now, const state_key& key, unsigned first, bool preempting) {
  node fresh{now.enabled, 0, static_cast<answer>(first), false, 0, key.low};
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
      later_.push_back({trail_of_path(), next});
    }
  }
  path_.push_back(fresh);
}

std::uint32_t bounded_search::trail_of_path() {
  std::size_t kept = path_.size();
  while (kept > 0 && path_[kept - 1].trail == 0) --kept;
  for (; kept < path_.size(); ++kept) {
    path_[kept].trail = static_cast<std::uint32_t>(trails_.size());
    trails_.push_back({kept == 0 ? 0 : path_[kept - 1].trail, path_[kept].chosen});
  }
  return path_.empty() ? 0 : path_.back().trail;
}

std::uint64_t bounded_search::choose_value(unsigned task, std::uint64_t outcomes) {
  if (tail_) return 0;
  if (outcomes > 0xffff) {
    divergence_ = "a choice has " + std::to_string(outcomes) + " outcomes; an exhaustive search takes at most 65535";
    return outcomes;
  }
  if (position_ == path_.size()) path_.push_back({0, static_cast<std::uint32_t>(outcomes - 1), 0, true, 0, 0});
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
