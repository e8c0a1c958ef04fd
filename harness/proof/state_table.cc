#include "proof/state_table.h"

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>

namespace kvrace::detail {

namespace {

constexpr std::size_t page = 4096;

}  // namespace

state_table::state_table(used_by users)
    : shared_(users == used_by::forked_processes),
      bytes_(page + segments_max * sizeof(std::atomic<std::uint32_t>) + segments_max * sizeof(segment)),
      // Address space only: pages are backed as segments come into use, and are zero then, which is an empty table of one
      // segment.
      memory_(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                     (shared_ ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
  auto* at = static_cast<std::byte*>(memory_);
  head_ = reinterpret_cast<head*>(at);
  directory_ = reinterpret_cast<std::atomic<std::uint32_t>*>(at + page);
  segments_ = reinterpret_cast<segment*>(at + page + segments_max * sizeof(std::atomic<std::uint32_t>));
  head_->segments = 1;
}

state_table::~state_table() { ::munmap(memory_, bytes_); }

state_entry& state_table::segment::place(const state_key& key) {
  std::size_t at = first_place(key);
  while (entries[at].flags != 0 && !(entries[at].key == key)) at = at + 1 == places ? 0 : at + 1;
  return entries[at];
}

void state_table::turn::take() {
  for (unsigned tries = 0; of_->locked.exchange(1, std::memory_order_acquire) != 0; ++tries)
    if (tries > 100) ::sched_yield();
}

bool state_table::nearly_full() const {
  constexpr std::uint32_t spare = 1024;
  return head_->cramped.load(std::memory_order_relaxed) != 0 ||
         head_->segments.load(std::memory_order_relaxed) > segments_max - spare;
}

// False: it stays as it is, and is filled up. Nobody else comes to the new segment before the directory leads there.
bool state_table::split(segment& full) {
  const std::uint32_t number = full.depth == directory_bits ? segments_max : head_->segments.fetch_add(1);
  if (number >= segments_max) {
    head_->cramped = 1;
    return false;
  }
  segment& fresh = segments_[number];
  moving_.assign(full.entries, full.entries + segment::places);
  std::fill_n(full.entries, segment::places, state_entry{});
  fresh.depth = ++full.depth;
  full.prefix <<= 1U;
  fresh.prefix = full.prefix | 1U;
  full.used = 0;
  for (const state_entry& each : moving_) {
    if (each.flags == 0) continue;
    segment& home = full.covers(each.key) ? full : fresh;
    home.place(each.key) = each;
    ++home.used;
  }
  const std::size_t reach = segments_max >> fresh.depth;
  for (std::size_t at = fresh.prefix * reach; at < (fresh.prefix + 1) * reach; ++at)
    directory_[at].store(number, std::memory_order_release);
  return true;
}

}  // namespace kvrace::detail
