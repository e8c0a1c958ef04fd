// Locks that one run takes in orders that contradict each other: deadlocks that another schedule may meet.
//
// An edge says that a task took one lock while it held another, and would have waited for it. Edges of different tasks that form
// a cycle are a potential deadlock, unless a lock that both held excludes it, or one task had not begun or had ended by then
// (Goodlock: Havelund, SPIN 2000; Bensalem, Havelund, PADTAD 2005). It need not be a real one: what other means of
// synchronisation order is not looked at.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <kvrace/detail/core.h>

namespace kvrace::detail {

class lock_order {
 public:
  void begin_run();
  // Of the current task.
  void taken(const object& lock, bool shared);
  void given_back(const object& lock);
  void spawned(unsigned slot);
  void joined(unsigned slot);

 private:
  struct held_lock {
    std::uint32_t id;
    object_type type;
    bool shared;
    site where;
  };
  using knowledge = std::array<clock_value, tasks_max>;  // by starting and joining tasks alone
  struct edge {
    held_lock outer;
    held_lock inner;
    unsigned slot;
    unsigned task;  // its id
    knowledge known;
    std::vector<held_lock> others;  // held at the same time
  };

  void add(const held_lock& outer, const held_lock& inner);
  [[nodiscard]] bool closes_cycle();  // extends cycle_
  [[nodiscard]] static bool excludes(const held_lock& held, const held_lock& wanted);
  [[nodiscard]] static bool can_overlap(const edge&, const edge&);
  void report() const;

  std::array<std::vector<held_lock>, tasks_max> held_;  // by slot
  std::array<knowledge, tasks_max> known_;
  std::vector<edge> edges_;
  std::vector<const edge*> cycle_;
  bool reported_ = false;
};

}  // namespace kvrace::detail
