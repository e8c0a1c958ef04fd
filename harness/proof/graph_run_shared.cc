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

graph_run::shared_parts& graph_run::parts_of(std::uint32_t lock) {
  const auto [found, fresh] = shared_.try_emplace(lock);
  if (fresh) found->second.gate = new_location(std::uint64_t{1} << 32U | lock);
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
  shared_parts& parts = parts_of(lock.id);
  const unsigned lane = acting();
  const auto known =
      std::find_if(parts.readers.begin(), parts.readers.end(), [lane](const auto& each) { return each.first == lane; });
  if (known == parts.readers.end()) {
    begin_lesson();
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
  const shared_parts& parts = parts_of(lock.id);
  enter_parts(lock, parts);
  lane_state& me = lanes_[acting()];
  bool wrote = false;
  (void)read(parts.gate, acquire_lock, &wrote);
  me.takes_all = &lock;
  for (const auto& [lane, location] : parts.readers) (void)read(location, acquire_lock, &wrote);
  me.takes_all = nullptr;
}

void graph_run::unlock_all(const shared_lock_state& lock) {
  const shared_parts& parts = parts_of(lock.id);
  write(parts.gate, graph_operation::unlock, releasing, 0);
  for (const auto& [lane, location] : parts.readers) write(location, graph_operation::unlock, releasing, 0);
}

// Whether `lane`, a reader that waits, does so for a writer that itself waits.
bool graph_run::barred_by_writer(unsigned lane) {
  const execution_graph& g = explorer_->graph();
  const location_events& on = g.on(lanes_[lane].location);
  if (on.writes.empty() || lanes_[lane].takes_all != nullptr) return false;
  return lanes_[g[on.writes.back()].lane].takes_all != nullptr && locations_[lanes_[lane].location].identity >> 32U >= 2;
}

bool graph_run::is_step(const event& e) {
  if (e.kind == event_kind::choice) return e.order != internal_choice;
  if (e.kind == event_kind::update_write || e.kind == event_kind::spawn || e.kind == event_kind::wake) return false;
  if (e.operation == graph_operation::gate_inside || (e.operation == graph_operation::gate && e.waits)) return false;
  if (!(reads(e) || writes(e))) return true;
  // The unlock of a wait is one step with its entry.
  if (e.operation == graph_operation::unlock && e.index != 0 &&
      explorer_->graph()[explorer_->graph().at(e.lane, e.index - 1U)].operation == graph_operation::enqueue)
    return false;
  const std::uint64_t identity = locations_[e.location].identity;
  const auto lock = static_cast<std::uint32_t>(identity);
  const std::uint64_t part = identity >> 32U;
  if (part == 0) return true;
  const execution_graph& g = explorer_->graph();
  const auto same_lock_before = [&](unsigned distance) {
    if (e.index < distance) return false;
    const event& before = g[g.at(e.lane, e.index - distance)];
    return before.operation == e.operation && static_cast<std::uint32_t>(locations_[before.location].identity) == lock;
  };
  if (e.operation == graph_operation::unlock) return part == 1 || !same_lock_before(1);
  const auto& readers = shared_[lock].readers;
  const bool writer = part == 1 || (same_lock_before(1) && same_lock_before(2));
  return !writer || (readers.empty() ? part == 1 : readers.back().second == e.location);
}

}  // namespace kvrace::detail
