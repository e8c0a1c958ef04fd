// The axiom of RC11 on sequentially consistent events: psc is acyclic, where
//   psc  = ([SC] | [F];hb?) ; scb ; ([SC] | hb?;[F])  |  [F] ; (hb | hb;eco;hb) ; [F]        F: sequentially consistent fences
//   scb  = sb | sb';hb;sb' | hb on one location | mo | from-reads                          sb': between different locations
// psc lies within (po, rf, mo, from-reads)+, so only the strongly connected component of the newest event can hold a new cycle,
// and everything between two of its members lies in it as well.
#include <algorithm>

#include "proof/consistency.h"

namespace kvrace::detail {

namespace {

[[nodiscard]] bool on_location(const event& e) { return reads(e) || writes(e); }
[[nodiscard]] bool is_sequential_fence(const event& e) { return e.kind == event_kind::fence && (e.order & sequential) != 0; }
[[nodiscard]] bool happens_before(const event& a, const event& b) { return &a != &b && knows(b.happens_before, a); }

void set(std::uint64_t* row, unsigned bit) { row[bit / 64] |= std::uint64_t{1} << (bit % 64); }
[[nodiscard]] bool has(const std::uint64_t* row, unsigned bit) { return (row[bit / 64] >> (bit % 64) & 1) != 0; }
void unite(std::uint64_t* into, const std::uint64_t* from, std::size_t words) {
  for (std::size_t i = 0; i < words; ++i) into[i] |= from[i];
}

// Adds to `row` the members that follow `e` by mo or from-reads, and with `readers` those that read from these: eco without the
// readers of `e` itself if it is a read.
void add_later(const execution_graph& graph, const component& of, const event& e, bool readers, std::uint64_t* row) {
  const location_events& on = graph.on(e.location);
  const unsigned first = writes(e) ? e.mo + 1U : graph.position(e.source);
  const auto add = [&](place at) {
    if (of.number[at] != no_place) set(row, of.number[at]);
  };
  for (std::size_t i = first; i < on.writes.size(); ++i) add(on.writes[i]);
  if (!readers) return;
  for (const place read : on.reads) {
    const unsigned position = graph.position(graph[read].source);
    if (!graph[read].pending && (writes(e) ? position >= first : position > first)) add(read);
  }
}

}  // namespace

bool consistency::different_location(const event& a, const event& b) const {
  return model_ == graph_model::rc11_genmc || !on_location(a) || !on_location(b) || a.location != b.location;
}

// The component of the event at `newest`: those that it follows and that follow it. In a lane they come one after the other,
// since what an event follows its successors follow as well, and end with the last that it follows.
void consistency::collect(const execution_graph& graph, unsigned newest) {
  component& c = component_;
  for (const place member : c.members) c.number[member] = no_place;
  c.members.clear();
  c.sequential.clear();
  if (c.number.size() < graph.size()) c.number.resize(graph.size() + 64U, no_place);
  const event& n = graph[newest];
  for (unsigned lane = 0; lane < lanes_max; ++lane) {
    for (unsigned index = n.total.at[lane]; index-- > 0;) {
      const place at = graph.at(lane, index);
      const event& e = graph[at];
      if (e.pending) continue;
      if (!knows(e.total, n)) break;
      c.number[at] = static_cast<std::uint16_t>(c.members.size());
      if ((e.order & sequential) != 0) c.sequential.push_back(c.number[at]);
      c.members.push_back(at);
    }
  }
  c.words = (c.members.size() + 63) / 64;
}

std::uint64_t* consistency::scb_of(const execution_graph& graph, unsigned member) {
  component& c = component_;
  std::uint64_t* row = &c.scb[member * c.words];
  if (c.scb_known[member]) return row;
  c.scb_known[member] = true;
  const event& e = graph[c.members[member]];
  const event* leaves = nullptr;  // the first event after it on another location
  for (unsigned index = e.index + 1U; index < graph.length(e.lane); ++index) {
    const place later = graph.at(e.lane, index);
    if (graph[later].pending) continue;
    if (c.number[later] != no_place) set(row, c.number[later]);
    if (leaves == nullptr && different_location(e, graph[later])) leaves = &graph[later];
  }
  for (unsigned other = 0; other < c.members.size(); ++other) {
    const event& to = graph[c.members[other]];
    if (on_location(e) && on_location(to) && e.location == to.location && happens_before(e, to)) set(row, other);
    if (leaves == nullptr) continue;
    unsigned index = to.index;  // the last event before `to` on another location has index - 1
    while (index != 0 && !different_location(graph[graph.at(to.lane, index - 1)], to)) --index;
    if (index != 0 && happens_before(*leaves, graph[graph.at(to.lane, index - 1)])) set(row, other);
  }
  if (on_location(e)) add_later(graph, c, e, false, row);
  return row;
}

// Fills in the row of the sequentially consistent event number `from`.
void consistency::add_psc(const execution_graph& graph, std::size_t from) {
  component& c = component_;
  const event& a = graph[c.members[c.sequential[from]]];
  const bool fence = is_sequential_fence(a);
  c.reached.assign(c.words, 0);   // by scb, from a or, if it is a fence, from what it happens before
  c.followed.assign(c.words, 0);  // by hb;eco
  unite(c.reached.data(), scb_of(graph, c.sequential[from]), c.words);
  for (unsigned x = 0; fence && x < c.members.size(); ++x) {
    const event& later = graph[c.members[x]];
    if (!happens_before(a, later)) continue;
    unite(c.reached.data(), scb_of(graph, x), c.words);
    if (on_location(later)) add_later(graph, c, later, true, c.followed.data());
  }
  std::uint64_t* row = &c.psc[from * ((c.sequential.size() + 63) / 64)];
  for (unsigned to = 0; to < c.sequential.size(); ++to) {
    const event& b = graph[c.members[c.sequential[to]]];
    bool edge = has(c.reached.data(), c.sequential[to]);
    if (!edge && is_sequential_fence(b)) {
      edge = fence && happens_before(a, b);
      for (unsigned z = 0; !edge && z < c.members.size(); ++z)
        edge = (has(c.reached.data(), z) || (fence && has(c.followed.data(), z))) && happens_before(graph[c.members[z]], b);
    }
    if (edge) set(row, to);
  }
}

bool consistency::sequential_axiom(const execution_graph& graph, unsigned newest) {
  collect(graph, newest);
  component& c = component_;
  const std::size_t events = c.sequential.size();
  if (events < 2) return true;
  c.scb.assign(c.members.size() * c.words, 0);
  c.scb_known.assign(c.members.size(), false);
  const std::size_t words = (events + 63) / 64;
  c.psc.assign(events * words, 0);
  for (std::size_t from = 0; from < events; ++from) add_psc(graph, from);
  // Transitive closure (Warshall).
  for (unsigned via = 0; via < events; ++via)
    for (unsigned from = 0; from < events; ++from)
      if (has(&c.psc[from * words], via)) unite(&c.psc[from * words], &c.psc[via * words], words);
  for (unsigned at = 0; at < events; ++at)
    if (has(&c.psc[at * words], at)) return false;
  return true;
}

}  // namespace kvrace::detail
