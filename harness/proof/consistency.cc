#include "proof/consistency.h"

#include <algorithm>

namespace kvrace::detail {

// ---- clocks that never change ----

void consistency::set_clocks(const execution_graph& graph, event& e) const {
  const event* before = graph.before(e.lane, e.index);
  const event* source = reads(e) && e.source != no_place ? &graph[e.source] : nullptr;
  if (before != nullptr) {
    e.prefix = before->prefix;
    e.happens_before = before->happens_before;
  } else {
    e.prefix = e.happens_before = {};
  }
  if (before != nullptr && e.index != 0) {
    e.acquire_pending = before->acquire_pending;
    e.release_fence = before->release_fence;
  } else {
    e.acquire_pending = e.release_fence = {};
  }
  know(e.prefix, e.lane, e.index + 1U);
  know(e.happens_before, e.lane, e.index + 1U);
  if (source != nullptr) {
    join(e.prefix, source->prefix);
    join((e.order & acquiring) != 0 ? e.happens_before : e.acquire_pending, source->message);
  } else if (writes(e)) {
    e.message = (e.order & releasing) != 0 ? e.happens_before : e.release_fence;
    if (e.kind == event_kind::update_write && before->source != no_place) join(e.message, graph[before->source].message);
  } else if (e.kind == event_kind::fence) {
    if ((e.order & acquiring) != 0) join(e.happens_before, e.acquire_pending);
    if ((e.order & releasing) != 0) e.release_fence = e.happens_before;
  } else if (e.kind == event_kind::wake) {
    join(e.prefix, graph[e.source].prefix);
  } else if (e.kind == event_kind::join) {
    for (unsigned lane = 0; lane < lanes_max; ++lane) {
      if (lane == e.lane || (e.value != lanes_max && e.value != lane)) continue;
      const event* last = graph.last(lane);
      if (last == nullptr) continue;
      join(e.prefix, last->prefix);
      join(e.happens_before, last->happens_before);
    }
  }
}

// ---- where reads and writes may go ----

unsigned consistency::lowest_total(const execution_graph& graph, const location_events& on, const event* before) const {
  if (before == nullptr) return 0;
  for (std::size_t i = on.writes.size(); i > 0; --i)
    if (knows(before->total, graph[on.writes[i - 1]])) return static_cast<unsigned>(i);
  return 0;
}

// sc: what comes later in the modification order than the place taken must not precede the event. rc11: coherence with the writes
// that happen before, and with the sources of the reads that do.
unsigned consistency::lowest(const execution_graph& graph, const location_events& on, const event* before) const {
  if (model_ == graph_model::sc) return lowest_total(graph, on, before);
  if (before == nullptr) return 0;
  unsigned bound = 0;
  const auto known = static_cast<unsigned>(on.writes.size());
  for (unsigned i = known; i > 0 && bound == 0; --i)
    if (knows(before->happens_before, graph[on.writes[i - 1]])) bound = i;
  if (bound == known) return bound;
  for (const place read : on.reads)
    if (knows(before->happens_before, graph[read])) bound = std::max(bound, graph.position(graph[read].source));
  return bound;
}

// ---- the total order ----

void consistency::mark(trail& kept, unsigned at) {
  if (kept.marks.size() <= at) kept.marks.resize(at + 64);
  kept.marks[at] = static_cast<std::uint32_t>(kept.changes.size());
}

void consistency::undo(execution_graph& graph, trail& kept, unsigned at) {
  const std::uint32_t down_to = kept.marks[at];
  while (kept.changes.size() > down_to) {
    graph[kept.changes.back().at].total = kept.changes.back().former;
    kept.changes.pop_back();
  }
  if (kept.weak >= static_cast<int>(at)) kept.weak = never_weak;
}

// Raises the clock of one event and of all that follow it.
void consistency::raise(execution_graph& graph, trail& kept, unsigned at, const graph_clock& by) {
  raised_.clear();
  const auto one = [&](place reached, const graph_clock& clock) {
    event& e = graph[reached];
    if (e.pending || within(clock, e.total)) return;
    kept.changes.push_back({reached, e.total});
    join(e.total, clock);
    raised_.push_back(reached);
  };
  one(static_cast<place>(at), by);
  while (!raised_.empty()) {
    const place from = raised_.back();
    raised_.pop_back();
    const event& e = graph[from];
    const graph_clock clock = e.total;
    if (e.index + 1U < graph.length(e.lane))
      one(graph.at(e.lane, e.index + 1U), clock);
    else
      for (const place join : graph.joins())
        if (graph[join].kind == event_kind::join && knows(graph[join].prefix, e)) one(join, clock);
    if (writes(e)) {
      const location_events& on = graph.on(e.location);
      if (e.mo + 1U < on.writes.size()) one(on.writes[e.mo + 1U], clock);
      for (const place read : on.reads)
        if (graph[read].source == from) one(read, clock);
      for (const place wake : graph.joins())
        if (graph[wake].source == from) one(wake, clock);
    } else if (reads(e)) {
      const location_events& on = graph.on(e.location);
      const unsigned next = graph.position(e.source);
      if (next >= on.writes.size()) continue;
      const event& write = graph[on.writes[next]];
      if (e.kind != event_kind::update_read || write.lane != e.lane || write.index != e.index + 1U) one(on.writes[next], clock);
    } else if (e.kind == event_kind::spawn) {
      const auto lane = static_cast<unsigned>(e.value);
      if (graph.length(lane) != 0) one(graph.at(lane, 0), clock);
    }
  }
}

// The clocks of the predecessors of `e` joined, with its own entry.
graph_clock consistency::from_predecessors(const execution_graph& graph, const event& e, unsigned at) {
  const event* before = graph.before(e.lane, e.index);
  graph_clock clock = before != nullptr ? before->total : graph_clock{};
  know(clock, e.lane, e.index + 1U);
  if (reads(e)) {
    if (e.source != no_place) join(clock, graph[e.source].total);
  } else if (writes(e)) {
    if (e.mo == no_place) return clock;
    const location_events& on = graph.on(e.location);
    const place previous = e.mo != 0 ? on.writes[e.mo - 1U] : no_place;
    if (previous != no_place) join(clock, graph[previous].total);
    for (const place read : on.reads) {
      const event& r = graph[read];
      if (r.source == previous && !r.pending && !(r.lane == e.lane && r.index + 1 == e.index)) join(clock, r.total);
    }
  } else if (e.kind == event_kind::wake) {
    join(clock, graph[e.source].total);
  } else if (e.kind == event_kind::join) {
    for (unsigned lane = 0; lane < lanes_max; ++lane) {
      const event* last = graph.last(lane);
      if (last != nullptr && last != &graph[at] && knows(e.prefix, *last)) join(clock, last->total);
    }
  }
  return clock;
}

void consistency::set_total(execution_graph& graph, trail& kept, unsigned at) {
  event& e = graph[at];
  e.total = from_predecessors(graph, e, at);
  if (reads(e)) {
    const location_events& on = graph.on(e.location);
    const unsigned next = graph.position(e.source);
    if (next < on.writes.size()) raise(graph, kept, on.writes[next], e.total);
  } else if (writes(e)) {
    const location_events& on = graph.on(e.location);
    if (e.mo + 1U < on.writes.size()) raise(graph, kept, on.writes[e.mo + 1U], e.total);
  }
}

bool consistency::added(execution_graph& graph, trail& kept, unsigned at, const event* before, unsigned position) {
  if (!keeps_total()) return true;
  const event& e = graph[at];
  if (model_ == graph_model::sc) {  // no position below lowest() is ever taken
    set_total(graph, kept, at);
    return true;
  }
  const bool ordered =
      kept.weak != never_weak || !(reads(e) || writes(e)) || lowest_total(graph, graph.on(e.location), before) <= position;
  // On cycles the clocks saturate: two events are in one strongly connected component exactly if each knows the other.
  set_total(graph, kept, at);
  if (!ordered && kept.weak == never_weak) kept.weak = static_cast<int>(at);
  return kept.weak == never_weak || sequential_axiom(graph, at);
}

bool consistency::renew(execution_graph& graph, bool all) {
  graph_clock left{};  // of each lane
  for (unsigned lane = 0; lane < lanes_max; ++lane) left.at[lane] = static_cast<std::uint8_t>(graph.length(lane));
  for (unsigned i = 0; i < graph.size(); ++i)
    if (graph[i].pending) left.at[graph[i].lane] = graph[i].index;
  renewed_.clear();
  for (unsigned i = 0; i < graph.size(); ++i) {
    event& e = graph[i];
    if (e.pending || (!all && within(e.total, left))) continue;
    e.total = {};
    know(e.total, e.lane, e.index + 1U);
    renewed_.push_back(static_cast<place>(i));
  }
  for (bool changed = !renewed_.empty(); changed;) {
    changed = false;
    for (const place at : renewed_) {
      event& e = graph[at];
      graph_clock clock = from_predecessors(graph, e, at);
      join(clock, e.total);
      if (within(clock, e.total)) continue;
      e.total = clock;
      changed = true;
    }
  }
  if (model_ == graph_model::sc) return true;
  for (unsigned i = 0; i < graph.size(); ++i) {
    const event& e = graph[i];
    const event* before = graph.before(e.lane, e.index);
    if (before != nullptr && !e.pending && knows(before->total, e)) return false;
  }
  return true;
}

}  // namespace kvrace::detail
