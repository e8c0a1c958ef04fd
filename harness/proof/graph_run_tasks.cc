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
    for (std::uint32_t* mask : {&present_, &open_}) *mask = (*mask & ~(1U << aside)) | 1U << body_lane;
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
  if (lane == nobody) lane = last_resort();
  const unsigned slot = slot_of(lane);
  if (slot != state.slot) active->go_to(slot);
}

// Where to go so that `lane` can go on: itself, or a task that has to execute something first.
unsigned graph_run::towards(unsigned lane) {
  execution_graph& g = explorer_->graph();
  for (unsigned steps = 0;; ++steps) {
    const lane_state& at = lanes_[lane];
    if (steps > lanes_max) diverged("fewer tasks");
    if (at.what == doing::absent) {
      const place spawn = g.spawn_of(lane);
      if (spawn == no_place && lanes_[aside].what == doing::awaits_end) diverged("fewer tasks");
      lane = spawn == no_place ? (body_takes_part_ ? body_lane : aside) : g[spawn].lane;
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
  // Not among them, lanes whose spawn has not been executed yet.
  for (std::uint32_t rest = present_ & ~(1U << joiner); rest != 0; rest &= rest - 1)
    if (lanes_[static_cast<unsigned>(std::countr_zero(rest))].what != doing::ended) return false;
  return (explorer_->graph().spawned() & ~present_) == 0;
}

// The task that is to run: the leftmost that may add an event, or what it needs. nobody if none may.
unsigned graph_run::pick() {
  if (explorer_->urgent() != lanes_max) return towards(explorer_->urgent());
  for (std::uint32_t rest = open_ | (explorer_->graph().spawned() & ~present_); rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const lane_state& at = lanes_[lane];
    if (at.what == doing::awaits_lock && held(at.location)) continue;
    if (at.what == doing::awaits_wake && waker_of(lane, at.location) == no_place) continue;
    if (at.what == doing::awaits_end && !has_ended(at.joined, lane)) continue;
    turn_ = lane;
    return towards(lane);
  }
  return nobody;
}

// The current task has executed all it has in the graph and wants to add an event.
void graph_run::take_turn(lane_state& me, unsigned lane) {
  if (me.by_itself) [[unlikely]]
    refuse_by_itself();
  if (explorer_->graph().length(lane) + 2 > lane_events_max) refuse("a task with more than 252 operations");
  if (state.graph == nullptr) return;  // the body is alone
  while (turn_ != lane || explorer_->urgent() != lanes_max) {
    me.what = doing::ready;
    const unsigned next = pick();
    if (next == lane) return;
    run_next(next);
  }
}

// The current task adds an event now. An alternative is for the task that met it.
void graph_run::require_own_answer(unsigned lane) {
  if (explorer_->has_answer() && explorer_->answering_lane() != lane) [[unlikely]]
    diverged("another order of the tasks");
}

// ---- tasks ----

unsigned graph_run::spawning() {
  const bool first = state.graph == nullptr;
  const unsigned parent = current();
  lane_state& me = lanes_[parent];
  auto& known = lanes_of_spawns_[state.slot == 0 ? aside : parent];
  if (me.spawns == known.size()) {
    if (lanes_ever_ == lanes_max) refuse("more than sixteen tasks");
    begin_lesson();
    known.push_back(static_cast<std::uint8_t>(lanes_ever_++));
    if (!first_) leave(ending::restart);
  }
  const unsigned lane = known[me.spawns++];
  if (lane == body_lane && body_takes_part_) refuse("sixteen tasks and a body that takes part");
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
  present_ |= 1U << lane;
  open_ |= 1U << lane;
  known_body_time_[lane] = state.slot == 0 && !spawns_are_events_ ? active->record(slot).clock.at[0] : 0;
  turn_ = nobody;
}

unsigned graph_run::ended() {
  const unsigned lane = current();
  if (lanes_[lane].done < explorer_->graph().length(lane)) diverged("the end of a task");
  lanes_[lane].what = doing::ended;
  open_ &= ~(1U << lane);
  const unsigned next = pick();
  return slot_of(next == nobody ? last_resort() : next);
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
  if (lane != aside && lanes_[lane].done < explorer_->graph().length(lane)) diverged("an assumption that fails");
  lanes_[lane].what = doing::stopped;
  open_ &= ~(1U << lane);
  run_next(pick());
  std::terminate();  // nobody resumes it
}

// Nothing can go on. Unless a task stopped, may time out, is barred by a waiting writer only, or has not seen the last value of
// what it waits for, that is a deadlock, or a loop has to end by itself: then returns its lane.
unsigned graph_run::last_resort() {
  bool excused = false;
  unsigned loops = nobody;
  for (unsigned lane = 0; lane <= aside; ++lane) {
    const lane_state& at = lanes_[lane];
    excused |= at.what == doing::stopped || at.tries || (at.what == doing::awaits_wake && at.timed);
    excused |= at.what == doing::awaits_value && may_go_on(lane);
    excused |= at.what == doing::awaits_lock && barred_by_writer(lane);
    if (at.what != doing::spins) continue;
    excused |= may_read_later(lane);
    if (loops == nobody) loops = lane;
  }
  if (!excused && loops != nobody) {
    lanes_[loops].by_itself = true;
    return loops;
  }
  for (unsigned lane = 0; lane <= aside; ++lane) {
    const lane_state& at = lanes_[lane];
    if (at.what != doing::awaits_lock || repeating_) continue;
    const unsigned bound = explorer_->lowest(lane, at.location);
    const location_events& on = explorer_->graph().on(at.location);
    for (auto position = bound; position <= on.writes.size(); ++position) {
      const place source = position == 0 ? no_place : on.writes[position - 1];
      if (is_free(at.location, source))
        explorer_->offer_update_for_revisits(lane, graph_operation::lock, acquiring, at.location, source);
    }
  }
  if (!excused) active->deadlock_of_graph();
  active->leave_graph(run_end::blocked);
}

}  // namespace kvrace::detail
