// One execution of the program along an execution graph, and beyond its end.
//
// Tasks are executed in a topological order of program order and reads-from: the leftmost task that is not done runs until it
// reads from a write that has not been executed yet. So plain data needs no versions: without data races everything a task may
// read of it has been written before, in an order that happens-before fixes. Once a task has executed all its events, it may add
// one, if no task to the left of it can.
//
// While the body has started no task, and again when it has waited for all, it is alone: primitives then keep their state in
// themselves and add no events. The choices of the body are events always.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <kvrace/detail/graph.h>

#include "proof/graph_explorer.h"
#include "runtime/execution.h"

namespace kvrace::detail {

class byte_reader;
class byte_writer;

class graph_run {
 public:
  explicit graph_run(graph_explorer& explorer) : explorer_(&explorer) {}

  void begin();  // before every execution
  // The next execution is the first of an exploration, or not: a task that is met for the first time in a later one gets its
  // lane, and the exploration begins anew, so that it does not depend on who explores what.
  void set_first(bool first) { first_ = first; }
  // From now on along the graph of `explorer`. While probing, nothing is learnt: an execution that would teach something ends.
  void follow(graph_explorer& explorer, bool probing) {
    explorer_ = &explorer;
    probing_ = probing;
  }
  // The graph has been executed to its end before: nothing is offered to the exploration again.
  void set_repeating(bool repeating) { repeating_ = repeating; }
  // Why the execution ended, if it did not come to its end.
  enum class ending : std::uint8_t { none, inconsistent, restart, refused };
  [[nodiscard]] ending why() const { return ending_; }
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  // Enough for every task there has been.
  [[nodiscard]] unsigned clock_width() const { return (lanes_ever_ + 1) / 4 * 4 + 4; }
  // The stable identity of a location of the graph.
  [[nodiscard]] std::uint64_t identity(unsigned location) const { return locations_[location].identity; }
  [[nodiscard]] unsigned location_with(std::uint64_t identity);
  // What the executions so far have taught, and others of the same exploration must know.
  void save_knowledge(byte_writer& to) const;
  void load_knowledge(byte_reader& from);

  // ---- called on the fibers of the program ----
  // A visible operation that reads.
  struct access {
    graph_operation operation;
    std::uint8_t order;
    std::uint8_t order_failed;
    std::uint64_t expected;
    std::uint64_t desired;
    graph_change change;
    const void* context;
    gate_step step = nullptr;  // of a gate
  };
  std::uint64_t read(unsigned location, const access& what, bool* wrote);
  void write(unsigned location, graph_operation operation, std::uint8_t order, std::uint64_t value);
  void fence(std::uint8_t order);
  std::uint64_t choose(std::uint64_t outcomes, std::uint8_t mark = relaxed);
  void gave_way();
  task_set enqueue(const object& queue);            // returns who waits already
  bool dequeue(const object& queue);
  void wake_up(const object& queue, bool timed);
  task_set notify(const object& queue, bool all);  // returns who does not wait any more
  void await(unsigned location);  // the current task is about to
  void notify(unsigned location, bool all);
  void waited_in(std::vector<std::uint32_t>& queues) const;  // adds the ids of the condition variables, of all executions so far
  [[nodiscard]] bool waited_in_loop() const { return waited_in_loop_; }  // in any execution so far
  [[noreturn]] void stop();  // the current task waits for good, and that is no deadlock
  void join(unsigned slot);
  void join_all();
  unsigned spawning();  // the slot for the task the current one is about to spawn
  void spawned(unsigned slot);
  unsigned ended();  // the current task has ended: the slot that runs next
  void destroyed(const object& what);
  [[noreturn]] void refuse(std::string what);

  // Whether an interleaving takes a step at the event: of the parts of a shared_mutex that a writer takes the last, of those it
  // gives back the first.
  [[nodiscard]] bool is_step(const event& e);
  // Whether what the current task has just read had been overwritten by something executed before.
  [[nodiscard]] bool read_stale();
  [[nodiscard]] unsigned slot_of(unsigned lane) const {
    return lane == aside || (lane == body_lane && body_takes_part_) ? 0 : lane + 1;
  }

