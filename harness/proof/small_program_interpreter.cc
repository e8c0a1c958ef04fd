#include "proof/small_program_interpreter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "proof/small_program_order.h"

namespace kvrace::testing {

namespace {

constexpr unsigned tasks_limit = 4;
enum class phase : std::uint8_t { running, waiting, waiting_timed, reacquiring };

struct task_state {
  std::size_t at = 0;
  unsigned steps = 0;
  bool holds = false;
  int shared = 0;  // 1: shared, 2: exclusive
  phase now = phase::running;
  bool timed = false;      // the wait in progress
  bool timed_out = false;  // and how it ended
  observation seen;
};

struct world_state {
  std::array<task_state, tasks_limit> tasks;
  std::array<int, 2> memory{};
  std::array<int, 2> last_write{nobody, nobody};  // event
  int mutex_owner = nobody;
  int writer = nobody;
  unsigned readers = 0;  // mask
  unsigned waiters = 0;  // mask
};

bool acquiring(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}
bool releasing(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}
// As compare_exchange with one order fails.
bool acquiring_on_failure(std::memory_order order) { return order != std::memory_order_release && acquiring(order); }

class interpreter {
 public:
  interpreter(const small_program& program, std::uint64_t interleavings_max) : program_(program), limit_(interleavings_max) {}

  all_behaviours all() {
    world_state start;
    for (unsigned task = 0; task < count(); ++task) settle(start, task);
    visit(start, nobody, 0);
    return std::move(found_);
  }

 private:
  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(program_.tasks.size()); }

  // The statement a task executes next; what is held in the end is released. nullptr: it has ended.
  [[nodiscard]] const statement* next(const task_state& task, unsigned id) const {
    static constexpr statement unlock{action::unlock, 0, 0, 0, std::memory_order_seq_cst};
    static constexpr statement release{action::release, 0, 0, 0, std::memory_order_seq_cst};
    if (task.at < program_.tasks[id].size()) return &program_.tasks[id][task.at];
    if (task.holds) return &unlock;
    return task.shared != 0 ? &release : nullptr;
  }

  // Carries out what is no step: plain accesses and statements that do not apply.
  void settle(world_state& world, unsigned id) {
    task_state& task = world.tasks[id];
    for (; task.at < program_.tasks[id].size(); ++task.at) {
      const statement& now = program_.tasks[id][task.at];
      switch (now.what) {
        case action::read_plain:
        case action::write_plain: {
          event& access = events_.emplace_back();
          access.task = id;
          access.plain = true;
          access.plain_write = now.what == action::write_plain;
          access.datum = now.object;
          continue;
        }
        case action::lock:
        case action::try_lock:
          if (task.holds) continue;
          return;
        case action::unlock:
        case action::wait:
        case action::wait_for:
          if (!task.holds) continue;
          return;
        case action::lock_shared:
        case action::try_lock_shared:
        case action::lock_exclusive:
        case action::try_lock_exclusive:
          if (task.shared != 0) continue;
          return;
        case action::release:
          if (task.shared == 0) continue;
          return;
        default: return;
      }
    }
  }

  [[nodiscard]] bool enabled(const world_state& world, unsigned id) const {
    const task_state& task = world.tasks[id];
    if (task.now == phase::waiting) return false;
    if (task.now == phase::waiting_timed) return true;
    if (task.now == phase::reacquiring) return world.mutex_owner == nobody;
    const statement* now = next(task, id);
    if (now == nullptr) return false;
    if (now->what == action::lock) return world.mutex_owner == nobody;
    if (now->what == action::lock_shared) return world.writer == nobody;
    if (now->what == action::lock_exclusive) return world.writer == nobody && world.readers == 0;
    return true;
  }
  [[nodiscard]] bool ended(const world_state& world, unsigned id) const {
    return world.tasks[id].now == phase::running && next(world.tasks[id], id) == nullptr;
  }

