#include "proof/small_program_order.h"

#include <algorithm>

namespace kvrace::testing {

namespace {

std::uint64_t scramble(std::uint64_t z) {
  z = (z ^ z >> 33U) * 0xff51afd7ed558ccd;
  z = (z ^ z >> 33U) * 0xc4ceb9fe1a85ec53;
  return z ^ z >> 33U;
}

std::uint64_t dependent_id(const event& earlier, const touch& later) {
  for (unsigned t = 0; t < earlier.touched; ++t) {
    const touch& other = earlier.touches[t];
    if (other.object == later.object && (other.how != later.how || later.how == way::write))
      return scramble((earlier.task + 1) * 0x10001ULL + earlier.index);
  }
  return 0;
}

bool lock_orders(const event& earlier, const event& later) {
  if (earlier.lock != later.lock || later.lock == objects) return false;
  if (later.locks) return earlier.unlocks || earlier.unlocks_shared;
  return later.locks_shared && earlier.unlocks;
}

// The releases that event `i` synchronises with, as an acquiring read or as an acquire fence after a read.
std::vector<std::size_t> synchronised_with(const std::vector<event>& events, std::size_t i) {
  std::vector<std::size_t> heads;
  if (!events[i].acquires) return heads;
  for (std::size_t read = 0; read <= i; ++read) {
    if (events[read].task != events[i].task || events[read].reads_from == nobody) continue;
    if (read != i && !events[i].is_fence) continue;
    for (int write = events[read].reads_from; write != nobody; write = events[static_cast<std::size_t>(write)].reads_from) {
      const auto w = static_cast<std::size_t>(write);
      if (events[w].releases) heads.push_back(w);
      for (std::size_t fence = 0; fence < w; ++fence)
        if (events[fence].is_fence && events[fence].releases && events[fence].task == events[w].task) heads.push_back(fence);
      if (!events[w].update) break;
    }
  }
  return heads;
}

}  // namespace

std::uint64_t trace_key(const std::vector<event>& events) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const event& e = events[i];
    if (e.plain) continue;
    std::uint64_t hash = scramble((e.task * 1000ULL + e.index) << 32U | e.label);
    for (unsigned t = 0; t < e.touched; ++t) {
      std::uint64_t before = e.touches[t].object + 1ULL;
      for (std::size_t j = 0; j < i; ++j) before += dependent_id(events[j], e.touches[t]);
      hash = scramble(hash ^ scramble(before));
    }
    key += hash;
  }
  return key;
}

bool has_race(const std::vector<event>& events) {
  if (std::none_of(events.begin(), events.end(), [](const event& e) { return e.plain; })) return false;
  std::vector<std::uint64_t> before(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto follow = [&](std::size_t earlier) { before[i] |= before[earlier] | std::uint64_t{1} << earlier; };
    for (std::size_t j = 0; j < i; ++j)
      if (events[j].task == events[i].task || lock_orders(events[j], events[i])) follow(j);
    for (const std::size_t head : synchronised_with(events, i)) follow(head);
    if (!events[i].plain) continue;
    for (std::size_t j = 0; j < i; ++j)
      if (events[j].plain && events[j].datum == events[i].datum && (events[j].plain_write || events[i].plain_write) &&
          (before[i] >> j & 1) == 0)
        return true;
  }
  return false;
}

}  // namespace kvrace::testing