  // The location of `what`, found or made; `storage` holds its initial value.
  unsigned location_of(const object& what, graph_storage storage, bool held) {
    const unsigned number = known_number_of(what.id);
    if (number != 0 && locations_[number - 1].run == run_) [[likely]]
      return number - 1;
    return enter_location_of(what, storage, held);
  }
  // A shared_mutex is a gate for writers and a lock for each task that reads: a reader takes its own, a writer all of them. So
  // readers do not synchronise with each other, nor does their order count.
  void lock_shared(const shared_lock_state& lock);
  void unlock_shared(const shared_lock_state& lock);
  void lock_all(const shared_lock_state& lock);
  bool try_lock_shared(const shared_lock_state& lock);
  bool try_lock_all(const shared_lock_state& lock);
  void unlock_all(const shared_lock_state& lock);
  [[nodiscard]] bool alone() const { return alone_; }
  // While alone: the value of the location, moved to its storage.
  void settle(const object& what, graph_storage storage);

 private:
  enum class doing : std::uint8_t {
    absent,  // not spawned yet in this execution
    ready,
    needs_event,  // before it can go on, `wanted` must be executed
    needs_end,  // ..., `joined` must have ended
    awaits_lock,  // `location` is held
    awaits_end,  // as needs_end, but the join is no event of the graph yet
    awaits_wake,  // `location` has it among those that wait
    spins,  // gives way again and again, see gave_way; its last loads are events from `gave_way_before` on
    awaits_value,  // its last event reads a value of `location` with which it does not go on
    stopped,
    ended,
  };
  static constexpr std::uint16_t never_gave_way = 0xffff;
  struct lane_state {
    doing what = doing::absent;
    std::uint16_t done = 0;  // events executed
    std::uint16_t spawns = 0;
    place wanted = 0;
    std::uint16_t location = 0;
    std::uint8_t joined = lanes_max;  // lane; lanes_max: all
    std::uint16_t gave_way_at = never_gave_way;  // `done` when it last gave way
    std::uint16_t gave_way_before = never_gave_way;  // and the time before
    bool timed = false;  // the wait of awaits_wake may end without a notification
    bool by_itself = false;  // it waits in a loop, and nobody else can go on: see gave_way
    bool tries = false;  // in the outcome of a try that it has chosen; others are explored as well
    const object* takes_all = nullptr;  // the shared_mutex it has a part of, on its way to all
  };
  struct shared_parts {
    unsigned gate;
    std::vector<std::pair<unsigned, unsigned>> readers;  // lane, location
  };
  struct location_state {
    std::uint64_t identity;
    std::uint64_t run = 0;  // the execution the rest belongs to
    std::uint64_t initial = 0;
    bool held = false;  // a lock, initially
    bool settled = false;
  };

  // The body has the last lane once it has an event; until then it stands aside, and the lane may be a task's.
  static constexpr unsigned body_lane = lanes_max - 1;
  static constexpr unsigned aside = lanes_max;
  static constexpr unsigned nobody = lanes_max + 1;
  unsigned new_location(std::uint64_t identity);
  unsigned enter_location_of(const object& what, graph_storage storage, bool held);
  void enter_location(unsigned location, graph_storage storage, std::uint64_t held);
  shared_parts& parts_of(std::uint32_t lock);
  void find_writer(const shared_parts& parts);
  std::uint16_t& number_of(std::uint32_t id);
  [[nodiscard]] unsigned known_number_of(std::uint32_t id) const {  // 0: none yet
    const unsigned creator = id >> 26U;
    const unsigned index = id & ((1U << 26U) - 1);
    if (creator >= location_numbers_.size() || index >= location_numbers_[creator].size()) return 0;
    return location_numbers_[creator][index];
  }
  unsigned part_of_reader(const shared_lock_state& lock);
  void enter_parts(const shared_lock_state& lock, const shared_parts& parts);
  [[nodiscard]] bool barred_by_writer(unsigned lane);
  std::uint64_t change_queue(const object& queue, graph_operation operation, std::uint64_t chosen);
  [[nodiscard]] place waker_of(unsigned lane, unsigned location);
  [[nodiscard]] unsigned lane_of(unsigned slot) const { return slot != 0 ? slot - 1 : body_takes_part_ ? body_lane : aside; }
  [[nodiscard]] unsigned current() const { return lane_of(state.slot); }
  [[nodiscard]] unsigned acting() { return state.slot != 0 ? state.slot - 1 : acting_body(); }  // about to have an event
  unsigned acting_body();

