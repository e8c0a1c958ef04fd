// Who runs while the program is executed along an execution graph; how tasks start, end, are waited for, and wait for ever.
#include <exception>

#include <kvrace/sync.h>

#include "proof/graph_run.h"

namespace kvrace::detail {

unsigned graph_run::acting_body() {
  if (!body_takes_part_) {
    if (lanes_[body_lane].what != doing::absent) refuse("sixteen tasks and a body that takes part");
    body_takes_part_ = true;
    lanes_[body_lane] = lanes_[aside];
    lanes_[aside].what = doing::absent;
  }
  if (state.graph != nullptr && !spawns_are_events_) {
    spawns_are_events_ = true;
    body_time_ = state.current->clock.at[0];
    choices_before_ = lanes_[body_lane].done;
  }
  return body_lane;
}

// ---- who runs ----

void graph_run::run_next(unsigned lane) {
  if (lane == nobody) blocked();
  const unsigned slot = slot_of(lane);
  if (slot != state.slot) active->go_to(slot);
}

// Where to go so that `lane` can go on: itself, or a task that has to execute something first.
unsigned graph_run::towards(unsigned lane) {
  execution_graph& g = explorer_.graph();
  for (;;) {
    const lane_state& at = lanes_[lane];
    if (at.what == doing::absent) {
      lane = g[g.spawn_of(lane)].lane;
    } else if (at.what == doing::needs_event && !executed(at.wanted)) {
      lane = g[at.wanted].lane;
    } else if (at.what == doing::needs_end && lanes_[at.joined].what != doing::ended) {
      lane = at.joined;
    } else {
      return lane;
    }
  }
}

bool graph_run::has_ended(unsigned joined, unsigned joiner) const {
  if (joined != lanes_max) return lanes_[joined].what == doing::ended;
  for (unsigned lane = 0; lane < lanes_max; ++lane) {
    if (lane == joiner || lanes_[lane].what == doing::ended) continue;
    if (lanes_[lane].what != doing::absent || explorer_.graph().spawn_of(lane) != no_place) return false;
  }
  return true;
}

// The task that is to run: the leftmost that may add an event, or what it needs. nobody if none may.
unsigned graph_run::pick() {
  if (explorer_.urgent() != lanes_max) return towards(explorer_.urgent());
  for (unsigned lane = 0; lane <= aside; ++lane) {
    const lane_state& at = lanes_[lane];
    switch (at.what) {
      case doing::ended:
      case doing::stopped: continue;
      case doing::absent:
        if (lane == aside || explorer_.graph().spawn_of(lane) == no_place) continue;
        break;
      case doing::awaits_lock:
        if (held(at.location)) continue;
        break;
      case doing::awaits_end:
        if (!has_ended(at.joined, lane)) continue;
        break;
      case doing::ready:
      case doing::needs_event:
      case doing::needs_end: break;
    }
    turn_ = lane;
    return towards(lane);
  }
  return nobody;
}

// The current task has executed all it has in the graph and wants to add an event.
void graph_run::take_turn(lane_state& me, unsigned lane) {
  if (explorer_.graph().length(lane) + 2 > lane_events_max) refuse("a task with more than 252 operations");
  if (state.graph == nullptr) return;  // the body is alone
  while (turn_ != lane || explorer_.urgent() != lanes_max) {
    me.what = doing::ready;
    const unsigned next = pick();
    if (next == lane) return;
    run_next(next);
  }
}

// ---- tasks ----

unsigned graph_run::spawning() {
  const bool first = state.graph == nullptr;
  const unsigned parent = current();
  lane_state& me = lanes_[parent];
  const std::pair key(parent, unsigned{me.spawns});
  const auto [known, fresh] = lanes_of_spawns_.try_emplace(key, static_cast<unsigned>(lanes_of_spawns_.size()));
  ++me.spawns;
  const unsigned lane = known->second;
  if (lane == lanes_max || (lane == body_lane && body_takes_part_))
    refuse("more than sixteen tasks, or sixteen and a body that takes part");
  if (alone_) refuse("tasks that are spawned after join_all()");
  if (first) state.graph = this;
  if (state.slot != 0 || spawns_are_events_) {
    event* found = nullptr;
    if (along(me, parent, event_kind::spawn, &found)) {
      if (found->value != lane) diverged("another task");
      ++me.done;
    } else {
      add_other(me, parent, {event_kind::spawn, graph_operation::spawn, relaxed}, lane);
    }
  }
  lanes_[lane] = {};
  return lane + 1;
}

// Its clock is that of the task that spawned it, which then goes on to the next.
void graph_run::spawned(unsigned slot) {
  const unsigned lane = lane_of(slot);
  lanes_[lane].what = doing::ready;
  known_body_time_[lane] = state.slot == 0 && !spawns_are_events_ ? active->record(slot).clock.at[0] : 0;
  turn_ = nobody;
}

unsigned graph_run::ended() {
  const unsigned lane = current();
  if (lanes_[lane].done < explorer_.graph().length(lane)) diverged("the end of a task");
  lanes_[lane].what = doing::ended;
  const unsigned next = pick();
  if (next == nobody) blocked();
  return slot_of(next);
}

void graph_run::join(unsigned slot) {
  const unsigned lane = acting();
  lane_state& me = lanes_[lane];
  const unsigned joined = lane_of(slot);
  me.joined = static_cast<std::uint8_t>(joined);
  event* found = nullptr;
  if (along(me, lane, event_kind::join, &found)) {
    if (found->value != joined) diverged("another operation");
    while (lanes_[joined].what != doing::ended) {
      me.what = doing::needs_end;
      run_next(towards(lane));
    }
    me.what = doing::ready;
    ++me.done;
  } else {
    while (lanes_[joined].what != doing::ended) {
      me.what = doing::awaits_end;
      run_next(pick());
    }
    me.what = doing::ready;
    add_other(me, lane, {event_kind::join, graph_operation::join, relaxed}, joined);
  }
  learn(lane, true);
}

// The body waits for all, and is alone afterwards.
void graph_run::join_all() {
  if (alone_) return;
  const unsigned lane = current();
  lane_state& me = lanes_[lane];
  me.joined = lanes_max;
  while (!has_ended(lanes_max, lane)) {
    me.what = doing::awaits_end;
    run_next(pick());
  }
  me.what = doing::ready;
  alone_ = true;
}

void graph_run::stop() {
  const unsigned lane = current();
  if (lane != aside && lanes_[lane].done < explorer_.graph().length(lane)) diverged("an assumption that fails");
  lanes_[lane].what = doing::stopped;
  run_next(pick());
  std::terminate();  // nobody resumes it
}

// Nothing can go on.
void graph_run::blocked() {
  bool stopped = false;  // or only apparently without a way on
  for (unsigned lane = 0; lane < lanes_max; ++lane) {
    const lane_state& at = lanes_[lane];
    stopped |= at.what == doing::stopped;
    if (at.what != doing::awaits_lock) continue;
    stopped |= barred_by_writer(lane);
    if (repeating_) continue;
    const unsigned bound = explorer_.lowest(lane, at.location);
    const location_events& on = explorer_.graph().on(at.location);
    for (auto position = bound; position <= on.writes.size(); ++position) {
      const place source = position == 0 ? no_place : on.writes[position - 1];
      if (is_free(at.location, source))
        explorer_.offer_update_for_revisits(lane, graph_operation::lock, acquiring, at.location, source);
    }
  }
  if (!stopped) active->deadlock_of_graph();
  active->leave_graph(run_end::blocked);
}

}  // namespace kvrace::detail
