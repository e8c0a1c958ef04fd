#include "proof/execution_graph.h"

#include <algorithm>
#include <utility>

namespace kvrace::detail {

execution_graph::execution_graph() : events_(std::make_unique_for_overwrite<event[]>(events_max)) { spawned_by_.fill(no_place); }

void execution_graph::clear() {
  for (const std::uint16_t location : touched_) {
    locations_[location].writes.clear();
    locations_[location].reads.clear();
    locations_[location].touched = false;
  }
  touched_.clear();
  joins_.clear();
  size_ = 0;
  length_.fill(0);
  if (spawned_ != 0) spawned_by_.fill(no_place);
  spawned_ = 0;
  stable = {};
}

void execution_graph::copy_first(const execution_graph& from, unsigned size) {
  std::copy_n(from.events_.get(), size, events_.get());
  index_first(size);
}

void execution_graph::index_first(unsigned size) {
  for (unsigned at = 0; at < size; ++at) {
    const event& e = events_[at];
    at_[e.lane][e.index] = static_cast<place>(at);
    ++length_[e.lane];
    if (e.kind == event_kind::spawn) set_spawn(static_cast<unsigned>(e.value), static_cast<place>(at));
    if (e.kind == event_kind::join || e.kind == event_kind::wake) add_join(static_cast<place>(at));
  }
  size_ = size;
}

void execution_graph::touch(unsigned location) {
  if (location >= locations_.size()) locations_.resize(location + 1);
  if (std::exchange(locations_[location].touched, true)) return;
  touched_.push_back(static_cast<std::uint16_t>(location));
}

event& execution_graph::append(unsigned lane) {
  event& fresh = events_[size_];
  fresh.lane = static_cast<std::uint8_t>(lane);
  fresh.index = static_cast<std::uint8_t>(length_[lane]);
  fresh.source = fresh.mo = no_place;
  fresh.location = 0;
  fresh.pending = fresh.waits = false;
  at_[lane][length_[lane]++] = static_cast<place>(size_++);
  return fresh;
}

void execution_graph::append_again(unsigned at) {
  const event& e = events_[at];
  at_[e.lane][e.index] = static_cast<place>(at);
  ++length_[e.lane];
  ++size_;
}

void execution_graph::remove_last() {
  const event& e = events_[size_ - 1];
  if (reads(e))
    locations_[e.location].reads.pop_back();
  else if (writes(e))
    remove_write(size_ - 1);
  else if (e.kind == event_kind::spawn)
    remove_spawn(static_cast<unsigned>(e.value));
  else if (e.kind == event_kind::join || e.kind == event_kind::wake)
    joins_.pop_back();
  retract();
}

void execution_graph::insert_write(unsigned at, unsigned position) {
  auto& order = locations_[events_[at].location].writes;
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(position), static_cast<place>(at));
  for (std::size_t i = position; i < order.size(); ++i) events_[order[i]].mo = static_cast<place>(i);
}

void execution_graph::remove_write(unsigned at) {
  const unsigned position = events_[at].mo;
  if (position == no_place) return;
  auto& order = locations_[events_[at].location].writes;
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(position));
  for (std::size_t i = position; i < order.size(); ++i) events_[order[i]].mo = static_cast<place>(i);
  events_[at].mo = no_place;
}

}  // namespace kvrace::detail