  void visit(const world_state& world, int last, unsigned preemptions) {
    if (found_.interleavings >= limit_) {
      found_.cut = true;
      return;
    }
    bool any = false;
    bool all_ended = true;
    // Leaving a task that could go on is a preemption, unless it is about to yield.
    const bool last_goes_on =
        last != nobody && enabled(world, static_cast<unsigned>(last)) && !yields(world, static_cast<unsigned>(last));
    for (unsigned id = 0; id < count(); ++id) {
      all_ended = all_ended && ended(world, id);
      if (!enabled(world, id)) continue;
      any = true;
      const unsigned outcomes = outcomes_of(world, id);
      for (unsigned outcome = 0; outcome < outcomes; ++outcome) {
        const std::size_t before = events_.size();
        world_state after = world;
        step(after, id, outcome, outcomes);
        settle(after, id);
        visit(after, static_cast<int>(id), preemptions + (last_goes_on && static_cast<int>(id) != last ? 1U : 0U));
        events_.resize(before);
      }
    }
    if (any) return;
    ++found_.interleavings;
    if (!found_.races) found_.races = has_race(events_);
    if (!all_ended)
      found_.deadlocks = true;
    else
      complete(world, preemptions);
  }

  [[nodiscard]] bool yields(const world_state& world, unsigned id) const {
    const task_state& task = world.tasks[id];
    const statement* now = next(task, id);
    return task.now == phase::running && now != nullptr && now->what == action::yield;
  }

  [[nodiscard]] unsigned outcomes_of(const world_state& world, unsigned id) const {
    if (world.tasks[id].now != phase::running) return 1;
    const statement* now = next(world.tasks[id], id);
    if (now->what == action::choose) return static_cast<unsigned>(now->value);
    if (now->what == action::notify_one) return std::max(1U, static_cast<unsigned>(std::popcount(world.waiters)));
    return 1;
  }

  template <class Map, class Key>
  static void keep_least(Map& map, const Key& key, unsigned preemptions) {
    const auto [at, fresh] = map.try_emplace(key, preemptions);
    if (!fresh) at->second = std::min(at->second, preemptions);
  }

  void complete(const world_state& world, unsigned preemptions) {
    observation all;
    for (unsigned id = 0; id < count(); ++id) all += world.tasks[id].seen + '|';
    for (const int value : world.memory) all += std::to_string(value) + ' ';
    keep_least(found_.observations, all, preemptions);
    keep_least(found_.classes, trace_key(events_), preemptions);
  }

  // ---- one step ----

  static void saw(task_state& task, char what, int value) { task.seen += what + std::to_string(value); }
  static void touches(event& e, object_id object, way how) { e.touches[e.touched++] = {object, how}; }

  void step(world_state& world, unsigned id, unsigned outcome, unsigned outcomes) {
    task_state& task = world.tasks[id];
    event& e = events_.emplace_back();
    e.task = id;
    e.index = task.steps++;
    e.label = outcomes > 1 ? outcome + 1 : 0;
    if (task.now == phase::waiting_timed) return time_out(world, id, e);
    if (task.now == phase::reacquiring) return reacquire(world, id, e);
    const statement now = *next(task, id);
    e.label |= (static_cast<std::uint64_t>(now.what) + 1) << 8U;
    switch (now.what) {
      case action::load:
      case action::store:
      case action::add:
      case action::exchange_if: access(world, task, now, e); break;
      case action::fence:
        e.is_fence = true;
        e.acquires = acquiring(now.order);
        e.releases = releasing(now.order);
        break;
      case action::lock:
      case action::try_lock:
      case action::unlock: use_mutex(world, id, now.what, e); break;
      case action::lock_shared:
      case action::try_lock_shared: take_shared(world, id, now.what, e); break;
      case action::lock_exclusive:
      case action::try_lock_exclusive: take_exclusive(world, id, now.what, e); break;
      case action::release: release(world, id, e); break;
      case action::wait:
      case action::wait_for: wait(world, id, now.what == action::wait_for, e); break;
      case action::notify_one:
      case action::notify_all: notify(world, now.what == action::notify_all, outcome, e); break;
      case action::choose: saw(task, 'c', static_cast<int>(outcome)); break;
      default: break;
    }
    if (task.at < program_.tasks[id].size() && task.now == phase::running) ++task.at;
  }

  void access(world_state& world, task_state& task, const statement& now, event& e) {
    int& value = world.memory[now.object];
    const int self = static_cast<int>(events_.size()) - 1;
    const bool succeeds = now.what != action::exchange_if || value == now.expected;
    const bool reads = now.what != action::store;
    const bool writes = now.what != action::load && succeeds;
    touches(e, now.object == 0 ? atomic_0 : atomic_1, writes ? way::write : way::read);
    e.label |= succeeds ? 0 : 1U << 16U;
    e.atomic_write = writes;
    e.update = reads && writes;
    e.acquires = reads && (succeeds ? acquiring(now.order) : acquiring_on_failure(now.order));
    e.releases = writes && releasing(now.order);
    if (reads) e.reads_from = world.last_write[now.object];
    if (now.what == action::load) saw(task, 'l', value);
    if (now.what == action::add) saw(task, 'a', value);
    if (now.what == action::exchange_if) saw(task, succeeds ? 'x' : 'f', value);
    if (!writes) return;
    value = now.what == action::add ? value + now.value : now.value;
    world.last_write[now.object] = self;
  }

