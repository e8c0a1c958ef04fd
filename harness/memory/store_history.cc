#include "memory/store_history.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include <kvrace/sync.h>

#include "runtime/execution.h"
#include "runtime/instrumentation.h"

namespace kvrace::detail {

namespace {

// A clock that need not be as wide as the run's; lanes beyond its width are 0.
struct wide_clock {
  unsigned width = 0;
  vector_clock clock;

  [[nodiscard]] clock_value at(unsigned slot) const { return slot < width ? clock.at[slot] : 0; }
  void widen(unsigned to) {
    clock_zero(clock, width, to);
    width = std::max(width, to);
  }
  void join(const vector_clock& other, unsigned other_width) {
    widen(other_width);
    clock_join(clock, other, other_width);
  }
};

struct store {
  std::uint32_t message = 0;  // of a former store; that of the newest is the atomic's own
  clock_value at = 0;         // the storing task's clock
  std::uint8_t slot = 0;      // the storing task
  bool seq_cst = false;
  std::uint64_t step = 0;
  wide_clock first_read;  // by slot: the reader's clock; 0: it has not read it
};

// What precedes a load so far as seq_cst fences are concerned.
struct fence_knowledge {
  std::uint64_t step = 0;  // of the fence
  wide_clock before;       // everything that happens before it or an earlier fence
};

[[nodiscard]] bool known(const store& each, const wide_clock& to) {
  if (each.at <= to.at(each.slot)) return true;
  const unsigned width = std::min(each.first_read.width, to.width);
  for (unsigned slot = 0; slot < width; ++slot)
    if (each.first_read.clock.at[slot] != 0 && each.first_read.clock.at[slot] <= to.clock.at[slot]) return true;
  return false;
}

// Newest last. A ring.
struct history {
  std::array<store, stores_kept> stores;
  std::vector<std::byte> values;  // by place in the ring; of former stores only
  std::size_t first = 0;
  std::size_t count = 0;

  [[nodiscard]] std::size_t place(std::size_t behind) const { return (first + count - 1 - behind) % stores_kept; }
  store& back(std::size_t behind) { return stores[place(behind)]; }
};

// Histories of the run in progress, reused from run to run. Indices count from 1.
class history_pool {
 public:
  std::uint32_t take(std::size_t value_bytes) {
    std::uint32_t index = 0;
    if (!free_.empty()) {
      index = free_.back();
      free_.pop_back();
    } else {
      if (used_ == pool_.size()) pool_.push_back(std::make_unique<history>());
      index = ++used_;
    }
    history& fresh = (*this)[index];
    fresh.first = fresh.count = 0;
    fresh.values.resize(stores_kept * value_bytes);
    return index;
  }
  void give_back(std::uint32_t index) { free_.push_back(index); }
  history& operator[](std::uint32_t index) { return *pool_[index - 1]; }
  void begin_run() {
    used_ = 0;
    free_.clear();
  }

 private:
  std::vector<std::unique_ptr<history>> pool_;
  std::vector<std::uint32_t> free_;
  std::uint32_t used_ = 0;
};

// The seq_cst fences of the run in progress, in the order of execution.
class fence_order {
 public:
  void begin_run() {
    count_ = 0;
    all_.width = 0;
    for (mine& each : by_task_) {
      each.seen = 0;
      each.last.step = 0;
      each.last.before.width = 0;
    }
  }

  void add(const task_record& task, unsigned width, std::uint64_t step) {
    all_.join(task.clock, width);
    fence& next = kept_[count_ % kept_.size()];
    next.slot = task.slot;
    next.at = task.clock.at[task.slot];
    next.knowledge.step = step;
    next.knowledge.before.width = 0;
    next.knowledge.before.join(all_.clock, all_.width);
    ++count_;
  }

  // What happens before any fence so far.
  [[nodiscard]] const wide_clock& all() const { return all_; }

  // Of the latest fence that happens before the present point of `task`. Where too many fences ago are forgotten, one that is
  // later than it and takes its place: that only excludes more.
  const fence_knowledge& latest_before(const task_record& task) {
    mine& known = by_task_[task.slot];
    const std::uint64_t oldest = count_ - std::min<std::uint64_t>(count_, kept_.size());
    for (std::uint64_t index = count_; index > std::max(known.seen, oldest); --index) {
      const fence& each = kept_[(index - 1) % kept_.size()];
      if (each.at > task.clock.at[each.slot]) continue;
      known.seen = index;
      known.last = each.knowledge;
      return known.last;
    }
    if (known.seen < oldest) {
      known.seen = oldest;
      known.last = kept_[oldest % kept_.size()].knowledge;
    }
    return known.last;
  }

