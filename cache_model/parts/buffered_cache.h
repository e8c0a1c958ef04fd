// A cache whose eviction order is kept up by a housekeeper: writers change the map at once and leave a record, from which the
// order follows later. Its size may exceed the capacity by what has been written since the last housekeeping.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <kvrace/cache/seams.h>

#include "cache_model/fixed_array.h"

namespace kvrace::cache {

// An entry of the map: a key that is inserted again after its eviction is another instance.
struct map_entry {
  std::uint32_t key = 0;
  std::uint32_t instance = 0;
  friend bool operator==(const map_entry&, const map_entry&) = default;
};

// Told in the critical section in which it happened.
class buffered_cache_listener {
 public:
  virtual void entry_inserted(const map_entry&) = 0;
  virtual void entry_evicted(const map_entry&) = 0;
  virtual void node_added(const map_entry&) = 0;    // the eviction order has it
  virtual void node_removed(const map_entry&) = 0;
  virtual void eviction_ended() = 0;  // nothing more is evicted in this housekeeping

 protected:
  ~buffered_cache_listener() = default;
};

template <class Sync>
class buffered_cache {
 public:
  // `policy` and `listener` outlive it.
  buffered_cache(std::size_t keys, std::size_t capacity, const record_policy& policy, buffered_cache_listener& listener)
      : policy_(policy), listener_(listener), capacity_(capacity), instance_of_(keys, 0) {
    Sync::name(map_mutex_, "map");
    Sync::name(housekeeping_, "housekeeping");
  }

  void put(std::uint32_t key) {
    const guard lock(map_mutex_);
    map_guard_.write();
    if (instance_of_[key] == 0) {
      instance_of_[key] = ++instances_;
      ++resident_;
      listener_.entry_inserted({key, instance_of_[key]});
    }
    records_.push_back({key, instance_of_[key]});
  }

  // Brings the order up to date, then evicts what is too much.
  void maintain() {
    const guard lock(housekeeping_);
    drain();
    while (evict_one()) {
    }
  }

  // For audits, while no call is in progress: nodes of the order that stand for no entry.
  template <class Visit>
  void for_each_orphan(Visit visit) const {
    for (const map_entry& node : order_)
      if (instance_of_[node.key] != node.instance) visit(node);
  }
  // The same for the number of entries.
  [[nodiscard]] std::size_t resident() const { return resident_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  using guard = typename Sync::template lock_guard<typename Sync::mutex>;
  using entries = std::vector<map_entry, typename Sync::template allocator<map_entry>>;

  [[nodiscard]] bool is_alive(const map_entry& entry) const { return instance_of_[entry.key] == entry.instance; }

  void drain() {
    const guard lock(map_mutex_);
    map_guard_.write();
    order_guard_.write();
    for (const map_entry& written : records_) {
      if (policy_.skips_dead() && !is_alive(written)) continue;
      if (const auto node = std::find(order_.begin(), order_.end(), written); node != order_.end())
        std::rotate(node, node + 1, order_.end());
      else {
        order_.push_back(written);
        listener_.node_added(written);
      }
    }
    records_.clear();
  }

  // False if nothing is left to do, or can be done.
  bool evict_one() {
    const guard lock(map_mutex_);
    map_guard_.write();
    order_guard_.write();
    if (resident_ > capacity_ && !order_.empty()) {
      const map_entry oldest = order_.front();
      if (is_alive(oldest) || policy_.skips_dead()) {
        order_.erase(order_.begin());
        listener_.node_removed(oldest);
        if (is_alive(oldest)) {
          instance_of_[oldest.key] = 0;
          --resident_;
          listener_.entry_evicted(oldest);
        }
        return true;
      }
    }
    listener_.eviction_ended();
    return false;
  }

  const record_policy& policy_;
  buffered_cache_listener& listener_;
  std::size_t capacity_;
  typename Sync::mutex map_mutex_;     // over the map and the records
  typename Sync::mutex housekeeping_;  // over the order
  typename Sync::shadow map_guard_;
  typename Sync::shadow order_guard_;
  std::vector<std::uint32_t, typename Sync::template allocator<std::uint32_t>> instance_of_;  // by key; 0: not in the map
  std::uint32_t instances_ = 0;
  std::size_t resident_ = 0;
  entries records_;  // of writes, oldest first
  entries order_;    // next to be evicted first
};

}  // namespace kvrace::cache
