// What executions teach about a program and the exploration relies on, as bytes.
#include <algorithm>

#include <kvrace/sync.h>

#include "proof/graph_bytes.h"
#include "proof/graph_run.h"

namespace kvrace::detail {

namespace {

constexpr unsigned part_of_gate = 1;  // of an identity; that of a reader is 2 and its lane

}  // namespace

unsigned graph_run::location_with(std::uint64_t identity) {
  const auto id = static_cast<std::uint32_t>(identity);
  const auto part = static_cast<unsigned>(identity >> 32U);
  if (part == 0) {
    std::uint16_t& number = number_of(id);
    if (number == 0) number = static_cast<std::uint16_t>(1 + new_location(id));
    return number - 1U;
  }
  shared_parts& parts = parts_of(id);
  if (part == part_of_gate) return parts.gate;
  const unsigned lane = part - 2;
  const auto known =
      std::find_if(parts.readers.begin(), parts.readers.end(), [lane](const auto& each) { return each.first == lane; });
  if (known != parts.readers.end()) return known->second;
  const unsigned location = new_location(identity);
  parts.readers.emplace_back(lane, location);
  std::sort(parts.readers.begin(), parts.readers.end());
  return location;
}

void graph_run::save_knowledge(byte_writer& to) const {
  to.put(lanes_ever_);
  for (const auto& lanes : lanes_of_spawns_) to.put_list(lanes);
  to.put<std::uint64_t>(waiters_.size());
  for (const auto& [id, tasks] : waiters_) {
    to.put(id);
    to.put(tasks);
  }
  to.put<std::uint64_t>(value_waiters_.size());
  for (const auto& [location, waiters] : value_waiters_) {
    to.put(identity(location));
    to.put(waiters);
  }
  std::vector<std::uint64_t> readers;
  for (const auto& [id, parts] : shared_)
    for (const auto& [lane, location] : parts.readers) readers.push_back(identity(location));
  to.put_list(readers);
}

void graph_run::load_knowledge(byte_reader& from) {
  lanes_ever_ = from.get<unsigned>();
  for (auto& lanes : lanes_of_spawns_) lanes = from.get_list<std::uint8_t>();
  for (auto left = from.get<std::uint64_t>(); left > 0; --left) {
    const auto id = from.get<std::uint32_t>();
    waiters_[id] = from.get<task_set>();
  }
  for (auto left = from.get<std::uint64_t>(); left > 0; --left) {
    const unsigned location = location_with(from.get<std::uint64_t>());
    value_waiters_[location] = from.get<value_waiters>();
  }
  for (const std::uint64_t reader : from.get_list<std::uint64_t>()) (void)location_with(reader);
}

}  // namespace kvrace::detail
