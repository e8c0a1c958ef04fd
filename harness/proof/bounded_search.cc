#include "proof/bounded_search.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace kvrace::detail {

namespace {

// Of a state. Those explored with the task in `explored` as the last to run are a part of what `explored_freely` stands for.
constexpr std::uint64_t visited = 1;
constexpr std::uint64_t needed = 2;  // a successor of a visited state
constexpr std::uint64_t ended = 4;   // a run that came here had nothing left to do
constexpr std::uint64_t explored_freely = 8;  // where a switch to any task costs nothing
constexpr unsigned nobody = tasks_max;        // as last task: switching is free. As answer: the engine refuses it

constexpr const char* other_operations = "a repeated prefix of decisions met other operations: the program is not deterministic";

bool explored(const state_entry& entry, unsigned last) {
  return (entry.flags & explored_freely) != 0 || (last != nobody && (entry.explored >> last & 1) != 0);
}

}  // namespace

bounded_search::bounded_search(limits within, std::size_t metrics, search_team* team, unsigned member)
    : limits_(within),
      team_(team),
      member_(member),
      states_(team != nullptr ? team->states() : own_states_.emplace(state_table::used_by::one_process)),
      metrics_(metrics) {
  at_last_bound_.metrics.resize(metrics);
}

void bounded_search::visit(state_entry& entry) {
  if ((entry.flags & visited) != 0) return;
  ++counts_.states;
  if ((entry.flags & needed) != 0) --counts_.open;
  entry.flags |= visited;
}

// True: the successor has been explored.
bool bounded_search::require(const announcement& next) {
  return states_.with(next.after, [&](state_entry& entry) {
    if ((entry.flags & (visited | needed)) == 0) ++counts_.open;
    entry.flags |= needed;
    return next.distinct_key && explored(entry, next.task);
  });
}

bool bounded_search::worth_trying(const alternative& branch) {
  return !branch.distinct_key ||
         !states_.with(branch.after, [&](const state_entry& entry) { return explored(entry, branch.task); });
}

// ---- which run ----

bool bounded_search::begin_run(std::uint64_t index, const execution_view& view) {
  view_ = &view;
  yields_.fill(0);
  order_.begin_run(view);
  position_ = 0;
  preemptions_ = 0;
  tail_ = false;
  new_execution_ = false;
  return (index == 0 && member_ == 0) || next_branch();
}

