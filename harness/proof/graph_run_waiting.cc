// condition_variable and loops that give way, in an execution graph.
//
// A condition variable is a location whose value is the set of tasks that wait, changed by updates only: a wait adds its task, a
// notification takes out one or all, a timeout its own. They are relaxed: a condition variable orders nothing for the program.
// The task goes on when a notification has taken it out. Which one, where several wait, is a choice made before.
#include <kvrace/sync.h>

#include "proof/graph_run.h"

namespace kvrace::detail {

namespace {

struct queue_change {
  graph_operation operation;
  task_set self;
  std::uint64_t chosen;
};

// The waiting task number `chosen`; none if there are fewer.
task_set nth(task_set waiting, std::uint64_t chosen) {
  for (; chosen > 0 && waiting != 0; --chosen) waiting &= waiting - 1;
  return waiting & (0 - waiting);
}

std::uint64_t changed(std::uint64_t waiting, const queue_change& by) {
  switch (by.operation) {
    case graph_operation::enqueue: return waiting | by.self;
    case graph_operation::dequeue: return waiting & ~by.self;
    case graph_operation::notify_one: return waiting & ~nth(waiting, by.chosen);
    default: return 0;
  }
}

}  // namespace

std::uint64_t graph_run::change_queue(const object& queue, graph_operation operation, std::uint64_t chosen) {
  const queue_change by{operation, bit(state.slot), chosen};
  const auto apply = [](std::uint64_t old, const void* context) {
    return changed(old, *static_cast<const queue_change*>(context));
  };
  bool wrote = false;
  return read(location_of(queue, {nullptr, 0}, false), {operation, relaxed, relaxed, 0, 0, apply, &by}, &wrote);
}

// The notification that took the task of `lane` out, since it entered last; no_place if it is in still.
place graph_run::waker_of(unsigned lane, unsigned location) {
  execution_graph& g = explorer_->graph();
  g.touch(location);
  const task_set me = bit(slot_of(lane));
  task_set waiting = 0;
  place waker = no_place;
  for (const place at : g.on(location).writes) {
    const event& e = g[at];
    std::uint64_t chosen = 0;
    if (e.operation == graph_operation::notify_one && e.index >= 2) {
      const event& before = g[g.at(e.lane, e.index - 2U)];
      if (before.kind == event_kind::choice && before.order == internal_choice) chosen = before.value;
    }
    const task_set after = changed(waiting, {e.operation, bit(slot_of(e.lane)), chosen});
    if ((after & me) != 0)
      waker = no_place;
    else if ((waiting & me) != 0)
      waker = at;
    waiting = after;
  }
  return waker;
}

// The exploration starts again when a task waits for the first time: notifications must have had it among their choices.
task_set graph_run::enqueue(const object& queue) {
  const task_set me = bit(state.slot);
  task_set& known = waiters_[queue.id];
  if ((known & me) == 0) {
    begin_lesson();
    known |= me;
    leave(ending::restart);
  }
  return change_queue(queue, graph_operation::enqueue, 0);
}

// False: a notification came first, which is explored as such.
bool graph_run::dequeue(const object& queue) { return (change_queue(queue, graph_operation::dequeue, 0) & bit(state.slot)) != 0; }

void graph_run::wake_up(const object& queue, bool timed) {
  const unsigned location = location_of(queue, {nullptr, 0}, false);
  const unsigned lane = acting();
  lane_state& me = lanes_[lane];
  event* found = nullptr;
  if (along(me, lane, event_kind::wake, &found)) {
    (void)value_of(me, found->source, location);
    ++me.done;
    return;
  }
  me.location = static_cast<std::uint16_t>(location);
  me.timed = timed;
  while (waker_of(lane, location) == no_place) {
    me.what = doing::awaits_wake;
    run_next(pick());
  }
  me.what = doing::ready;
  const place waker = waker_of(lane, location);
  require_own_answer(lane);
  const bool allowed = explorer_->add_wake(lane, waker);
  (void)value_of(me, waker, location);
  ++me.done;
  if (!allowed) leave(ending::inconsistent);
  learn(lane, false);
}

task_set graph_run::notify(const object& queue, bool all) {
  const auto known = waiters_.find(queue.id);
  if (known == waiters_.end()) return 0;  // nobody ever waits
  const auto most = static_cast<std::uint64_t>(std::popcount(known->second & ~bit(state.slot)));
  std::uint64_t chosen = 0;
  if (!all && most > 1) chosen = choose(most, internal_choice);
  const std::uint64_t waiting = change_queue(queue, all ? graph_operation::notify_all : graph_operation::notify_one, chosen);
  turn_ = nobody;  // a task further left may have waited for it
  if (chosen != 0 && nth(waiting, chosen) == 0) stop();  // fewer wait: as another choice has it
  if (!all && most > 1) {
    execution_graph& g = explorer_->graph();
    const unsigned lane = current();
    g[g.at(lane, lanes_[lane].done - 3U)].location = static_cast<std::uint16_t>(std::popcount(waiting));
  }
  return all ? waiting : nth(waiting, chosen);
}

void graph_run::waited_in(std::vector<std::uint32_t>& queues) const {
  for (const auto& [id, tasks] : waiters_) queues.push_back(id);
}

// ---- giving way ----

// A task that gives way three times, with the same loads and fences and nothing else in between, is taken to wait in a loop: it
// goes on only along graphs in which one of these loads reads something that ends the loop, or, where nobody else can go on, by
// itself.
void graph_run::gave_way() {
  count_step();
  const unsigned lane = current();
  if (alone_ || lane == aside) return;
  lane_state& me = lanes_[lane];
  if (me.by_itself) return;
  const execution_graph& g = explorer_->graph();
  const unsigned first = me.gave_way_before;
  const unsigned second = me.gave_way_at;
  me.gave_way_before = me.gave_way_at;
  me.gave_way_at = me.done;
  if (first == never_gave_way || second == me.done || me.done - second != second - first || me.done < g.length(lane)) return;
  for (unsigned index = second; index < me.done; ++index) {
    const event& now = g[g.at(lane, index)];
    const event& before = g[g.at(lane, index - (second - first))];
    if (now.kind != before.kind || now.operation != before.operation) return;
    const bool reads_again = now.kind == event_kind::read && now.location == before.location;
    const bool is_fence = now.kind == event_kind::fence && now.operation == graph_operation::fence;
    if (!reads_again && !is_fence) return;
  }
  waited_in_loop_ = true;
  me.what = doing::spins;
  open_ &= ~(1U << lane);
  run_next(pick());
  me.what = doing::ready;
}

// Whether a load of the loop in which the task of `lane` waits may read something later, as another graph has it.
bool graph_run::may_read_later(unsigned lane) const {
  const execution_graph& g = explorer_->graph();
  for (unsigned index = lanes_[lane].gave_way_before; index < lanes_[lane].done; ++index) {
    const event& load = g[g.at(lane, index)];
    if (load.kind == event_kind::read && g.position(load.source) < g.on(load.location).writes.size()) return true;
  }
  return false;
}

void graph_run::refuse_by_itself() {
  refuse("a loop that gives way, ends though nothing has changed, and goes on to more than loads");
}

}  // namespace kvrace::detail