 private:
  struct fence {
    std::uint8_t slot = 0;
    clock_value at = 0;
    fence_knowledge knowledge;
  };
  struct mine {
    std::uint64_t seen = 0;  // fences up to this one are accounted for in `last`
    fence_knowledge last;
  };

  std::array<fence, 64> kept_;
  std::uint64_t count_ = 0;
  wide_clock all_;
  std::array<mine, tasks_max> by_task_;
};

struct weak_memory {
  history_pool histories;
  fence_order fences;
  std::uint32_t generation = generation_none;
};

weak_memory& memory() {
  static weak_memory instance;
  if (instance.generation != state.generation) {
    instance.generation = state.generation;
    instance.histories.begin_run();
    instance.fences.begin_run();
  }
  return instance;
}

void add(history& to, std::uint8_t slot, clock_value at, bool seq_cst, std::uint64_t step) {
  ++to.count;
  store& fresh = to.back(0);
  fresh.message = 0;
  fresh.at = at;
  fresh.slot = slot;
  fresh.seq_cst = seq_cst;
  fresh.step = step;
  fresh.first_read.width = 0;
}

void mark_read(store& by_current) {
  by_current.first_read.widen(state.clock_width);
  clock_value& first = by_current.first_read.clock.at[state.slot];
  if (first == 0) first = state.current->clock.at[state.slot];
}

// Whether no store before `each` may be read by a load of the current task.
[[nodiscard]] bool hides_older(const store& each, std::memory_order order, const fence_knowledge& fence,
                               const wide_clock& fences) {
  const vector_clock& now = state.current->clock;
  if (each.at <= now.at[each.slot]) return true;
  for (unsigned slot = 0; slot < each.first_read.width; ++slot)
    if (each.first_read.clock.at[slot] != 0 && each.first_read.clock.at[slot] <= now.at[slot]) return true;
  if (order == std::memory_order_seq_cst && (each.seq_cst || each.at <= fences.at(each.slot))) return true;
  return (each.seq_cst && each.step < fence.step) || known(each, fence.before);
}

}  // namespace

void remember_store(atomic_state& what, const void* value, std::size_t value_bytes, std::memory_order order, bool update) {
  const instrumentation::aside scope;
  history_pool& histories = memory().histories;
  if (what.history == 0) {
    what.history = histories.take(value_bytes);
    add(histories[what.history], static_cast<std::uint8_t>(what.id >> 26U), what.created_at, false, 0);
  }
  history& stores = histories[what.history];
  if (stores.count == stores_kept) {
    message_release(what, stores.stores[stores.first].message);
    stores.first = (stores.first + 1) % stores_kept;
    --stores.count;
  }
  std::memcpy(stores.values.data() + stores.place(0) * value_bytes, value, value_bytes);
  const std::uint32_t former = what.message;
  stores.back(0).message = former;
  what.message = 0;
  if (update && former != 0) {
    what.message = message_allocate();
    const message_clock& from = state.messages[former];
    message_clock& into = state.messages[what.message];
    into.width = from.width;
    into.by_slot = from.by_slot;
    into.by_clock = from.by_clock;
    clock_copy(into.clock, from.clock, from.width);
  }
  add(stores, static_cast<std::uint8_t>(state.slot), state.current->clock.at[state.slot], order == std::memory_order_seq_cst,
      state.steps);
}

former_store choose_store(const atomic_state& what, std::size_t value_bytes, std::memory_order order, const void* but) {
  const instrumentation::aside scope;
  weak_memory& all = memory();
  history& stores = all.histories[what.history];
  const fence_knowledge& fence = all.fences.latest_before(*state.current);
  std::array<std::size_t, stores_kept> candidates{};  // by how far they are behind
  std::size_t count = 1;                              // the newest is one
  for (std::size_t behind = 0;;) {
    if (hides_older(stores.back(behind), order, fence, all.fences.all()) || ++behind == stores.count) break;
    const std::byte* value = stores.values.data() + stores.place(behind) * value_bytes;
    if (but == nullptr || std::memcmp(value, but, value_bytes) != 0) candidates[count++] = behind;
  }
  const std::size_t behind = candidates[active->choose_announced(count)];
  mark_read(stores.back(behind));
  if (behind == 0) return {0, nullptr, 0};
  return {behind, stores.values.data() + stores.place(behind) * value_bytes, stores.back(behind).message};
}

void forget_stores(atomic_state& what) {
  if (what.generation != state.generation) return;
  const instrumentation::aside scope;
  history_pool& histories = memory().histories;
  history& stores = histories[what.history];
  for (std::size_t behind = 1; behind < stores.count; ++behind) message_release(what, stores.back(behind).message);
  histories.give_back(what.history);
  what.history = 0;
}

void fence_in_total_order() {
  const instrumentation::aside scope;
  memory().fences.add(*state.current, state.clock_width, state.steps);
}

}  // namespace kvrace::detail
