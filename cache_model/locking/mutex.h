// One mutex around everything. A call is one critical section; recency is a list, spliced in it.
//
// Exact LRU: the order is that of the releases. A block returns to the order when its last reference goes, behind all others
// (if it is indexed) or in front of them (if not); of one request, the tail of the prompt returns first.
#pragma once

#include <cstdint>
#include <vector>

#include <kvrace/cache/configuration.h>

#include "cache_model/block_pool.h"
#include "cache_model/eviction_list.h"

namespace kvrace::cache {

template <class Sync>
class mutex_cache final : public prefix_cache<Sync> {
 public:
  using request_type = basic_request<Sync>;

  static locking_description description() {
    return {.name = "mutex",
            .summary = "one mutex around everything; recency is a list, spliced in the same critical section",
            .exact_lru = true};
  }

  explicit mutex_cache(const cache_parameters& parameters)
      : pool_(parameters), references_(parameters.capacity_blocks), order_(parameters.capacity_blocks) {
    Sync::name(mutex_, "pool");
  }

  std::size_t acquire(request_type& request, const acquire_options& options) override {
    guard lock(mutex_);
    section_of<Sync, guard> section(lock, pool_.seams());
    const std::size_t hits = pool_.find(request, options.blocks_max);
    if (hits != 0) {
      pool_.seams().pin->between_find_and_pin(section);
      if (!pool_.seams().pin->pins_before_reserving() && options.reserve) reserve(request, section);
      if (pool_.seams().pin->counts_reference()) pin(request, section);
    }
    if (options.reserve) {
      reserve(request, section);
      pool_.deliver_evictions(request, lock);
    }
    return hits;
  }

  void publish(request_type& request) override {
    guard lock(mutex_);
    const std::size_t published = pool_.publish(request);
    if (!pool_.seams().statistics->counts_under_lock()) lock.unlock();
    pool_.count_published(published);
  }

  void release(request_type& request) override {
    guard lock(mutex_);
    section_of<Sync, guard> section(lock, pool_.seams());
    const bool abandoned = request.abandons();
    if (pool_.seams().invalidation->hits_revive_entries()) pool_.revive_entries(request);
    if (!pool_.seams().reference->gives_back_own()) give_back_lately(request, section);
    for (std::size_t i = request.slots.size(); i-- > 0;) {
      slot_type& slot = request.slots[i];
      const unsigned times = slot.held ? pool_.seams().reference->times_given_back(abandoned) : 0;
      for (unsigned time = 0; time < times; ++time) give_back(request, i, abandoned, section);
      slot = {};
    }
  }

  std::uint32_t invalidate() override {
    guard lock(mutex_);
    section_of<Sync, guard> section(lock, pool_.seams());
    return pool_.invalidate(section, [this](std::uint32_t id) {
      if (references_[id].count == 0) order_.push_front(id);
    });
  }

  typename Sync::template var<tag>* payload(std::uint32_t block) override { return pool_.payload(block); }

  [[nodiscard]] std::uint64_t published() const override { return pool_.published(); }

  void audit(audit_listener& listener) const override {
    std::vector<std::uint32_t, typename Sync::template allocator<std::uint32_t>> places(pool_.capacity(), 0);
    order_.for_each([&](std::uint32_t id) { ++places[id]; });
    pool_.audit(
        listener, [this](std::uint32_t id) { return references_[id].count; }, [&](std::uint32_t id) { return places[id]; });
  }

 private:
  using slot_type = typename request_type::slot;
  using guard = typename Sync::template unique_lock<typename Sync::mutex>;
  struct references {
    typename Sync::shadow guard;
    std::uint32_t count = 0;
  };

  void pin(request_type& request, critical_section& section) {
    const bool gives_back_own = pool_.seams().reference->gives_back_own();
    for (std::size_t i = 0; i < request.slots.size(); ++i) {
      slot_type& slot = request.slots[i];
      if (slot.what != slot_type::kind::hit) continue;
      if (!pool_.seams().pin->keeps_generation_found()) pool_.renew_generation(slot);
      slot.held = true;
      references& pinned = references_[slot.where.block];
      pinned.guard.write();
      if (++pinned.count == 1) {
        pool_.seams().recency->before_update(recency_policy::update::pin, section);
        order_.remove(slot.where.block);
        pool_.seams().recency->after_update(recency_policy::update::pin, section);
      }
      if (!gives_back_own) lately_.push_back({&request, i, slot.where});
      pool_.tell(block_event::kind::pin, &request, slot.where, i, slot.entry_denied);
    }
  }