bool bounded_search::next_branch() {
  for (;;) {
    if (team_ != nullptr) {
      if (team_->too_many_states()) team_->stop_by_states();
      if (team_->over()) return false;
      share_work();
    } else if ((limits_.states_max != 0 && counts_.states >= limits_.states_max) || states_.nearly_full()) {
      out_of_states_ = true;
      return false;
    }
    if (backtrack() || take_postponed()) return true;
    if (!(team_ != nullptr ? next_errands() : next_bound())) return false;
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
      if (alternatives_.size() == alternatives_first_) {
        alternatives_.clear();
        alternatives_first_ = 0;
      }
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
  while (ready_.size() > ready_first_) {
    const postponed next = ready_.back();
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

bool bounded_search::next_bound() {
  at_last_bound_.counts = counts_;
  at_last_bound_.metrics = metrics_;
  at_last_bound_.executions_by_bound.push_back(counts_.executions);
  if (counts_.open == 0 || bound_ == limits_.preemptions_max || later_.empty()) return false;
  ++bound_;
  ready_ = std::exchange(later_, {});
  return true;
}

// ---- in a team ----

bool bounded_search::next_errands() {
  errands_.clear();
  switch (team_->wait(member_, later_.size(), errands_)) {
    case search_team::next_is::end: return false;
    case search_team::next_is::next_bound:
      bound_ = team_->bound();
      ready_ = std::exchange(later_, {});
      ready_first_ = 0;
      return true;
    case search_team::next_is::work: break;
  }
  ready_.clear();
  ready_first_ = 0;
  for (const search_team::errand& each : errands_) {
    std::uint32_t before = 0;
    for (std::size_t i = 0; i + 1 < each.answers.size(); ++i) {
      trails_.push_back({before, each.answers[i]});
      before = static_cast<std::uint32_t>(trails_.size() - 1);
    }
    ready_.push_back({before, {each.answers.back(), each.distinct_key, each.after}});
  }
  return true;
}

void bounded_search::share_work() {
  if (!team_->somebody_waits()) return;
  errands_.clear();
  if (!share_ready()) (void)share_path();
}

// Half of the branches that have waited, the oldest.
bool bounded_search::share_ready() {
  constexpr std::size_t at_once_max = 1024;
  const std::size_t left = ready_.size() - ready_first_;
  if (left < 2) return false;
  const std::size_t given = std::min(left / 2, at_once_max);
  for (std::size_t i = ready_first_; i < ready_first_ + given; ++i) {
    search_team::errand& next = errands_.emplace_back();
    next = {ready_[i].last.distinct_key, ready_[i].last.after, {ready_[i].last.task}};
    for (std::uint32_t at = ready_[i].before; at != 0; at = trails_[at].before) next.answers.push_back(trails_[at].chosen);
    std::reverse(next.answers.begin(), next.answers.end());
  }
  if (team_->hand_over(errands_)) ready_first_ += given;
  return true;
}

// What is left at the node next to the root, where most is likely to lie behind it.
bool bounded_search::share_path() {
  if (path_.empty()) return false;
  const auto at = std::find_if(path_.begin(), path_.end() - 1, [](const node& each) { return each.alternatives > 0; });
  if (at == path_.end() - 1) return false;
  const std::size_t given = at->value ? 1 : at->alternatives;
  for (std::size_t i = 0; i < given; ++i) {
    search_team::errand& next = errands_.emplace_back();
    for (auto before = path_.begin(); before != at; ++before) next.answers.push_back(before->chosen);
    if (at->value) {
      next.answers.push_back(static_cast<answer>(at->chosen + at->alternatives));
    } else {
      const alternative& branch = alternatives_[alternatives_first_ + i];
      next.answers.push_back(branch.task);
      next.distinct_key = branch.distinct_key;
      next.after = branch.after;
    }
  }
  if (!team_->hand_over(errands_)) return true;
  at->alternatives -= static_cast<std::uint32_t>(given);
  if (!at->value) alternatives_first_ += given;
  return true;
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
    if (view_->task(slot).pending_kind == operation_kind::yield && yields_[slot] >= limits_.yields_max)
      tired |= task_set{1} << slot;
  }
  if (tired == 0 || tired == enabled) return enabled;
  counts_.held_back = 1;
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
  const unsigned last = preempting ? now.current : nobody;
  tail_ = states_.with(key, [&](state_entry& entry) {
    visit(entry);
    if (explored(entry, last)) return true;
    if (last == nobody)
      entry.flags |= explored_freely;
    else
      entry.explored |= task_set{1} << last;
    return false;
  });
  if (tail_) return finish(now);
  branch(now, key, first, preempting);
  ++position_;
  return follow(now, first);
}

// Adds a node for the present state whose first branch is `first`; the others are kept for later.
void bounded_search::branch(const decision& now, const state_key& key, unsigned first, bool preempting) {
  announced_.clear();
  for (task_set rest = now.enabled; rest != 0; rest &= rest - 1) {
    const auto task = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t outcomes = order_.outcomes(task);
    for (std::uint64_t outcome = 0; outcome < outcomes; ++outcome) {
      announced_.push_back({static_cast<answer>(task), outcomes == 1, order_.successor(task, outcome)});
      states_.prefetch(announced_.back().after);
    }
  }
  node fresh{now.enabled, 0, static_cast<answer>(first), false, 0, key.low};
  unsigned last = nobody;
  for (const announcement& next : announced_) {
    const bool known = require(next);
    if (next.task == first || known || next.task == std::exchange(last, next.task)) continue;
    const alternative other{next.task, next.distinct_key, next.after};
    if (!preempting || preemptions_ < bound_) {
      alternatives_.push_back(other);
      ++fresh.alternatives;
    } else {
      later_.push_back({trail_of_path(), other});
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
  new_execution_ = states_.with(order_.key(), [&](state_entry& entry) {
    visit(entry);
    if ((entry.flags & ended) != 0) return false;
    entry.flags |= ended;
    return true;
  });
  if (new_execution_) ++(run.complete ? counts_.executions : counts_.blocked);
}

void bounded_search::count_run(const execution& done, std::span<const std::uint64_t> metrics) {
  const run_summary run = done.summary();
  ++counts_.runs;
  counts_.steps += run.steps;
  counts_.decisions += run.decisions;
  counts_.switches += done.switches();
  counts_.decisions_max = std::max(counts_.decisions_max, run.decisions);
  if (new_execution_ || done.failure()) {
    counts_.tasks_max = std::max<std::uint64_t>(counts_.tasks_max, run.tasks);
    counts_.undecided += state.history_undecided ? 1 : 0;
    counts_.ordered_causally |= state.histories_causal ? 1 : 0;
    for (std::size_t i = 0; i < metrics.size(); ++i) metrics_[i] += metrics[i];
  }
  if (team_ != nullptr) team_->tell(member_, counts_, metrics_);
}

}  // namespace kvrace::detail
