#include "proof/graph_axioms.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace kvrace::testing {

namespace {

constexpr std::size_t events_max = 64;
using set_of_events = std::uint64_t;

struct relation {
  std::array<set_of_events, events_max> row{};
  std::size_t size = 0;

  void add(std::size_t a, std::size_t b) { row[a] |= set_of_events{1} << b; }
  [[nodiscard]] bool has(std::size_t a, std::size_t b) const { return (row[a] >> b & 1) != 0; }
  [[nodiscard]] relation operator|(const relation& other) const {
    relation sum = *this;
    for (std::size_t a = 0; a < size; ++a) sum.row[a] |= other.row[a];
    return sum;
  }
  // Relational composition.
  [[nodiscard]] relation then(const relation& next) const {
    relation made = *this;
    for (std::size_t a = 0; a < size; ++a) {
      made.row[a] = 0;
      for (std::size_t b = 0; b < size; ++b)
        if (has(a, b)) made.row[a] |= next.row[b];
    }
    return made;
  }
  [[nodiscard]] relation inverse() const {
    relation made = *this;
    made.row.fill(0);
    for (std::size_t a = 0; a < size; ++a)
      for (std::size_t b = 0; b < size; ++b)
        if (has(a, b)) made.add(b, a);
    return made;
  }
  [[nodiscard]] relation closure() const {
    relation made = *this;
    for (std::size_t via = 0; via < size; ++via)
      for (std::size_t a = 0; a < size; ++a)
        if (made.has(a, via)) made.row[a] |= made.row[via];
    return made;
  }
  [[nodiscard]] bool irreflexive() const {
    for (std::size_t a = 0; a < size; ++a)
      if (has(a, a)) return false;
    return true;
  }
  [[nodiscard]] bool acyclic() const { return closure().irreflexive(); }
  template <class Condition>
  [[nodiscard]] relation where(Condition holds) const {
    relation made = *this;
    for (std::size_t a = 0; a < size; ++a)
      for (std::size_t b = 0; b < size; ++b)
        if (has(a, b) && !holds(a, b)) made.row[a] &= ~(set_of_events{1} << b);
    return made;
  }
};

bool acquires(std::memory_order order) { return order != std::memory_order_relaxed && order != std::memory_order_release; }
bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

// The events of a graph with numbers, the initial writes first, and its relations.
class relations {
 public:
  explicit relations(const axiom_graph& graph) {
    using kind = axiom_event::kind;
    const auto locations = graph.modification.size();
    for (std::size_t location = 0; location < locations; ++location)
      events_.push_back({kind::write, static_cast<int>(location), std::memory_order_relaxed});
    std::vector<std::size_t> first;
    for (const auto& task : graph.events) {
      first.push_back(events_.size());
      events_.insert(events_.end(), task.begin(), task.end());
    }
    const auto number = [&](const event_name& name, int location) {
      return name.task < 0 ? static_cast<std::size_t>(location)
                           : first[static_cast<std::size_t>(name.task)] + static_cast<std::size_t>(name.index);
    };
    none_.size = events_.size();
    sb = rf = mo = rmw = none_;
    for (std::size_t task = 0; task < graph.events.size(); ++task)
      for (std::size_t index = 0; index < graph.events[task].size(); ++index) {
        const std::size_t at = first[task] + index;
        for (std::size_t location = 0; location < locations; ++location) sb.add(location, at);
        for (std::size_t later = index + 1; later < graph.events[task].size(); ++later) sb.add(at, first[task] + later);
        if (events_[at].what == kind::update_read) rmw.add(at, at + 1);
        if (reads(at)) rf.add(number(events_[at].source, events_[at].location), at);
      }
    for (std::size_t location = 0; location < locations; ++location) {
      std::vector<std::size_t> order{location};
      for (const event_name& name : graph.modification[location]) order.push_back(number(name, static_cast<int>(location)));
      for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = i + 1; j < order.size(); ++j) mo.add(order[i], order[j]);
    }
    rb = rf.inverse().then(mo).where([](std::size_t a, std::size_t b) { return a != b; });
    set_happens_before();
  }