  void reserve(request_type& request, critical_section& section) {
    for (std::size_t i = 0; i < request.slots.size(); ++i) {
      if (request.slots[i].what != slot_type::kind::none) continue;
      if (pool_.seams().tail->shares_for_writing() && share_tail(request, i)) continue;
      if (!evict(request, section)) {
        request.starved = true;
        return;
      }
      pool_.take(request, i, section);
    }
  }

  // Flawed. False if there is no such block that somebody holds.
  bool share_tail(request_type& request, std::size_t position) {
    const std::uint32_t id = pool_.find_shared_tail(request, position);
    if (id == no_block || references_[id].count == 0) return false;
    references_[id].guard.write();
    ++references_[id].count;
    pool_.share_tail(request, position, id);
    return true;
  }

  // Takes the first block of the order that the request may have out of it, referenced once. False if there is none.
  bool evict(request_type& request, critical_section& section) {
    for (;;) {
      const std::uint32_t id = order_.first([&](std::uint32_t each) { return pool_.may_take(request, each); });
      if (id == no_block) return false;
      pool_.choose(request, id);
      pool_.seams().recency->before_update(recency_policy::update::eviction, section);
      references& chosen = references_[id];
      chosen.guard.write();
      if (chosen.count != 0) continue;  // only if the section was left: somebody else has it
      chosen.count = 1;
      order_.remove(id);
      pool_.seams().recency->after_update(recency_policy::update::eviction, section);
      return true;
    }
  }

  void give_back(request_type& request, std::size_t position, bool abandoned, critical_section& section) {
    const reference_policy& policy = *pool_.seams().reference;
    const handle where = request.slots[position].where;
    references& held = references_[where.block];
    held.guard.write();
    if (held.count == 0 && !policy.clamps_at_zero()) return pool_.tell(block_event::kind::unbalanced, &request, where, position);
    if (held.count != 0) --held.count;
    pool_.tell(block_event::kind::unpin, &request, where, position);
    if (request.slots[position].what == slot_type::kind::hit && !policy.index_keeps_hold(abandoned)) pool_.lose_hold(where.block);
    if (held.count == 0) put_in_order(request, position, where, section);
  }
  // The last reference has gone.
  void put_in_order(const request_type& request, std::size_t position, handle where, critical_section& section) {
    const bool indexed = pool_.indexed(where.block);
    if (!indexed) pool_.tell(block_event::kind::free, &request, where, position);
    pool_.seams().recency->before_update(recency_policy::update::release, section);
    if (indexed)
      order_.push_back(where.block);
    else
      order_.push_front(where.block);
    pool_.seams().recency->after_update(recency_policy::update::release, section);
  }

  // Flawed: gives back every reference to a hit that was taken since this was done last, whoever has taken it. What is left of
  // the request are the blocks it has reserved.
  void give_back_lately(request_type& request, critical_section& section) {
    for (const taken& each : lately_) {
      const bool own = each.request == &request;
      references& held = references_[each.where.block];
      held.guard.write();
      --held.count;
      pool_.tell(own ? block_event::kind::unpin : block_event::kind::foreign_unpin, &request, each.where,
                 own ? each.position : 0);
      if (held.count == 0) put_in_order(request, each.position, each.where, section);
    }
    lately_.clear();
    for (slot_type& slot : request.slots)
      if (slot.what == slot_type::kind::hit) slot = {};
  }

  struct taken {
    const request_type* request;
    std::size_t position;
    handle where;
  };

  typename Sync::mutex mutex_;
  block_pool<Sync> pool_;
  fixed_array<Sync, references> references_;
  eviction_list<Sync> order_;
  std::vector<taken, typename Sync::template allocator<taken>> lately_;  // flawed: the references that were taken
};

}  // namespace kvrace::cache