  static void use_mutex(world_state& world, unsigned id, action what, event& e) {
    task_state& task = world.tasks[id];
    const bool fails = what == action::try_lock && world.mutex_owner != nobody;
    touches(e, the_mutex, fails ? way::read : way::write);
    e.label |= fails ? 1U << 16U : 0;
    e.lock = the_mutex;
    if (what == action::try_lock) saw(task, 't', !fails);
    if (fails) return;
    task.holds = what != action::unlock;
    world.mutex_owner = task.holds ? static_cast<int>(id) : nobody;
    (task.holds ? e.locks : e.unlocks) = true;
  }

  static void take_shared(world_state& world, unsigned id, action what, event& e) {
    const bool fails = world.writer != nobody;
    touches(e, the_shared_mutex, fails ? way::read : way::shared);
    e.label |= fails ? 1U << 16U : 0;
    e.lock = the_shared_mutex;
    if (what == action::try_lock_shared) saw(world.tasks[id], 't', !fails);
    if (fails) return;
    world.readers |= 1U << id;
    world.tasks[id].shared = 1;
    e.locks_shared = true;
  }

  static void take_exclusive(world_state& world, unsigned id, action what, event& e) {
    const bool fails = world.writer != nobody || world.readers != 0;
    touches(e, the_shared_mutex, fails ? way::read : way::write);
    e.label |= fails ? 1U << 16U : 0;
    e.lock = the_shared_mutex;
    if (what == action::try_lock_exclusive) saw(world.tasks[id], 't', !fails);
    if (fails) return;
    world.writer = static_cast<int>(id);
    world.tasks[id].shared = 2;
    e.locks = true;
  }

  static void release(world_state& world, unsigned id, event& e) {
    task_state& task = world.tasks[id];
    const bool exclusive = task.shared == 2;
    touches(e, the_shared_mutex, exclusive ? way::write : way::shared);
    e.lock = the_shared_mutex;
    (exclusive ? e.unlocks : e.unlocks_shared) = true;
    if (exclusive)
      world.writer = nobody;
    else
      world.readers &= ~(1U << id);
    task.shared = 0;
  }

  static void wait(world_state& world, unsigned id, bool timed, event& e) {
    task_state& task = world.tasks[id];
    touches(e, the_condition, way::write);
    touches(e, the_mutex, way::write);
    e.lock = the_mutex;
    e.unlocks = true;
    world.mutex_owner = nobody;
    world.waiters |= 1U << id;
    task.now = timed ? phase::waiting_timed : phase::waiting;
    task.timed = timed;
    task.timed_out = false;
  }

  static void time_out(world_state& world, unsigned id, event& e) {
    touches(e, the_condition, way::write);
    e.label |= 1U << 17U;
    world.waiters &= ~(1U << id);
    world.tasks[id].timed_out = true;
    world.tasks[id].now = phase::reacquiring;
  }

  static void reacquire(world_state& world, unsigned id, event& e) {
    task_state& task = world.tasks[id];
    touches(e, the_mutex, way::write);
    e.label |= 1U << 18U;
    e.lock = the_mutex;
    e.locks = true;
    world.mutex_owner = static_cast<int>(id);
    task.now = phase::running;
    if (task.timed) saw(task, 'w', task.timed_out);
    ++task.at;
  }

  static void notify(world_state& world, bool all, unsigned outcome, event& e) {
    touches(e, the_condition, way::write);
    unsigned chosen = world.waiters;
    if (!all && chosen != 0) {
      for (unsigned skip = outcome; skip > 0; --skip) chosen &= chosen - 1;
      chosen &= ~chosen + 1;
    }
    for (unsigned id = 0; id < tasks_limit; ++id)
      if ((chosen >> id & 1) != 0) world.tasks[id].now = phase::reacquiring;
    world.waiters &= ~chosen;
  }

  const small_program& program_;
  std::uint64_t limit_;
  std::vector<event> events_;
  all_behaviours found_;
};

}  // namespace

all_behaviours interpret(const small_program& program, std::uint64_t interleavings_max) {
  return interpreter(program, interleavings_max).all();
}

}  // namespace kvrace::testing
