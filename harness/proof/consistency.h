// Which execution graphs a memory model allows, decided event by event.
//
// sc: po, rf, mo and from-reads are acyclic. rc11: RC11 of Lahav, Vafeiadis, Kang, Hur, Dreyer (PLDI 2017) with the release
// sequences of C++20, [W];(rf;rmw)*; coherence and atomicity are ensured by where reads and writes may be placed, and what is
// left is the axiom on sequentially consistent events. Both forbid load buffering: po and rf are acyclic.
#pragma once

#include <cstdint>
#include <vector>

#include "proof/execution_graph.h"

namespace kvrace::detail {

enum class graph_model : std::uint8_t {
  sc,
  rc11,
  rc11_genmc,  // GenMC's stronger axiom: sb in the place of sb between different locations
};

// A strongly connected component of a graph that is not sequentially consistent, and relations over its members as rows of bits.
struct component {
  std::vector<place> members;
  std::vector<std::uint16_t> number;  // by place; no_place for the others
  std::vector<unsigned> sequential;   // members that are sequentially consistent events
  std::size_t words = 0;              // of a row
  std::vector<std::uint64_t> scb;     // rows by member, filled on demand
  std::vector<bool> scb_known;
  std::vector<std::uint64_t> reached, followed, psc;
};

class consistency {
 public:
  explicit consistency(graph_model model) : model_(model) {}

  // Sets every clock of `e` that depends on its predecessors only. Not `total`.
  void set_clocks(const execution_graph& graph, event& e) const;

  // The lowest position, 0 being the initial value, that a read after `before` may read from, and the lowest index at which a
  // write after `before` may be placed.
  [[nodiscard]] unsigned lowest(const execution_graph& graph, const location_events& on, const event* before) const;

  // True if sequentially consistent events matter to the model and one has been seen: else `total` is not kept.
  [[nodiscard]] bool keeps_total() const { return model_ == graph_model::sc || sequential_seen_; }
  // Tells of the order of an event to come. True if the exploration must start again, now keeping `total`.
  [[nodiscard]] bool sees(unsigned order) {
    if ((order & sequential) == 0 || keeps_total()) return false;
    return sequential_seen_ = true;
  }

  [[nodiscard]] bool sequential_seen() const { return sequential_seen_; }

  // What changes with each event of a graph, and how to take it back.
  struct trail {
    struct change {
      place at;
      graph_clock former;
    };
    std::vector<change> changes;       // of `total`
    std::vector<std::uint32_t> marks;  // by place: how many changes there were before the event
    int weak = never_weak;             // the place from which on the graph is not sequentially consistent
  };
  static constexpr int never_weak = -1;
  static constexpr int weak_from_start = -2;

  // The event at `at`, after `before`, has been added: a read with its source, a write with its position. `position` is that of
  // the source or the index of the write. False if the graph is inconsistent now.
  [[nodiscard]] bool added(execution_graph& graph, trail& kept, unsigned at, const event* before, unsigned position);
  // To be called before it is added.
  static void mark(trail& kept, unsigned at);
  // Takes back every change since the event at `at` was added.
  static void undo(execution_graph& graph, trail& kept, unsigned at);

  // Computes `total` anew where it depended on events that are gone. False: the graph is not sequentially consistent.
  [[nodiscard]] bool renew(execution_graph& graph) { return renew(graph, false); }
  // Computes `total` for every event. False: the graph is not sequentially consistent.
  [[nodiscard]] bool make_total(execution_graph& graph) { return renew(graph, true); }

 private:
  [[nodiscard]] bool renew(execution_graph& graph, bool all);
  [[nodiscard]] unsigned lowest_total(const execution_graph& graph, const location_events& on, const event* before) const;
  void set_total(execution_graph& graph, trail& kept, unsigned at);
  void raise(execution_graph& graph, trail& kept, unsigned at, const graph_clock& by);
  [[nodiscard]] static graph_clock from_predecessors(const execution_graph& graph, const event& e, unsigned at);
  // In consistency_rc11.cc.
  [[nodiscard]] bool sequential_axiom(const execution_graph& graph, unsigned newest);
  void collect(const execution_graph& graph, unsigned newest);
  std::uint64_t* scb_of(const execution_graph& graph, unsigned member);
  void add_psc(const execution_graph& graph, std::size_t from);
  [[nodiscard]] bool different_location(const event& a, const event& b) const;

  graph_model model_;
  bool sequential_seen_ = false;
  std::vector<place> raised_;  // scratch
  std::vector<place> renewed_;

  component component_;  // scratch
};

}  // namespace kvrace::detail
