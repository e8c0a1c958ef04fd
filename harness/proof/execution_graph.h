// An execution graph: events in the order in which the exploration added them, with program order (po), reads-from (rf) and per
// location a modification order (mo) of its writes.
//
// An event is known by its place in the order of addition. A lane is a task's row of events: a task keeps its lane in every
// execution. An update (read-modify-write) is a read directly followed in its lane by its write. Values are no part of a graph:
// they are computed anew whenever the program is executed along it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "proof/graph_clock.h"

namespace kvrace::detail {

using place = std::uint16_t;
inline constexpr place no_place = 0xffff;  // as source of a read: the initial value

enum class event_kind : std::uint8_t { read, update_read, write, update_write, fence, choice, spawn, join, wake };

// What the program called. `lock` waits for a free lock and is never added while the lock is held.
enum class graph_operation : std::uint8_t {
  load,
  store,
  update,
  exchange_if,
  lock,
  try_lock,
  unlock,
  fence,
  choice,
  spawn,
  join,
  wake,
  enqueue,  // on the set of tasks that wait in a condition variable, as the next three
  dequeue,
  notify_one,
  notify_all,
  gate,           // on what lets tasks pass under a condition: it waits for the condition, reads, or reads and writes
  gate_inside,    // the same as a part of a step: what a task does after it has gone ahead of others
  await_change,   // of the value of an atomic: waits, or reads
  notify_change,  // to those that wait for it
};

// The order of a choice that the program has not asked for: who is notified, whether a wait times out.
inline constexpr std::uint8_t internal_choice = 1;

// Memory orders as what they do.
enum graph_order : std::uint8_t { relaxed = 0, acquiring = 1, releasing = 2, sequential = 4, fully_sequential = 7 };

// Without initialisers: pages of a graph are touched only as events come into use.
struct event {
  // Predecessors of the event and itself. The first two never change once it was added.
  graph_clock prefix;          // po and rf
  graph_clock happens_before;  // as C++20 defines it
  graph_clock total;           // po, rf, mo and from-reads: acyclic exactly if the graph is sequentially consistent
  // What others learn from it, or it may come to know.
  graph_clock message;          // a write: what an acquiring read of it learns
  graph_clock acquire_pending;  // what an acquire fence would learn from the reads before
  graph_clock release_fence;    // what the last release fence knew
  std::uint64_t
      value;      // a write: in the execution in progress. A choice: its outcome. A join or spawn: the lane, lanes_max for all
  std::uint8_t lane;  // to `order`: read as one word
  std::uint8_t index;  // in its lane
  event_kind kind;
  graph_operation operation;
  std::uint8_t order;
  bool pending;  // a read that was given another source: its label is known when its task gets there
  bool waits;    // a read of a value with which its task does not go on: the last event of its lane
  place source;  // a read: the write it reads from. A wake: the write that woke it
  place mo;      // a write: its index in the modification order, no_place while it has none
  std::uint16_t location;
};
static_assert(sizeof(event) <= 128);

[[nodiscard]] inline bool reads(const event& e) { return e.kind <= event_kind::update_read; }
[[nodiscard]] inline bool writes(const event& e) { return e.kind == event_kind::write || e.kind == event_kind::update_write; }
[[nodiscard]] inline bool knows(const graph_clock& clock, const event& e) { return clock.at[e.lane] > e.index; }

struct location_events {
  std::vector<place> writes;  // in modification order
  std::vector<place> reads;   // in order of addition, a revisited one as added when it was revisited
  bool touched = false;
};

class execution_graph {
 public:
  execution_graph();

  void clear();
  // Becomes the first `size` events of another graph, without reads and modification orders.
  void copy_first(const execution_graph& from, unsigned size);
  // The first `size` events, whose content is there, become the graph: without reads and modification orders.
  void index_first(unsigned size);
  [[nodiscard]] unsigned size() const { return size_; }
  event& operator[](unsigned at) { return events_[at]; }
  const event& operator[](unsigned at) const { return events_[at]; }

  [[nodiscard]] unsigned length(unsigned lane) const { return length_[lane]; }
  [[nodiscard]] place at(unsigned lane, unsigned index) const { return at_[lane][index]; }
  // The event before (lane, index): in the lane, or the spawn of the task. nullptr if there is none.
  [[nodiscard]] const event* before(unsigned lane, unsigned index) const {
    if (index != 0) return &events_[at_[lane][index - 1]];
    return spawned_by_[lane] == no_place ? nullptr : &events_[spawned_by_[lane]];
  }
  [[nodiscard]] const event* last(unsigned lane) const { return before(lane, length_[lane]); }
  [[nodiscard]] place spawn_of(unsigned lane) const { return spawned_by_[lane]; }
  void set_spawn(unsigned lane, place spawn) {
    spawned_by_[lane] = spawn;
    spawned_ |= 1U << lane;
  }
  void remove_spawn(unsigned lane) {
    spawned_by_[lane] = no_place;
    spawned_ &= ~(1U << lane);
  }
  [[nodiscard]] std::uint32_t spawned() const { return spawned_; }  // bits of the lanes that have a spawn
  [[nodiscard]] const std::vector<place>& joins() const { return joins_; }  // wakes as well
  void add_join(place join) { joins_.push_back(join); }

  [[nodiscard]] location_events& on(unsigned location) { return locations_[location]; }
  [[nodiscard]] const location_events& on(unsigned location) const { return locations_[location]; }
  [[nodiscard]] const std::vector<std::uint16_t>& touched() const { return touched_; }
  void touch(unsigned location);

  // An event at the end of the order and of its lane; the caller fills in the rest. References stay valid.
  event& append(unsigned lane);
  // The event at `at`, whose content is still there, becomes the last again.
  void append_again(unsigned at);
  // Takes the last event out of the order and its lane, leaving reads, modification order and content alone.
  void retract() { --size_, --length_[events_[size_].lane]; }
  // Takes the last event out of everything.
  void remove_last();

  // The write at `at` becomes number `position` in the modification order, 0 being the first after the initial value.
  void insert_write(unsigned at, unsigned position);
  void remove_write(unsigned at);

  // Position of a source: 0 is the initial value, i the write with index i-1.
  [[nodiscard]] unsigned position(place source) const { return source == no_place ? 0U : events_[source].mo + 1U; }
  // Whether the source at `position` is read by an update that has its write part.
  [[nodiscard]] bool updated(const location_events& on, unsigned position) const {
    if (position >= on.writes.size()) return false;
    const event& next = events_[on.writes[position]];
    if (next.kind != event_kind::update_write) return false;
    const place source = position == 0 ? no_place : on.writes[position - 1];
    return events_[at_[next.lane][next.index - 1U]].source == source;
  }

  graph_clock stable{};  // events that are never revisited or deleted again

 private:
  static constexpr unsigned events_max = lanes_max * (lane_events_max + 1);
  unsigned size_ = 0;
  std::array<std::uint16_t, lanes_max> length_{};
  std::array<place, lanes_max> spawned_by_{};
  std::uint32_t spawned_ = 0;
  std::array<std::array<place, lane_events_max + 2>, lanes_max> at_;
  std::unique_ptr<event[]> events_;  // events_max of them; pages come into use with the events
  std::vector<place> joins_;
  std::vector<location_events> locations_;
  std::vector<std::uint16_t> touched_;
};

}  // namespace kvrace::detail
