// shared_mutex in an execution graph.
//
// A writer that waits for one reader bars the others already, as an implementation that prefers writers would. Where a
// task is barred like that, nothing is said about deadlocks: the executions in which the writer came later are explored as well.
//
// Whether a try succeeds, and if not because of whom, is a choice. What holds the lock then is waited for: without it the
// execution is blocked, and that is no deadlock, since another outcome of the choice has it.
#include <algorithm>

#include <kvrace/sync.h>

#include "proof/graph_run.h"

namespace kvrace::detail {

namespace {

// Values of a part: 0 is free.
constexpr std::uint64_t held_by_reader = 1;
constexpr std::uint64_t held_by_writer = 2;
constexpr graph_run::access lock_by(std::uint64_t holder) {
  return {graph_operation::lock, acquiring, acquiring, 0, holder, nullptr, nullptr};
}
template <std::uint64_t Holder>
constexpr graph_run::access find_held_by{
    graph_operation::gate, relaxed, relaxed, 0, 0, nullptr, nullptr, [](std::uint64_t old, std::uint64_t*, const void*) {
      return old == Holder ? gate_answer::reads : gate_answer::waits;
    }};

}  // namespace

graph_run::shared_parts& graph_run::parts_of(std::uint32_t lock) {
  const auto [found, fresh] = shared_.try_emplace(lock);
  if (fresh) found->second.gate = new_location(std::uint64_t{1} << 32U | lock);
  return found->second;
}

// All parts are entered before the state of the lock changes for the first time.
void graph_run::enter_parts(const shared_lock_state& lock, const shared_parts& parts) {
  const bool exclusive = lock.owner != slot_none;
  enter_location(parts.gate, {nullptr, 0}, exclusive ? held_by_writer : 0);
  for (const auto& [lane, location] : parts.readers)
    enter_location(location, {nullptr, 0},
                   exclusive                                  ? held_by_writer
                   : (lock.readers & bit(slot_of(lane))) != 0 ? held_by_reader
                                                              : 0);
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
  (void)read(part_of_reader(lock), lock_by(held_by_reader), &wrote);
}

bool graph_run::try_lock_shared(const shared_lock_state& lock) {
  const unsigned part = part_of_reader(lock);
  const bool succeeds = choose(2, internal_choice) == 0;
  lane_state& me = lanes_[acting()];
  bool wrote = false;
  me.tries = true;
  if (succeeds)
    (void)read(part, lock_by(held_by_reader), &wrote);
  else
    find_writer(parts_of(lock.id));
  me.tries = false;
  return succeeds;
}

// A writer holds the lock once it has the last of its parts, and until it gives back the first: the same one.
void graph_run::find_writer(const shared_parts& parts) {
  bool wrote = false;
  (void)read(parts.readers.empty() ? parts.gate : parts.readers.back().second, find_held_by<held_by_writer>, &wrote);
}

void graph_run::unlock_shared(const shared_lock_state& lock) {
  write(part_of_reader(lock), graph_operation::unlock, releasing, 0);
}

void graph_run::lock_all(const shared_lock_state& lock) {
  const shared_parts& parts = parts_of(lock.id);
  enter_parts(lock, parts);
  lane_state& me = lanes_[acting()];
  bool wrote = false;
  (void)read(parts.gate, lock_by(held_by_writer), &wrote);
  me.takes_all = &lock;
  for (const auto& [lane, location] : parts.readers) (void)read(location, lock_by(held_by_writer), &wrote);
  me.takes_all = nullptr;
}

bool graph_run::try_lock_all(const shared_lock_state& lock) {
  const shared_parts& parts = parts_of(lock.id);
  enter_parts(lock, parts);
  const std::uint64_t reason = choose(2 + parts.readers.size(), internal_choice);
  lane_state& me = lanes_[acting()];
  bool wrote = false;
  me.tries = true;
  if (reason == 0)
    lock_all(lock);
  else if (reason == 1)
    find_writer(parts);
  else
    (void)read(parts.readers[reason - 2].second, find_held_by<held_by_reader>, &wrote);
  me.tries = false;
  return reason == 0;
}

void graph_run::unlock_all(const shared_lock_state& lock) {
  const shared_parts& parts = parts_of(lock.id);
  for (auto part = parts.readers.rbegin(); part != parts.readers.rend(); ++part)
    write(part->second, graph_operation::unlock, releasing, 0);
  write(parts.gate, graph_operation::unlock, releasing, 0);
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
  if (e.operation == graph_operation::unlock) return !same_lock_before(1);
  if (e.operation == graph_operation::gate) return true;
  const auto& readers = shared_[lock].readers;
  const bool writer = part == 1 || (same_lock_before(1) && same_lock_before(2));
  return !writer || (readers.empty() ? part == 1 : readers.back().second == e.location);
}

}  // namespace kvrace::detail
