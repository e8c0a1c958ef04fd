// Happens-before for atomics and fences, and data races on plain data.
#include <algorithm>
#include <exception>
#include <memory>
#include <vector>

#include <kvrace/sync.h>

#include "memory/store_history.h"
#include "runtime/arena.h"
#include "runtime/execution.h"
#include "runtime/recorder.h"

namespace kvrace::detail {

namespace {

// Concurrent reads of one datum, by slot; the clock 0 means none.
struct read_table {
  vector_clock clock;
  site where[tasks_max];
};

// Tables of the run in progress, reused from run to run.
struct read_tables {
  std::vector<std::unique_ptr<read_table>> pool;
  std::vector<std::uint32_t> free;
  std::uint32_t used = 0;
  std::uint32_t generation = 0;

  std::uint32_t take() {
    if (generation != state.generation) {
      generation = state.generation;
      used = 0;
      free.clear();
    }
    std::uint32_t index = 0;
    if (!free.empty()) {
      index = free.back();
      free.pop_back();
    } else {
      if (used == pool.size()) pool.push_back(std::make_unique<read_table>());
      index = ++used;
    }
    clock_zero((*this)[index].clock, 0, tasks_max);
    return index;
  }
  void give_back(std::uint32_t index) { free.push_back(index); }
  read_table& operator[](std::uint32_t index) { return *pool[index - 1]; }
};
read_tables tables;

void race(const access_history& data, unsigned other, bool other_writes, site other_where, bool writes, site where) {
  if (!active->data_races() || std::uncaught_exceptions() != 0) return;
  if (state.recording) record_access(data, writes, where);
  active->fail_and_end([&] {
    const std::string subject = describe(data);
    const auto text = [](unsigned slot, bool write, site at) {
      const source_site place = to_site(at);
      return std::string(write ? "a write" : "a read") + " by '" + active->task_name(slot) + "'" +
             (place.line == 0 ? std::string() : " at " + place.file + ":" + std::to_string(place.line));
    };
    return run_failure{"data_race",
                       subject,
                       "data race on " + subject + ": " + text(other, other_writes, other_where) + " and " +
                           text(state.slot, writes, where) + " are not ordered by happens-before",
                       {to_site(other_where), to_site(where)}};
  });
}

}  // namespace

void race_on_read(access_history& data, site where) { race(data, data.write_slot, true, data.write_site, false, where); }

void race_on_write(access_history& data, site where) {
  if (data.write_clock > state.current->clock.at[data.write_slot])
    race(data, data.write_slot, true, data.write_site, true, where);
  else
    race(data, data.read_slot, false, data.read_site, true, where);
}

void read_concurrently(access_history& data, site where) {
  const instrumentation::aside scope;
  if (data.reads == 0) {
    data.reads = tables.take();
    read_table& table = tables[data.reads];
    table.clock.at[data.read_slot] = data.read_clock;
    table.where[data.read_slot] = data.read_site;
  }
  read_table& table = tables[data.reads];
  table.clock.at[state.slot] = state.current->clock.at[state.slot];
  table.where[state.slot] = where;
}

void check_reads(access_history& data, site where) {
  const instrumentation::aside scope;
  const read_table& table = tables[data.reads];
  const vector_clock& now = state.current->clock;
  if (clock_exceeds(table.clock, now, state.clock_width)) [[unlikely]]
    for (unsigned slot = 0; slot < active->slots(); ++slot)
      if (table.clock.at[slot] > now.at[slot]) race(data, slot, false, table.where[slot], true, where);
  tables.give_back(data.reads);
  data.reads = 0;
}

void record_access(const access_history& data, bool write, site where) {
  const instrumentation::aside scope;
  active->recording()->access(data, write, where);
}

void atomic_misused(const atomic_state& what, const char* message, site where) { misuse("atomic_misuse", &what, message, where); }

void atomic_created_unseen(const atomic_state& what, site where) {
  if (!active->data_races()) return;
  active->fail_and_end([&] {
    return run_failure{"data_race",
                       describe(what),
                       "data race on " + describe(what) + ": it is used by '" + active->task_name(state.slot) +
                           "', to which its construction does not happen before",
                       {to_site(where)}};
  });
}

void acquire_later(std::uint32_t message) {
  task_record& task = *state.current;
  const message_clock& from = state.messages[message];
  if (from.known_to(task.clock)) return;
  if (task.has_acquire_pending) return clock_join(task.acquire_pending, from.clock, from.width);
  clock_copy(task.acquire_pending, from.clock, from.width);
  clock_zero(task.acquire_pending, from.width, state.clock_width);
  task.has_acquire_pending = true;
}

void release_by_fence(std::uint32_t& message, bool keep_former) {
  engine_state& s = state;
  task_record& task = *s.current;
  if (!task.has_release_fence) {
    if (!keep_former && message != 0) s.messages[message].clear();
    return;
  }
  if (message == 0) message = message_allocate();
  message_clock& into = s.messages[message];
  keep_former ? into.add(task.release_fence, s.slot, s.clock_width) : into.replace(task.release_fence, s.slot, s.clock_width);
}

void fence(std::memory_order order, site where) {
  engine_state& s = state;
  if (s.generation == generation_none) unusable_outside();
  if (s.graph != nullptr) return graph_fence(order, where);
  announce(operation_kind::fence, nullptr, where);
  instrumentation::fence(acquires(order), releases(order));
  task_record& task = *s.current;
  if (acquires(order) && task.has_acquire_pending) {
    clock_join(task.clock, task.acquire_pending, s.clock_width);
    task.has_acquire_pending = false;
  }
  if (s.stale_reads && order == std::memory_order_seq_cst) fence_in_total_order();
  if (!releases(order)) return;
  clock_copy(task.release_fence, task.clock, s.clock_width);
  task.has_release_fence = true;
  ++task.clock.at[s.slot];
}

}  // namespace kvrace::detail
