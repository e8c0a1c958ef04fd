// Visits every consistent execution graph of a program once, storing none (TruSt: Kokologiannakis, Marmanis, Gladstein,
// Vafeiadis, POPL 2022).
//
// A read is added with each possible source, a write at each possible place in the modification order; beyond that a write
// revisits reads that were added before it: what was added since and does not precede the write is deleted, and the read takes
// the write as its source. It does so from one graph only among those that would lead to the same result: the one in which
// everything to be deleted is maximal, that is, was added as if the deleted rest did not exist and in the last place.
//
// The program is executed forward to its end; the alternatives met on the way wait in a list. A graph is taken back to the length
// an alternative belongs to, and copied for a revisit only.
//
// Locks: an acquisition is added when the lock is free only. When an acquisition revisits another, that one would find
// the lock taken: it is deleted, its task waits again, and what precedes the revisiting acquisition is stable from then on, or
// the two would revisit each other for ever. When nothing can go on, the acquisitions that wait are added for the sake of their
// revisits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proof/consistency.h"
#include "proof/execution_graph.h"

namespace kvrace::detail {

class byte_reader;
class byte_writer;
class random_source;

class graph_explorer {
 public:
  explicit graph_explorer(graph_model model) : consistency_(model) { restart(); }

  // Drops everything but what `sees` has learnt.
  void restart();
  // Prepares the graph along which the program is to be executed next, to its end. False: all were explored.
  [[nodiscard]] bool next();

  [[nodiscard]] execution_graph& graph() { return frame_->graph; }
  // The lane that must go first, because its last read is pending or lacks its write part; lanes_max for none.
  [[nodiscard]] unsigned urgent() const { return urgent_; }
  // To be called when the urgent lane has done its duty.
  void find_urgent();
  [[nodiscard]] consistency& rules() { return consistency_; }
  [[nodiscard]] const consistency& rules() const { return consistency_; }
  [[nodiscard]] bool weak() const { return frame_->trail.weak != consistency::never_weak; }

  // ---- what the executed program adds ----
  // The lowest position at which lane's next event on `location` may read or be placed.
  [[nodiscard]] unsigned lowest(unsigned lane, unsigned location);
  // The answer the next event must take, if it is the one an alternative was made for.
  [[nodiscard]] bool has_answer() const { return has_answer_; }
  [[nodiscard]] unsigned answering_lane() const { return answering_lane_; }  // whose event that is
  unsigned take_answer();
  void offer_source(unsigned lane, place source) { offer(alternative::kind::source, lane, source); }
  void offer_choice(unsigned lane, unsigned outcome) { offer(alternative::kind::choice, lane, static_cast<place>(outcome)); }
  // The source has a complete update already: one by `lane` can only revisit.
  void offer_update_for_revisits(unsigned lane, graph_operation operation, std::uint8_t order, unsigned location, place source);

  struct label {
    event_kind kind;
    graph_operation operation;
    std::uint8_t order;
    bool waits = false;
  };
  // Each returns false if the graph is inconsistent now: the execution is over.
  [[nodiscard]] bool add_read(unsigned lane, unsigned location, const label& as, place source);
  [[nodiscard]] bool add_write_part(unsigned lane);  // of the update whose read is the last event of `lane`
  [[nodiscard]] bool add_write(unsigned lane, unsigned location, const label& as);
  [[nodiscard]] bool add_other(unsigned lane, const label& as, std::uint64_t value);
  [[nodiscard]] bool add_wake(unsigned lane, place waker);
  // The pending read, which is the last of its lane, turns out to be this.
  [[nodiscard]] bool label_pending(unsigned lane, const label& as);

  // Of the ways on from here, this one included, keeps one of the n at each point, each with probability 1/n; multiplies `weight` by
  // these n. False: it is this one. Nothing waited before.
  [[nodiscard]] bool keep_one_way(random_source& random, double* weight);

  // ---- what is left, as bytes; see graph_frontier.cc ----
  using identity_of = std::function<std::uint64_t(unsigned location)>;  // what a location is called everywhere
  using location_of = std::function<unsigned(std::uint64_t identity)>;
  // All that waits, between two executions.
  [[nodiscard]] std::string save(const identity_of& identity) const;
  // Up to `parts` of what waits, one alternative each: those that would come last, in order of exploration. At least one stays.
  [[nodiscard]] std::vector<std::string> give_away(unsigned parts, const identity_of& identity);
  // The graph just executed, from which the same execution follows again.
  [[nodiscard]] std::string save_executed(const identity_of& identity) const;
  void drop() { depth_ = 0, frame_ = nullptr; }
  // Drops everything for what one of these returned.
  void load(std::string_view item, const location_of& location);

 private:
  struct alternative {
    enum class kind : std::uint8_t { source, position, choice, revisit, revisit_by_update, revisit_position };
    kind what;
    place size;  // events of the graph it belongs to
    place answer;  // the source, index, outcome, or the revisited read
    std::uint8_t lane;  // of the event that it is an alternative for
    // Of an update that exists for its revisits only.
    place source;
    std::uint16_t location;
    graph_operation operation;
    std::uint8_t order;
  };
  struct frame {
    execution_graph graph;
    consistency::trail trail;
    std::vector<alternative> waiting;
    place revisiting = no_place;  // the write that led here
    place revisited = no_place;  // the read it revisited, unless that was deleted
  };

  void offer(alternative::kind what, unsigned lane, place answer);
  void shorten(unsigned size);
  void offer_revisits(const graph_clock& prefix, unsigned location, unsigned size, place rival, alternative how);
  [[nodiscard]] bool maximal(unsigned at, const graph_clock& prefix) const;
  [[nodiscard]] place rival(const location_events& on, place source, const graph_clock& prefix) const;
  [[nodiscard]] bool start_revisit(const alternative& of);
  void copy_without(const alternative& of, unsigned write, bool drop_read);
  [[nodiscard]] bool offer_positions();
  [[nodiscard]] bool place_revisiting(unsigned position);
  void take_back_revisiting();
  void push_frame();
  void pop_frame();
  static void write_frame(byte_writer& to, const frame& from, std::size_t first, std::size_t last, const identity_of& identity);
  void read_frame(byte_reader& from, const location_of& location);

  consistency consistency_;
  std::vector<std::unique_ptr<frame>> frames_;  // kept from revisit to revisit
  std::size_t depth_ = 0;
  frame* frame_ = nullptr;
  bool has_answer_ = false;
  unsigned answering_lane_ = lanes_max;
  place answer_ = 0;
  unsigned urgent_ = lanes_max;
  std::vector<place> renumbered_;  // scratch
};

}  // namespace kvrace::detail