  std::uint64_t read_along(lane_state& me, unsigned lane, unsigned location, const access& what, bool* wrote);
  std::uint64_t read_new(lane_state& me, unsigned lane, unsigned location, const access& what, bool* wrote);
  place choose_source(lane_state& me, unsigned lane, unsigned location, const access& what);
  void add_write_part(lane_state& me, unsigned lane, std::uint64_t value);
  bool along(lane_state& me, unsigned lane, event_kind kind, event** found);
  void add_other(lane_state& me, unsigned lane, const graph_explorer::label& as, std::uint64_t value);

  void count_step();
  void see(unsigned order);
  // What comes next is new to the exploration.
  void begin_lesson() {
    if (probing_) leave(ending::restart);
  }
  void learn(unsigned lane, bool others);
  void learn_of_others(const event& from);
  [[nodiscard]] std::uint64_t value_of(lane_state& me, place source, unsigned location);
  [[nodiscard]] bool executed(place at) { return lanes_[explorer_->graph()[at].lane].done > explorer_->graph()[at].index; }
  [[nodiscard]] bool has_ended(unsigned joined, unsigned joiner) const;
  [[nodiscard]] bool held(unsigned location);
  [[noreturn]] void wait_for_value(lane_state& me, unsigned lane, unsigned location);
  [[nodiscard]] bool may_go_on(unsigned lane);
  [[nodiscard]] bool may_read_later(unsigned lane) const;
  std::uint64_t read_by_itself(lane_state& me, unsigned location, const access& what, bool* wrote);
  [[noreturn]] void refuse_by_itself();
  [[nodiscard]] bool is_free(unsigned location, place source);

  void take_turn(lane_state& me, unsigned lane);
  void require_own_answer(unsigned lane);
  [[nodiscard]] unsigned pick();
  [[nodiscard]] unsigned towards(unsigned lane);
  void run_next(unsigned lane);
  unsigned last_resort();
  [[noreturn]] void diverged(const char* what);
  [[noreturn]] void leave(ending why);

  graph_explorer* explorer_;
  std::array<lane_state, lanes_max + 1> lanes_;
  std::uint32_t present_ = 0;  // bits of the lanes with a task in this execution
  std::uint32_t open_ = 0;  // of those that have not ended or stopped
  unsigned turn_ = nobody;  // the leftmost lane that may add an event
  bool alone_ = true;  // the body is, after join_all
  bool body_takes_part_ = false;  // the last lane is the body's
  bool spawns_are_events_ = false;
  unsigned choices_before_ = 0;  // events of the body while it was alone
  clock_value body_time_ = 0;  // its clock at its first event after that
  alignas(16) std::array<clock_value, lanes_max> known_body_time_{};  // of the tasks spawned before the body's first event
  std::uint64_t run_ = 0;
  bool repeating_ = false;
  bool first_ = true;
  bool probing_ = false;
  ending ending_ = ending::none;
  std::string refusal_;

  // What keeps its number in all executions.
  std::vector<location_state> locations_;
  std::vector<std::vector<std::uint16_t>>
      location_numbers_;  // by slot of the creator, then creation index; 0 for none, else 1 + number
  bool waited_in_loop_ = false;
  std::map<std::uint32_t, task_set> waiters_;  // by a condition variable's id: who has ever waited in it
  struct value_waiters {
    task_set tasks = 0;  // who has ever waited
    bool notified_one = false;
  };
  std::map<unsigned, value_waiters> value_waiters_;  // by location of an atomic
  void learn_waiters(unsigned location, value_waiters seen);
  std::map<std::uint32_t, shared_parts> shared_;  // by the lock's id
  std::array<std::vector<std::uint8_t>, lanes_max + 1> lanes_of_spawns_;  // by the spawning lane, then how many it spawned before
  unsigned lanes_ever_ = 0;
};

}  // namespace kvrace::detail