  [[nodiscard]] std::size_t size() const { return events_.size(); }
  [[nodiscard]] const axiom_event& event(std::size_t at) const { return events_[at]; }
  [[nodiscard]] bool reads(std::size_t at) const {
    return events_[at].what == axiom_event::kind::read || events_[at].what == axiom_event::kind::update_read;
  }
  [[nodiscard]] bool writes(std::size_t at) const {
    return events_[at].what == axiom_event::kind::write || events_[at].what == axiom_event::kind::update_write;
  }
  [[nodiscard]] bool fence(std::size_t at) const { return events_[at].what == axiom_event::kind::fence; }
  [[nodiscard]] bool same_location(std::size_t a, std::size_t b) const {
    return (reads(a) || writes(a)) && (reads(b) || writes(b)) && events_[a].location == events_[b].location;
  }
  // The identity on the events for which `holds`.
  template <class Condition>
  [[nodiscard]] relation on(Condition holds) const {
    relation made = none_;
    for (std::size_t at = 0; at < size(); ++at)
      if (holds(at)) made.add(at, at);
    return made;
  }
  [[nodiscard]] relation optional(const relation& some) const {
    return some | on([](std::size_t) { return true; });
  }

  relation sb, rf, mo, rmw, rb, hb;

 private:
  void set_happens_before() {
    const relation is_write = on([this](std::size_t at) { return writes(at); });
    const relation release_sequence = is_write.then(optional(rf.then(rmw).closure()));
    const relation release_fence = on([this](std::size_t at) { return fence(at) && releases(events_[at].order); });
    const relation acquire_fence = on([this](std::size_t at) { return fence(at) && acquires(events_[at].order); });
    const relation release_write = on([this](std::size_t at) { return writes(at) && releases(events_[at].order); });
    const relation acquire_read = on([this](std::size_t at) { return reads(at) && acquires(events_[at].order); });
    const relation is_read = on([this](std::size_t at) { return reads(at); });
    const relation sw = (release_write | release_fence.then(sb))
                            .then(release_sequence)
                            .then(rf)
                            .then(acquire_read | is_read.then(sb).then(acquire_fence));
    hb = (sb | sw).closure();
  }

  std::vector<axiom_event> events_;
  relation none_;
};

bool sequential(const relations& r) { return (r.sb | r.rf | r.mo | r.rb).acyclic(); }

bool rc11(const relations& r, bool genmc) {
  const relation eco = (r.rf | r.mo | r.rb).closure();
  if (!r.hb.irreflexive() || !r.hb.then(eco).irreflexive() || !eco.irreflexive()) return false;
  const auto different = [&](std::size_t a, std::size_t b) { return !r.same_location(a, b); };
  const relation leaving = genmc ? r.sb : r.sb.where(different);
  const relation scb = r.sb | leaving.then(r.hb).then(leaving) |
                       r.hb.where([&](std::size_t a, std::size_t b) { return r.same_location(a, b); }) | r.mo | r.rb;
  const relation sc = r.on([&](std::size_t at) { return r.event(at).order == std::memory_order_seq_cst; });
  const relation fences = r.on([&](std::size_t at) { return r.fence(at) && r.event(at).order == std::memory_order_seq_cst; });
  const relation base = (sc | fences.then(r.optional(r.hb))).then(scb).then(sc | r.optional(r.hb).then(fences));
  const relation between_fences = fences.then(r.hb | r.hb.then(eco).then(r.hb)).then(fences);
  return (base | between_fences).acyclic();
}

}  // namespace

bool consistent(const axiom_graph& graph, memory_model model) {
  const relations r(graph);
  if (!(r.sb | r.rf).acyclic()) return false;
  const relation overtaken = r.rb.then(r.mo);
  for (std::size_t a = 0; a < r.size(); ++a)
    if ((r.rmw.row[a] & overtaken.row[a]) != 0) return false;
  return model == memory_model::sc ? sequential(r) : rc11(r, model == memory_model::rc11_genmc);
}

bool has_race(const axiom_graph& graph) {
  const relations r(graph);
  for (std::size_t a = 0; a < r.size(); ++a)
    for (std::size_t b = 0; b < r.size(); ++b)
      if (a != b && r.event(a).datum >= 0 && r.event(a).datum == r.event(b).datum && r.event(a).writes_datum && !r.hb.has(a, b) &&
          !r.hb.has(b, a))
        return true;
  return false;
}

std::string key_of(const axiom_graph& graph) {
  std::string key;
  const auto add = [&key](int part) { key += static_cast<char>(part + 1); };
  for (const auto& task : graph.events) {
    for (const axiom_event& each : task) {
      add(static_cast<int>(each.what));
      add(each.location);
      add(each.source.task);
      add(each.source.index);
      add(each.value);
    }
    key += '|';
  }
  for (const auto& order : graph.modification) {
    for (const event_name& name : order) {
      add(name.task);
      add(name.index);
    }
    key += '|';
  }
  return key;
}

}  // namespace kvrace::testing
