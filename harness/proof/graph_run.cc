// Visible operations along an execution graph: those it has already, and those that are added to it.
#include "proof/graph_run.h"

#include <algorithm>

#include <kvrace/sync.h>

#include "runtime/recorder.h"

namespace kvrace::detail {

void graph_run::begin() {
  lanes_.fill({});
  lanes_[aside].what = doing::ready;
  present_ = open_ = 1U << aside;
  turn_ = nobody;
  alone_ = body_takes_part_ = spawns_are_events_ = false;
  choices_before_ = 0;
  body_time_ = 0;
  ++run_;
  ending_ = ending::none;
}

void graph_run::leave(ending why) {
  ending_ = why;
  active->leave_graph(run_end::cut);
}

void graph_run::refuse(std::string what) {
  refusal_ = std::move(what);
  leave(ending::refused);
}

void graph_run::diverged(const char* what) {
  active->end_unsound([&] {
    return std::string("executing the program again along the same graph met ") + what + ": the program is not deterministic";
  });
}

void graph_run::count_step() {
  if (++state.steps > state.steps_stop) [[unlikely]]
    steps_stopped();
}

// A sequentially consistent event costs a clock more in rc11: the exploration starts again at the first.
void graph_run::see(unsigned order) {
  if (explorer_->rules().sees(order)) [[unlikely]]
    leave(ending::restart);
}

// ---- locations ----

unsigned graph_run::enter_location_of(const object& what, graph_storage storage, bool held) {
  std::uint16_t& number = number_of(what.id);
  if (number == 0) number = static_cast<std::uint16_t>(1 + new_location(what.id));
  enter_location(number - 1U, storage, held ? 1 : 0);
  return number - 1U;
}

std::uint16_t& graph_run::number_of(std::uint32_t id) {
  const unsigned creator = id >> 26U;
  const unsigned index = id & ((1U << 26U) - 1);
  if (creator >= location_numbers_.size()) location_numbers_.resize(creator + 1);
  auto& numbers = location_numbers_[creator];
  if (index >= numbers.size()) numbers.resize(index + 16);
  return numbers[index];
}

unsigned graph_run::new_location(std::uint64_t identity) {
  if (locations_.size() == no_place - 1U) refuse("more than 65,534 atomics and locks");
  locations_.push_back({identity});
  return static_cast<unsigned>(locations_.size() - 1);
}

// Keeps the initial state, if this is the first use of the location in this execution.
void graph_run::enter_location(unsigned location, graph_storage storage, std::uint64_t held) {
  location_state& found = locations_[location];
  if (found.run == run_) return;
  found.run = run_;
  found.held = held != 0;
  found.initial = held;
  found.settled = false;
  if (storage.value != nullptr) std::memcpy(&found.initial, storage.value, storage.bytes);
}

void graph_run::settle(const object& what, graph_storage storage) {
  const unsigned location = location_of(what, storage, false);
  location_state& found = locations_[location];
  if (found.settled) return;
  found.settled = true;
  execution_graph& g = explorer_->graph();
  g.touch(location);
  const location_events& on = g.on(location);
  if (!on.writes.empty()) std::memcpy(storage.value, &g[on.writes.back()].value, storage.bytes);
}

bool graph_run::is_free(unsigned location, place source) {
  return source == no_place ? !locations_[location].held : explorer_->graph()[source].kind == event_kind::write;
}

bool graph_run::held(unsigned location) {
  execution_graph& g = explorer_->graph();
  g.touch(location);
  const location_events& on = g.on(location);
  return !is_free(location, on.writes.empty() ? no_place : on.writes.back());
}

// Whoever uses `what` must do so before its destruction, by happens-before.
void graph_run::destroyed(const object& what) {
  if (alone_) return;
  const unsigned number = known_number_of(what.id);
  if (number == 0 || locations_[number - 1].run != run_) return;
  execution_graph& g = explorer_->graph();
  g.touch(number - 1);
  const unsigned lane = current();
  const event* last = lane == aside ? nullptr : g.before(lane, lanes_[lane].done);
  const auto unordered = [&](place at) { return g[at].lane != lane && (last == nullptr || !knows(last->happens_before, g[at])); };
  const location_events& on = g.on(number - 1);
  if (std::none_of(on.reads.begin(), on.reads.end(), unordered) && std::none_of(on.writes.begin(), on.writes.end(), unordered))
    return;
  active->fail_and_end([&] {
    return run_failure{"use_after_destroy",
                       describe(what),
                       describe(what) + " is destroyed by '" + active->task_name(state.slot) +
                           "' while another task may still use it: no happens-before orders the two",
                       {}};
  });
}

// ---- what a task knows, for data races ----

// What happens before the event, as the current task's clock over slots: a lane's tasks is in the slot after it. Four lanes at
// once.
void graph_run::learn_of_others(const event& from) {
  graph_clock known = from.happens_before;
  clock_value* const now = state.current->clock.at;
  if (body_takes_part_) {
    if (known.at[body_lane] > choices_before_)
      now[0] = std::max(now[0], body_time_ + static_cast<clock_value>(known.at[body_lane] - 1U - choices_before_));
    known.at[body_lane] = 0;
  }
  const auto larger = [](clock_lanes a, clock_lanes b) {
    const clock_lanes greater = a > b;
    return (a & greater) | (b & ~greater);
  };
  using four_events = std::uint8_t __attribute__((vector_size(4)));
  clock_lanes body{};
  for (unsigned lane = 0; lane < lanes_ever_; lane += 4) {
    four_events events;
    clock_lanes mine;
    std::memcpy(&events, &known.at[lane], sizeof events);
    std::memcpy(&mine, &now[lane + 1], sizeof mine);
    const auto counts = __builtin_convertvector(events, clock_lanes);
    mine = larger(mine, counts);
    std::memcpy(&now[lane + 1], &mine, sizeof mine);
    body = larger(body, *reinterpret_cast<const clock_lanes*>(&known_body_time_[lane]) & (counts > 0));
  }
  now[0] = std::max({now[0], body[0], body[1], body[2], body[3]});
}

// The current task has executed one more event. `others`: it may know more of other tasks now.
void graph_run::learn(unsigned lane, bool others) {
  const lane_state& me = lanes_[lane];
  if (others) {
    const execution_graph& g = explorer_->graph();
    learn_of_others(g[g.at(lane, me.done - 1U)]);
  }
  clock_value* now = state.current->clock.at;
  if (lane == body_lane && body_takes_part_)
    now[0] = body_time_ + static_cast<clock_value>(me.done - choices_before_);
  else
    now[slot_of(lane)] = me.done + 1;
}

// ---- reads ----

namespace {

gate_answer answer(const graph_run::access& what, std::uint64_t old, std::uint64_t* value) {
  const auto writes_if = [](bool condition) { return condition ? gate_answer::writes : gate_answer::reads; };
  switch (what.operation) {
    case graph_operation::gate:
    case graph_operation::gate_inside: return what.step(old, value, what.context);
    case graph_operation::await_change: return old == what.expected ? gate_answer::waits : gate_answer::reads;
    case graph_operation::enqueue:
    case graph_operation::dequeue:
    case graph_operation::notify_one:
    case graph_operation::notify_all:
    case graph_operation::update: *value = what.change(old, what.context); return gate_answer::writes;
    case graph_operation::exchange_if:
    case graph_operation::try_lock: *value = what.desired; return writes_if(old == what.expected);
    case graph_operation::lock: *value = what.desired; return gate_answer::writes;
    default: return gate_answer::reads;
  }
}
graph_explorer::label label_of(const graph_run::access& what, gate_answer does) {
  const bool wrote = does == gate_answer::writes;
  const bool orders = wrote || what.operation == graph_operation::load || (what.step != nullptr && does == gate_answer::reads);
  return {wrote ? event_kind::update_read : event_kind::read, what.operation, orders ? what.order : what.order_failed,
          does == gate_answer::waits};
}
// Whether it depends on the value read what is done.
bool depends_on_value(graph_operation operation) {
  switch (operation) {
    case graph_operation::exchange_if:
    case graph_operation::try_lock:
    case graph_operation::gate:
    case graph_operation::gate_inside:
    case graph_operation::await_change: return true;
    default: return false;
  }
}

}  // namespace

std::uint64_t graph_run::value_of(lane_state& me, place source, unsigned location) {
  if (source == no_place) return locations_[location].initial;
  while (!executed(source)) {
    me.what = doing::needs_event;
    me.wanted = source;
    run_next(towards(explorer_->graph()[source].lane));
  }
  me.what = doing::ready;
  return explorer_->graph()[source].value;
}

std::uint64_t graph_run::read(unsigned location, const access& what, bool* wrote) {
  count_step();
  const unsigned lane = acting();
  lane_state& me = lanes_[lane];
  return me.done < explorer_->graph().length(lane) ? read_along(me, lane, location, what, wrote)
                                                   : read_new(me, lane, location, what, wrote);
}

std::uint64_t graph_run::read_along(lane_state& me, unsigned lane, unsigned location, const access& what, bool* wrote) {
  execution_graph& g = explorer_->graph();
  event& e = g[g.at(lane, me.done)];
  if (e.location != location || e.operation != what.operation || !reads(e)) diverged("another operation");
  const std::uint64_t old = value_of(me, e.source, location);
  if (what.operation == graph_operation::load && !e.pending) {
    ++me.done;
    learn(lane, e.source != no_place && (e.order & acquiring) != 0);
    return old;
  }
  std::uint64_t value = 0;
  const gate_answer does = answer(what, old, &value);
  *wrote = does == gate_answer::writes;
  const graph_explorer::label as = label_of(what, does);
  const bool was_pending = e.pending;
  if (was_pending) {
    turn_ = nobody;
    if (!explorer_->label_pending(lane, as)) leave(ending::inconsistent);
  } else if (as.kind != e.kind || as.waits != e.waits) {
    diverged("another outcome of an operation that depends on a value");
  }
  ++me.done;
  const bool complete = !*wrote || me.done < g.length(lane);
  if (!complete) {
    turn_ = nobody;
    add_write_part(me, lane, value);
  } else if (*wrote) {
    g[g.at(lane, me.done++)].value = value;
  }
  if (was_pending || !complete) explorer_->find_urgent();
  learn(lane, e.source != no_place && (e.order & acquiring) != 0);
  if (does == gate_answer::waits) wait_for_value(me, lane, location);
  return old;
}

place graph_run::choose_source(lane_state& me, unsigned lane, unsigned location, const access& what) {
  const unsigned bound = explorer_->lowest(lane, location);
  execution_graph& g = explorer_->graph();
  const location_events& on = g.on(location);
  if (explorer_->has_answer()) return static_cast<place>(explorer_->take_answer());
  const auto last = static_cast<unsigned>(on.writes.size());
  for (unsigned position = bound; position < last; ++position) {
    const place source = position == 0 ? no_place : on.writes[position - 1];
    if (what.operation == graph_operation::lock && !is_free(location, source)) continue;
    gate_answer does = what.operation == graph_operation::load ? gate_answer::reads : gate_answer::writes;
    std::uint64_t ignored = 0;
    if (depends_on_value(what.operation) && (what.step != nullptr || g.updated(on, position)))
      does = answer(what, value_of(me, source, location), &ignored);
    // Waiting for a later value, it is to meet the latest: that one may be revisited.
    if (what.step != nullptr && does == gate_answer::waits) continue;
    if (does == gate_answer::writes && g.updated(on, position))
      explorer_->offer_update_for_revisits(lane, what.operation, what.order, location, source);
    else
      explorer_->offer_source(lane, source);
  }
  return last == 0 ? no_place : on.writes[last - 1];
}

// What a task reads that goes on by itself: the last value, as nobody writes another. That adds no event.
std::uint64_t graph_run::read_by_itself(lane_state& me, unsigned location, const access& what, bool* wrote) {
  execution_graph& g = explorer_->graph();
  g.touch(location);
  const location_events& on = g.on(location);
  const std::uint64_t old = value_of(me, on.writes.empty() ? no_place : on.writes.back(), location);
  std::uint64_t ignored = 0;
  const gate_answer does = answer(what, old, &ignored);
  if (does == gate_answer::writes || does == gate_answer::waits) refuse_by_itself();
  *wrote = false;
  return old;
}

std::uint64_t graph_run::read_new(lane_state& me, unsigned lane, unsigned location, const access& what, bool* wrote) {
  if (me.by_itself) [[unlikely]]
    return read_by_itself(me, location, what, wrote);
  take_turn(me, lane);
  see(what.order | what.order_failed);
  if (what.operation == graph_operation::lock) {
    while (held(location)) {
      me.what = doing::awaits_lock;
      me.location = static_cast<std::uint16_t>(location);
      run_next(pick());
    }
    me.what = doing::ready;
  }
  require_own_answer(lane);
  const place source = choose_source(me, lane, location, what);
  const std::uint64_t old = value_of(me, source, location);
  std::uint64_t value = 0;
  const gate_answer does = answer(what, old, &value);
  *wrote = does == gate_answer::writes;
  const bool allowed = explorer_->add_read(lane, location, label_of(what, does), source);
  ++me.done;
  if (!allowed) leave(ending::inconsistent);
  if (*wrote) add_write_part(me, lane, value);
  learn(lane, source != no_place && (what.order & acquiring) != 0);
  if (does == gate_answer::waits) wait_for_value(me, lane, location);
  return old;
}

void graph_run::add_write_part(lane_state& me, unsigned lane, std::uint64_t value) {
  execution_graph& g = explorer_->graph();
  const bool allowed = explorer_->add_write_part(lane);
  g[g.at(lane, me.done++)].value = value;
  if (!allowed) leave(ending::inconsistent);
}

bool graph_run::read_stale() {
  if (alone_ || current() == aside) return false;
  const execution_graph& g = explorer_->graph();
  const lane_state& me = lanes_[current()];
  if (me.done == 0) return false;
  const event* e = &g[g.at(current(), me.done - 1U)];
  if (e->kind == event_kind::update_write) return false;  // an update reads what it follows
  if (!reads(*e)) return false;
  const location_events& on = g.on(e->location);
  return std::any_of(on.writes.begin() + static_cast<std::ptrdiff_t>(g.position(e->source)), on.writes.end(),
                     [this](place at) { return executed(at); });
}

// ---- writes and the rest ----

void graph_run::write(unsigned location, graph_operation operation, std::uint8_t order, std::uint64_t value) {
  count_step();
  const unsigned lane = acting();
  lane_state& me = lanes_[lane];
  execution_graph& g = explorer_->graph();
  if (me.done < g.length(lane)) {
    event& e = g[g.at(lane, me.done)];
    if (e.location != location || e.operation != operation) diverged("another operation");
    e.value = value;
  } else {
    take_turn(me, lane);
    see(order);
    require_own_answer(lane);
    const bool allowed = explorer_->add_write(lane, location, {event_kind::write, operation, order});
    g[g.at(lane, me.done)].value = value;
    if (!allowed) leave(ending::inconsistent);
    if (operation == graph_operation::unlock) turn_ = nobody;  // a task further left may have waited for it
  }
  ++me.done;
  learn(lane, false);
}

// True if the graph has the next event of the current task.
bool graph_run::along(lane_state& me, unsigned lane, event_kind kind, event** found) {
  count_step();
  execution_graph& g = explorer_->graph();
  if (me.done < g.length(lane)) {
    *found = &g[g.at(lane, me.done)];
    if ((*found)->kind != kind) diverged("another operation");
    return true;
  }
  take_turn(me, lane);
  return false;
}

void graph_run::add_other(lane_state& me, unsigned lane, const graph_explorer::label& as, std::uint64_t value) {
  require_own_answer(lane);
  const bool allowed = explorer_->add_other(lane, as, value);
  ++me.done;
  if (!allowed) leave(ending::inconsistent);
}

void graph_run::fence(std::uint8_t order) {
  const unsigned lane = acting();
  lane_state& me = lanes_[lane];
  if (me.by_itself) return;
  event* found = nullptr;
  if (along(me, lane, event_kind::fence, &found)) {
    ++me.done;
  } else {
    see(order);
    add_other(me, lane, {event_kind::fence, graph_operation::fence, order}, 0);
  }
  learn(lane, (order & acquiring) != 0);
}

std::uint64_t graph_run::choose(std::uint64_t outcomes, std::uint8_t mark) {
  if (outcomes >= no_place) refuse("a choice of more than 65,534 outcomes");
  const unsigned lane = acting();
  lane_state& me = lanes_[lane];
  event* found = nullptr;
  std::uint64_t outcome = 0;
  if (along(me, lane, event_kind::choice, &found)) {
    outcome = found->value;
    if (outcome >= outcomes) diverged("a choice of fewer outcomes");
    ++me.done;
  } else {
    require_own_answer(lane);
    if (explorer_->has_answer())
      outcome = explorer_->take_answer();
    else
      for (auto other = static_cast<unsigned>(outcomes); --other > 0;) explorer_->offer_choice(lane, other);
    add_other(me, lane, {event_kind::choice, graph_operation::choice, mark}, outcome);
  }
  if (state.graph != nullptr) learn(lane, false);
  return outcome;
}

}  // namespace kvrace::detail
