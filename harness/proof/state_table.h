// A hash table from 128-bit keys to what a bounded search knows of a state: the memory of that search, or of several processes.
//
// Extendible hashing (Fagin, Nievergelt, Pippenger, Strong, TODS 1979): a directory by the first bits of the key leads to
// segments of fixed size, and a full one is split in two. So the table grows while other processes use it, each segment under a
// lock of its own, and its address space is reserved once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "proof/state_key.h"

namespace kvrace::detail {

struct state_entry {
  state_key key;
  std::uint64_t explored = 0;  // by the task that ran last: bit set
  std::uint64_t flags = 0;     // 0: an empty place
};

class state_table {
 public:
  enum class used_by : std::uint8_t { one_process, forked_processes };
  explicit state_table(used_by users);
  state_table(const state_table&) = delete;
  state_table& operator=(const state_table&) = delete;
  ~state_table();

  // Calls `use` with the entry of `key`, whose flags are 0 if it is new; `use` must leave them different from 0. No other process
  // looks at the entry meanwhile. Returns what `use` returns.
  template <class Use>
  auto with(const state_key& key, Use use) {
    for (;;) {
      segment& home = segment_of(key);
      const turn its_turn(shared_ ? &home : nullptr);
      if (shared_ && !home.covers(key)) continue;  // split since
      state_entry& entry = home.place(key);
      if (entry.flags == 0) {
        if (home.used >= segment::used_max && split(home)) continue;
        if (home.used == segment::places - 1) throw std::bad_alloc();
        entry.key = key;
        ++home.used;
      }
      return use(entry);
    }
  }
  // Starts to fetch what with() will look at.
  void prefetch(const state_key& key) const { __builtin_prefetch(&segment_of(key).entries[segment::first_place(key)], 1); }

  // No segment can be split further, or there is room for few more: the search should end.
  [[nodiscard]] bool nearly_full() const;

 private:
  struct segment {
    static constexpr std::size_t places = 1023;  // with the head, 32 KiB
    static constexpr std::size_t used_max = places * 2 / 3;
    std::atomic<std::uint32_t> locked;
    std::uint32_t used;
    std::uint32_t depth;  // how many first bits of the keys all entries share
    std::uint32_t prefix;  // these bits
    std::uint64_t unused[2];
    state_entry entries[places];

    static std::size_t first_place(const state_key& key) { return static_cast<std::size_t>((key.high >> 32U) * places >> 32U); }
    [[nodiscard]] bool covers(const state_key& key) const { return depth == 0 || key.low >> (64 - depth) == prefix; }
    [[nodiscard]] state_entry& place(const state_key& key);
  };
  static_assert(sizeof(segment) == 32 * 1024);
  class turn {
   public:
    explicit turn(segment* of) : of_(of) {
      if (of_ != nullptr) take();
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() {
      if (of_ != nullptr) of_->locked.store(0, std::memory_order_release);
    }

   private:
    void take();
    segment* of_;
  };
  struct head {
    std::atomic<std::uint32_t> segments;  // in use
    std::atomic<std::uint32_t> cramped;  // a segment was full and could not be split
  };
  static constexpr unsigned directory_bits = 17;
  static constexpr std::size_t segments_max = std::size_t{1} << directory_bits;

  [[nodiscard]] segment& segment_of(const state_key& key) const {
    return segments_[directory_[key.low >> (64 - directory_bits)].load(std::memory_order_acquire)];
  }
  bool split(segment& full);

  bool shared_;
  std::size_t bytes_;
  void* memory_;
  head* head_;
  std::atomic<std::uint32_t>* directory_;  // numbers of segments
  segment* segments_;
  std::vector<state_entry> moving_;  // while a segment is split: tasks have small stacks
};

}  // namespace kvrace::detail
