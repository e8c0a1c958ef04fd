// Where requests are routed, in one word: who reads it knows the split and how many rollbacks came before it.
//
// A request reads it twice: to be routed, and when it has taken its blocks. A rollback writes it, then raises the version of the
// candidate's cache. So a request that has found the new version, or what came after it, finds another number at its second look:
// the version synchronises the two. One that finds the same number took its blocks under the old version; what it publishes is
// dropped.
#pragma once

#include <atomic>
#include <cstdint>

#include <kvrace/cache/rollout.h>

namespace kvrace::cache {

template <class Sync>
class traffic_switch {
 public:
  struct position {
    std::uint32_t rollbacks = 0;
    traffic_split split;
  };

  explicit traffic_switch(traffic_split split) : word_(packed({.rollbacks = 0, .split = split})) { Sync::name(word_, "split"); }

  [[nodiscard]] position load() const { return unpacked(word_.load(std::memory_order_acquire)); }
  // Of one task at a time.
  void route(traffic_split split) {
    written_.split = split;
    store();
  }
  void close() {
    written_ = {.rollbacks = written_.rollbacks + 1, .split = {}};
    store();
  }
  [[nodiscard]] traffic_split written() const { return written_.split; }

 private:
  static std::uint64_t packed(const position& from) {
    return std::uint64_t{from.rollbacks} << 32U | std::uint64_t{from.split.candidate} << 16U | from.split.baseline;
  }
  static position unpacked(std::uint64_t word) {
    return {.rollbacks = static_cast<std::uint32_t>(word >> 32U),
            .split = {.candidate = static_cast<std::uint32_t>(word >> 16U & 0xFFFFU),
                      .baseline = static_cast<std::uint32_t>(word & 0xFFFFU)}};
  }
  void store() { word_.store(packed(written_), std::memory_order_release); }

  typename Sync::template atomic<std::uint64_t> word_;
  position written_ = unpacked(Sync::peek(word_));
};

}  // namespace kvrace::cache
