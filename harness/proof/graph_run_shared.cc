// shared_mutex in an execution graph.
//
// A writer that waits for one reader bars the others already, as an implementation that prefers writers would. Where a
// task is barred like that, nothing is said about deadlocks: the executions in which the writer came later are explored as well.
#include <algorithm>

#include <kvrace/sync.h>

#include "proof/graph_run.h"

namespace kvrace::detail {

namespace {

constexpr graph_run::access acquire_lock{graph_operation::lock, acquiring, acquiring, 0, 1, nullptr, nullptr};

}  // namespace

graph_run::shared_parts& graph_run::parts_of(const object& lock) {
  const auto [found, fresh] = shared_.try_emplace(lock.id);
  if (fresh) found->second.gate = new_location(std::uint64_t{1} << 32U | lock.id);
  return found->second;
}

// All parts are entered before the state of the lock changes for the first time.
void graph_run::enter_parts(const shared_lock_state& lock, const shared_parts& parts) {
  const bool exclusive = lock.owner != slot_none;
  enter_location(parts.gate, {nullptr, 0}, exclusive);
  for (const auto& [lane, location] : parts.readers)
    enter_location(location, {nullptr, 0}, exclusive || (lock.readers & bit(slot_of(lane))) != 0);
}

// The exploration starts again when a task reads for the first time: writers must have taken its part.
unsigned graph_run::part_of_reader(const shared_lock_state& lock) {
  shared_parts& parts = parts_of(lock);
  const unsigned lane = acting();
  const auto known =
      std::find_if(parts.readers.begin(), parts.readers.end(), [lane](const auto& each) { return each.first == lane; });
  if (known == parts.readers.end()) {
    parts.readers.emplace_back(lane, new_location(std::uint64_t{2 + lane} << 32U | lock.id));
    std::sort(parts.readers.begin(), parts.readers.end());
    leave(ending::restart);
  }
  enter_parts(lock, parts);
  return known->second;
}

void graph_run::lock_shared(const shared_lock_state& lock) {
  bool wrote = false;
  (void)read(part_of_reader(lock), acquire_lock, &wrote);
}

void graph_run::unlock_shared(const shared_lock_state& lock) {
  write(part_of_reader(lock), graph_operation::unlock, releasing, 0);
}

void graph_run::lock_all(const shared_lock_state& lock) {
  const shared_parts& parts = parts_of(lock);
  enter_parts(lock, parts);
  lane_state& me = lanes_[acting()];
  bool wrote = false;
  (void)read(parts.gate, acquire_lock, &wrote);
  me.takes_all = &lock;
  for (const auto& [lane, location] : parts.readers) (void)read(location, acquire_lock, &wrote);
  me.takes_all = nullptr;
}

void graph_run::unlock_all(const shared_lock_state& lock) {
  const shared_parts& parts = parts_of(lock);
  write(parts.gate, graph_operation::unlock, releasing, 0);
  for (const auto& [lane, location] : parts.readers) write(location, graph_operation::unlock, releasing, 0);
}

// Whether `lane`, a reader that waits, does so for a writer that itself waits.
bool graph_run::barred_by_writer(unsigned lane) {
  const execution_graph& g = explorer_.graph();
  const location_events& on = g.on(lanes_[lane].location);
  if (on.writes.empty() || lanes_[lane].takes_all != nullptr) return false;
  return lanes_[g[on.writes.back()].lane].takes_all != nullptr && locations_[lanes_[lane].location].identity >> 32U >= 2;
}

}  // namespace kvrace::detail
