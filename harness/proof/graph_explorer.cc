#include "proof/graph_explorer.h"

#include <algorithm>

namespace kvrace::detail {

// ---- frames and alternatives ----

void graph_explorer::restart() {
  depth_ = 0;
  has_answer_ = false;
  urgent_ = lanes_max;
  push_frame();
}

void graph_explorer::push_frame() {
  if (depth_ == frames_.size()) frames_.push_back(std::make_unique<frame>());
  frame_ = frames_[depth_++].get();
  frame_->graph.clear();
  frame_->trail.changes.clear();
  frame_->trail.weak = consistency::never_weak;
  frame_->waiting.clear();
  frame_->revisiting = frame_->revisited = no_place;
}

void graph_explorer::pop_frame() {
  --depth_;
  frame_ = depth_ == 0 ? nullptr : frames_[depth_ - 1].get();
}

void graph_explorer::offer(alternative::kind what, unsigned lane, place answer) {
  frame_->waiting.push_back({what, static_cast<place>(graph().size()), answer, static_cast<std::uint8_t>(lane), no_place, 0,
                             graph_operation::load, relaxed});
}

unsigned graph_explorer::take_answer() {
  has_answer_ = false;
  return answer_;
}

bool graph_explorer::next() {
  has_answer_ = false;
  urgent_ = lanes_max;
  while (frame_ != nullptr) {
    if (frame_->waiting.empty()) {
      pop_frame();
      continue;
    }
    const alternative taken = frame_->waiting.back();
    frame_->waiting.pop_back();
    switch (taken.what) {
      case alternative::kind::source:
      case alternative::kind::position:
      case alternative::kind::choice:
        shorten(taken.size);
        has_answer_ = true;
        answering_lane_ = taken.lane;
        answer_ = taken.answer;
        return true;
      case alternative::kind::revisit_position:
        take_back_revisiting();
        if (place_revisiting(taken.answer)) return true;
        break;
      case alternative::kind::revisit:
      case alternative::kind::revisit_by_update:
        if (start_revisit(taken)) return true;
        break;
    }
  }
  return false;
}

void graph_explorer::shorten(unsigned size) {
  execution_graph& g = graph();
  if (g.size() <= size) return;
  while (g.size() > size) g.remove_last();
  consistency::undo(g, frame_->trail, size);
}

// ---- additions ----

unsigned graph_explorer::lowest(unsigned lane, unsigned location) {
  graph().touch(location);
  return consistency_.lowest(graph(), graph().on(location), graph().last(lane));
}

bool graph_explorer::add_read(unsigned lane, unsigned location, const label& as, place source) {
  execution_graph& g = graph();
  const unsigned at = g.size();
  consistency::mark(frame_->trail, at);
  event& e = g.append(lane);
  e.kind = as.kind;
  e.operation = as.operation;
  e.order = as.order;
  e.waits = as.waits;
  e.location = static_cast<std::uint16_t>(location);
  e.source = source;
  g.on(location).reads.push_back(static_cast<place>(at));
  consistency_.set_clocks(g, e);
  return consistency_.added(g, frame_->trail, at, g.before(lane, e.index), g.position(source));
}

bool graph_explorer::add_write_part(unsigned lane) {
  execution_graph& g = graph();
  const unsigned at = g.size();
  const event& read = *g.last(lane);
  consistency::mark(frame_->trail, at);
  event& e = g.append(lane);
  e.kind = event_kind::update_write;
  e.operation = read.operation;
  e.order = read.order;
  e.location = read.location;
  consistency_.set_clocks(g, e);
  const location_events& on = g.on(read.location);
  offer_revisits(e.prefix, read.location, at, rival(on, read.source, e.prefix),
                 {alternative::kind::revisit, static_cast<place>(at), 0, static_cast<std::uint8_t>(lane), no_place, 0,
                  graph_operation::load, relaxed});
  const unsigned position = g.position(read.source);
  if (g.updated(on, position) || consistency_.lowest(g, on, &read) > position) return false;
  g.insert_write(at, position);
  return consistency_.added(g, frame_->trail, at, &read, position);
}

bool graph_explorer::add_write(unsigned lane, unsigned location, const label& as) {
  execution_graph& g = graph();
  const unsigned bound = lowest(lane, location);
  const location_events& on = g.on(location);
  const auto end = static_cast<unsigned>(on.writes.size());
  const bool answered = has_answer_;
  const unsigned position = answered ? take_answer() : end;
  const unsigned at = g.size();
  consistency::mark(frame_->trail, at);
  event& e = g.append(lane);
  e.kind = as.kind;
  e.operation = as.operation;
  e.order = as.order;
  e.location = static_cast<std::uint16_t>(location);
  consistency_.set_clocks(g, e);
  if (!answered) {
    alternative waits{alternative::kind::revisit,
                      static_cast<place>(at),
                      0,
                      static_cast<std::uint8_t>(lane),
                      no_place,
                      0,
                      graph_operation::load,
                      relaxed};
    offer_revisits(e.prefix, location, at, no_place, waits);
    waits.what = alternative::kind::position;
    for (unsigned other = bound; other < end; ++other) {
      if (g.updated(on, other)) continue;
      waits.answer = static_cast<place>(other);
      frame_->waiting.push_back(waits);
    }
  }
  g.insert_write(at, position);
  return consistency_.added(g, frame_->trail, at, g.before(lane, e.index), position);
}

bool graph_explorer::add_other(unsigned lane, const label& as, std::uint64_t value) {
  execution_graph& g = graph();
  const unsigned at = g.size();
  consistency::mark(frame_->trail, at);
  event& e = g.append(lane);
  e.kind = as.kind;
  e.operation = as.operation;
  e.order = as.order;
  e.value = value;
  if (as.kind == event_kind::spawn) g.set_spawn(static_cast<unsigned>(value), static_cast<place>(at));
  if (as.kind == event_kind::join) g.add_join(static_cast<place>(at));
  consistency_.set_clocks(g, e);
  return consistency_.added(g, frame_->trail, at, g.before(lane, e.index), 0);
}

bool graph_explorer::add_wake(unsigned lane, place waker) {
  execution_graph& g = graph();
  const unsigned at = g.size();
  consistency::mark(frame_->trail, at);
  event& e = g.append(lane);
  e.kind = event_kind::wake;
  e.operation = graph_operation::wake;
  e.order = relaxed;
  e.source = waker;
  g.add_join(static_cast<place>(at));
  consistency_.set_clocks(g, e);
  return consistency_.added(g, frame_->trail, at, g.before(lane, e.index), 0);
}

bool graph_explorer::label_pending(unsigned lane, const label& as) {
  execution_graph& g = graph();
  const place at = g.at(lane, g.length(lane) - 1);
  event& e = g[at];
  e.kind = as.kind;
  e.operation = as.operation;
  e.order = as.order;
  e.waits = as.waits;
  e.pending = false;
  urgent_ = lanes_max;
  consistency_.set_clocks(g, e);
  return consistency_.added(g, frame_->trail, at, g.before(lane, e.index), g.position(e.source));
}

// ---- revisits ----

// Was the event at `at` added in the last place among what was there before it or precedes the revisiting write?
bool graph_explorer::maximal(unsigned at, const graph_clock& prefix) const {
  const execution_graph& g = frame_->graph;
  const event& e = g[at];
  if (knows(g.stable, e)) return false;
  if (e.kind == event_kind::choice) return e.value == 0;
  if (!reads(e) && !writes(e)) return true;
  const location_events& on = g.on(e.location);
  const auto counts = [&](place other) { return other <= at || knows(prefix, g[other]); };
  unsigned later = e.mo + 1U;
  if (writes(e)) {
    for (const place read : on.reads)
      if (g[read].source == at && counts(read)) return false;
  } else {
    if (e.source != no_place && !counts(e.source)) return false;
    later = g.position(e.source);
  }
  return std::none_of(on.writes.begin() + static_cast<std::ptrdiff_t>(later), on.writes.end(), counts);
}

// The complete update of `source`, if it has one: a further update of the same source can only be there without it, since an
// update follows its source directly. Its write part; no_place if there is none, 0 if `prefix` has it.
place graph_explorer::rival(const location_events& on, place source, const graph_clock& prefix) const {
  const execution_graph& g = frame_->graph;
  const unsigned position = g.position(source);
  if (!g.updated(on, position)) return no_place;
  const place found = on.writes[position];
  return knows(prefix, g[found]) ? place{0} : found;
}

// Offers the revisits by a write on `location` that `prefix` precedes, of reads among the events before `size`. They must delete
// the event at `rival`.
void graph_explorer::offer_revisits(const graph_clock& prefix, unsigned location, unsigned size, place rival, alternative how) {
  const execution_graph& g = frame_->graph;
  unsigned lowest_read = size;
  for (const place read : g.on(location).reads)
    if (read < lowest_read && !knows(prefix, g[read])) lowest_read = read;
  if (lowest_read >= size || rival <= lowest_read) return;
  for (unsigned at = size; at-- > lowest_read;) {
    const event& e = g[at];
    if (knows(prefix, e)) continue;
    if (!maximal(at, prefix)) return;
    if (!reads(e) || e.location != location || rival <= at) continue;
    how.answer = static_cast<place>(at);
    frame_->waiting.push_back(how);
  }
}

void graph_explorer::offer_update_for_revisits(unsigned lane, graph_operation operation, std::uint8_t order, unsigned location,
                                               place source) {
  const execution_graph& g = graph();
  const event* before = g.last(lane);
  graph_clock prefix = before != nullptr ? before->prefix : graph_clock{};
  if (source != no_place) join(prefix, g[source].prefix);
  offer_revisits(prefix, location, g.size(), rival(g.on(location), source, prefix),
                 {alternative::kind::revisit_by_update, static_cast<place>(g.size()), 0, static_cast<std::uint8_t>(lane), source,
                  static_cast<std::uint16_t>(location), operation, order});
}

// Makes the graph in which the read of `of` reads from the write of `of`. False if there is no consistent one.
bool graph_explorer::start_revisit(const alternative& of) {
  shorten(of.size);
  execution_graph& from = graph();
  unsigned write = of.size;
  if (of.what == alternative::kind::revisit_by_update) {
    from.touch(of.location);
    event& read = from.append(of.lane);
    read.kind = event_kind::update_read;
    read.operation = of.operation;
    read.order = of.order;
    read.location = of.location;
    read.source = of.source;
    consistency_.set_clocks(from, read);
    event& part = from.append(of.lane);
    part.kind = event_kind::update_write;
    part.operation = of.operation;
    part.order = of.order;
    part.location = of.location;
    consistency_.set_clocks(from, part);
    ++write;
  } else {
    from.append_again(write);
    from[write].mo = no_place;
  }
  const bool drop_read = from[of.answer].operation == graph_operation::lock && from[write].kind == event_kind::update_write;
  copy_without(of, write, drop_read);
  while (from.size() > of.size) from.retract();

  execution_graph& made = graph();
  if (consistency_.keeps_total() && !consistency_.renew(made)) frame_->trail.weak = consistency::weak_from_start;
  return offer_positions();
}

// Opens a frame with what the revisit keeps. The revisiting write comes last; it is no part of the graph until it is placed.
void graph_explorer::copy_without(const alternative& of, unsigned write, bool drop_read) {
  const execution_graph& from = graph();
  const graph_clock prefix = from[write].prefix;
  push_frame();
  execution_graph& to = graph();
  const unsigned first = of.answer + (drop_read ? 0U : 1U);  // all before it are kept
  to.copy_first(from, first);
  renumbered_.resize(from.size());
  for (unsigned at = 0; at < first; ++at) renumbered_[at] = static_cast<place>(at);
  for (unsigned at = first; at < from.size(); ++at) {
    const event& e = from[at];
    renumbered_[at] = no_place;
    if (at == of.answer || !knows(prefix, e)) continue;
    renumbered_[at] = static_cast<place>(to.size());
    event& copy = to.append(e.lane);
    copy = e;
    if (e.kind == event_kind::spawn) to.set_spawn(static_cast<unsigned>(e.value), renumbered_[at]);
    if (e.kind == event_kind::join || e.kind == event_kind::wake) to.add_join(renumbered_[at]);
  }
  to.stable = from.stable;
  if (drop_read) join(to.stable, prefix);
  // Sources may come later in the order than their reads.
  for (unsigned at = 0; at < to.size(); ++at)
    if (to[at].source != no_place) to[at].source = renumbered_[to[at].source];
  for (const std::uint16_t location : from.touched()) {
    to.touch(location);
    const location_events& source = from.on(location);
    location_events& target = to.on(location);
    for (const place each : source.writes) {
      if (renumbered_[each] == no_place) continue;
      to[renumbered_[each]].mo = static_cast<place>(target.writes.size());
      target.writes.push_back(renumbered_[each]);
    }
    for (const place each : source.reads)
      if (renumbered_[each] != no_place && each != of.answer) target.reads.push_back(renumbered_[each]);
  }
  frame_->revisiting = renumbered_[write];
  if (of.what == alternative::kind::revisit_by_update)
    to.on(of.location).reads.push_back(static_cast<place>(frame_->revisiting - 1));
  if (!drop_read) {
    frame_->revisited = renumbered_[of.answer];
    to[frame_->revisited].pending = true;
    to[frame_->revisited].source = frame_->revisiting;
  }
  to.retract();
}

// Places the revisiting write and keeps its other positions for later. Drops the frame if there is none.
bool graph_explorer::offer_positions() {
  execution_graph& g = graph();
  const event& w = g[frame_->revisiting];
  const location_events& on = g.on(w.location);
  unsigned first = consistency_.lowest(g, on, g.last(w.lane));
  if (frame_->revisited != no_place) {
    const event& read = g[frame_->revisited];
    first = std::max(first, consistency_.lowest(g, on, g.before(read.lane, read.index)));
  }
  unsigned last = static_cast<unsigned>(on.writes.size());
  if (w.kind == event_kind::update_write) {
    const unsigned only = g.position(g.last(w.lane)->source);
    if (only < first)
      last = 0, first = 1;
    else
      first = last = only;
  }
  bool found = false;
  unsigned chosen = 0;
  for (unsigned position = first; position <= last; ++position) {
    if (g.updated(on, position)) continue;
    if (found) offer(alternative::kind::revisit_position, w.lane, static_cast<place>(chosen));
    found = true;
    chosen = position;
  }
  if (found && place_revisiting(chosen)) return true;
  if (!found) pop_frame();
  return false;
}

bool graph_explorer::place_revisiting(unsigned position) {
  execution_graph& g = graph();
  const place write = frame_->revisiting;
  const event& w = g[write];
  const event* before = g.last(w.lane);
  consistency::mark(frame_->trail, write);
  g.append_again(write);
  g.insert_write(write, position);
  if (!consistency_.added(g, frame_->trail, write, before, position)) return false;
  if (frame_->revisited == no_place) {
    find_urgent();
    return true;
  }
  g.on(w.location).reads.push_back(frame_->revisited);
  urgent_ = g[frame_->revisited].lane;
  return true;
}

// Back to the graph as it was before the revisiting write was placed.
void graph_explorer::take_back_revisiting() {
  execution_graph& g = graph();
  const place write = frame_->revisiting;
  if (g.size() <= write) return;
  while (g.size() > write + 1U) g.remove_last();
  if (frame_->revisited != no_place) {
    auto& on = g.on(g[write].location).reads;
    if (!on.empty() && on.back() == frame_->revisited) on.pop_back();
    g[frame_->revisited].pending = true;
  }
  g.remove_last();
  consistency::undo(g, frame_->trail, write);
  if (frame_->trail.weak == frame_->revisited) frame_->trail.weak = consistency::never_weak;
}

// A revisit may have deleted the write part of an update whose read stays: it must be added again before anything else.
void graph_explorer::find_urgent() {
  const execution_graph& g = frame_->graph;
  place lowest_read = no_place;
  urgent_ = lanes_max;
  for (unsigned lane = 0; lane < lanes_max; ++lane) {
    if (g.length(lane) == 0) continue;
    const place last = g.at(lane, g.length(lane) - 1);
    if (g[last].kind != event_kind::update_read || g[last].pending || last >= lowest_read) continue;
    lowest_read = last;
    urgent_ = lane;
  }
}

}  // namespace kvrace::detail
