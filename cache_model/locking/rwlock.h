// A reader-writer lock. Hits find and pin under the shared lock; reserving, publishing and invalidating need the exclusive one;
// giving a published block back needs none.
//
// A block's reference count and its tick are one atomic word. Pinning counts the reference and stamps the tick at once; eviction
// takes the block with the lowest tick among the unreferenced ones. Exact LRU: the order is that of the ticks. A request draws
// its ticks together, so that the tail of the prompt is the oldest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <kvrace/cache/configuration.h>

#include "cache_model/block_pool.h"
#include "cache_model/eviction_queue.h"

namespace kvrace::cache {

template <class Sync>
class rwlock_cache final : public prefix_cache<Sync> {
 public:
  using request_type = basic_request<Sync>;

  static locking_description description() {
    return {.name = "rwlock",
            .summary = "hits under a shared lock with atomic recency; evictions under the exclusive one",
            .exact_lru = true};
  }

  explicit rwlock_cache(const cache_parameters& parameters)
      : pool_(parameters), states_(parameters.capacity_blocks), order_(parameters.capacity_blocks) {
    Sync::name(mutex_, "pool");
    Sync::name(clock_, "clock");
    for (std::uint32_t id = 0; id < parameters.capacity_blocks; ++id) {
      Sync::name(states_[id].word, "block ", id);
      Sync::name(states_[id].plain_tick, "block ", id);
    }
  }

  std::size_t acquire(request_type& request, const acquire_options& options) override {
    std::uint64_t base = no_ticks;
    std::size_t hits = 0;
    const bool pins_first = pool_.seams().pin->pins_before_reserving();
    {
      shared_guard lock(mutex_);
      section_of<Sync, shared_guard> section(lock, pool_.seams());
      hits = pool_.find(request, options.blocks_max);
      if (hits != 0) {
        pool_.seams().pin->between_find_and_pin(section);
        base = draw_ticks(request);
        if (pool_.seams().pin->counts_reference() && (pins_first || !options.reserve)) pin(request, base);
      }
    }
    if (!options.reserve || hits == request.slots.size()) return hits;
    guard lock(mutex_);
    section_of<Sync, guard> section(lock, pool_.seams());
    if (base == no_ticks) base = draw_ticks(request);
    reserve(request, base, section);
    if (!pins_first && hits != 0) pin(request, base);
    pool_.deliver_evictions(request, lock);
    return hits;
  }

  void publish(request_type& request) override {
    guard lock(mutex_);
    const std::size_t published = pool_.publish(request);
    if (!pool_.seams().statistics->counts_under_lock()) lock.unlock();
    pool_.count_published(published);
  }

  void release(request_type& request) override {
    if (pool_.seams().invalidation->hits_revive_entries()) {
      const guard lock(mutex_);
      pool_.revive_entries(request);
    }
    if (request.abandons()) {
      const guard lock(mutex_);
      give_all_back(request, true);
    } else {
      give_all_back(request, false);
    }
  }

  std::uint32_t invalidate() override {
    guard lock(mutex_);
    section_of<Sync, guard> section(lock, pool_.seams());
    return pool_.invalidate(section, [this](std::uint32_t id) { order_.put(id, 0); });
  }

  typename Sync::template var<tag>* payload(std::uint32_t block) override { return pool_.payload(block); }

  [[nodiscard]] std::uint64_t published() const override { return pool_.published(); }

  void audit(audit_listener& listener) const override {
    std::vector<std::uint32_t, typename Sync::template allocator<std::uint32_t>> places(pool_.capacity(), 0);
    order_.for_each([&](std::uint32_t id) { ++places[id]; });
    const auto references = [this](std::uint32_t id) { return references_in(Sync::peek(states_[id].word)); };
    // The queue holds every block; those that are referenced are passed over, and so are not in the order.
    pool_.audit(listener, references, [&](std::uint32_t id) { return places[id] == 1 && references(id) != 0 ? 0 : places[id]; });
  }

 private:
  using slot_type = typename request_type::slot;
  using guard = typename Sync::template unique_lock<typename Sync::shared_mutex>;
  using shared_guard = typename Sync::template shared_lock<typename Sync::shared_mutex>;

  struct state {
    typename Sync::template atomic<std::uint64_t> word{0};     // tick, then references in the low bits
    typename Sync::template var<std::uint64_t> plain_tick{0};  // in place of the tick where the recency policy has no atomic one
  };
  static constexpr unsigned reference_bits = 16;
  static constexpr std::uint64_t no_ticks = ~std::uint64_t{0};

  static std::uint32_t references_in(std::uint64_t word) {
    return static_cast<std::uint32_t>(word & ((1U << reference_bits) - 1));
  }
  static std::uint64_t tick_in(std::uint64_t word) { return word >> reference_bits; }
  static std::uint64_t word_of(std::uint64_t tick, std::uint32_t references) { return (tick << reference_bits) | references; }

  // One tick for each slot of the request, the last slot's the oldest; all above `base`.
  std::uint64_t draw_ticks(const request_type& request) {
    return clock_.fetch_add(request.slots.size(), std::memory_order_relaxed);
  }
  static std::uint64_t tick_of(const request_type& request, std::uint64_t base, std::size_t position) {
    return base + (request.slots.size() - position);
  }

  void pin(request_type& request, std::uint64_t base) {
    const bool atomic_ticks = pool_.seams().recency->atomic_ticks();
    const pin_policy& policy = *pool_.seams().pin;
    for (std::size_t i = 0; i < request.slots.size(); ++i) {
      slot_type& slot = request.slots[i];
      if (slot.what != slot_type::kind::hit) continue;
      if (!policy.keeps_generation_found()) pool_.renew_generation(slot);
      slot.held = true;
      auto& word = states_[slot.where.block].word;
      if (atomic_ticks) {
        // A slower hit never sets the tick back.
        std::uint64_t seen = word.load(std::memory_order_relaxed);
        while (!word.compare_exchange_weak(seen,
                                           word_of(std::max(tick_in(seen), tick_of(request, base, i)), references_in(seen) + 1),
                                           std::memory_order_relaxed)) {
          if (!policy.retries_without_trace()) seen = word.fetch_add(1, std::memory_order_relaxed) + 1;
        }
      } else {
        word.fetch_add(std::uint64_t{1}, std::memory_order_relaxed);
      }
      if (pool_.seams().recency->moves_under_shared_lock()) order_.put(slot.where.block, tick_of(request, base, i));
      pool_.tell(block_event::kind::pin, &request, slot.where, i, slot.entry_denied);
    }
  }

  void reserve(request_type& request, std::uint64_t base, critical_section& section) {
    for (std::size_t i = 0; i < request.slots.size(); ++i) {
      if (request.slots[i].what != slot_type::kind::none) continue;
      if (pool_.seams().tail->shares_for_writing() && share_tail(request, i)) continue;
      if (!evict(request, tick_of(request, base, i), section)) {
        request.starved = true;
        return;
      }
      pool_.take(request, i, section);
    }
  }

  // Flawed. False if there is no such block that somebody holds.
  bool share_tail(request_type& request, std::size_t position) {
    const std::uint32_t id = pool_.find_shared_tail(request, position);
    if (id == no_block || references_in(states_[id].word.load(std::memory_order_relaxed)) == 0) return false;
    states_[id].word.fetch_add(std::uint64_t{1}, std::memory_order_relaxed);
    pool_.share_tail(request, position, id);
    return true;
  }

  // References the first unreferenced block of the order once and puts it under its new tick. False if there is none.
  bool evict(request_type& request, std::uint64_t tick, critical_section& section) {
    for (;;) {
      const std::uint32_t id = oldest_unreferenced(request);
      if (id == no_block) return false;
      pool_.choose(request, id);
      const unsigned left = section.times_left();
      pool_.seams().recency->before_update(recency_policy::update::eviction, section);
      if (section.times_left() != left && references_in(states_[id].word.load(std::memory_order_acquire)) != 0) continue;
      states_[id].word.store(word_of(tick, 1), std::memory_order_relaxed);
      order_.put(id, tick);
      pool_.seams().recency->after_update(recency_policy::update::eviction, section);
      return true;
    }
  }

  // Of those that the request may take.
  std::uint32_t oldest_unreferenced(const request_type& request) {
    std::uint32_t result = no_block;
    passed_over_.clear();
    for (auto first = order_.front(); first.block != no_block; first = order_.front()) {
      if (!pool_.may_take(request, first.block)) {
        passed_over_.push_back(first);
        order_.remove(first.block);
        continue;
      }
      // Acquires what the last holder has read: the block may be written from now on.
      const std::uint64_t word = states_[first.block].word.load(std::memory_order_acquire);
      if (references_in(word) != 0 && tick_in(word) <= first.tick) {
        passed_over_.push_back(first);
        order_.remove(first.block);
        continue;
      }
      // A referenced block is put back under its own tick too, or every eviction would pass over it again.
      const std::uint64_t tick = references_in(word) != 0     ? tick_in(word)
                                 : pool_.indexed(first.block) ? own_tick(first.block, word)
                                                              : 0;
      if (tick <= first.tick) {
        result = first.block;
        break;
      }
      order_.put(first.block, tick);
    }
    for (const auto& each : passed_over_) order_.put(each.block, each.tick);
    return result;
  }
  std::uint64_t own_tick(std::uint32_t id, std::uint64_t word) const {
    return pool_.seams().recency->atomic_ticks() ? tick_in(word) : states_[id].plain_tick.load();
  }

  void give_all_back(request_type& request, bool abandoned) {
    for (std::size_t i = request.slots.size(); i-- > 0;) {
      slot_type& slot = request.slots[i];
      const unsigned times = slot.held ? pool_.seams().reference->times_given_back(abandoned) : 0;
      for (unsigned time = 0; time < times; ++time) give_back(request, i, abandoned);
      slot = {};
    }
  }
  // Flawed. Returns the word before.
  static std::uint64_t decrement_in_two_steps(typename Sync::template atomic<std::uint64_t>& word) {
    const std::uint64_t before = word.load(std::memory_order_relaxed);
    word.store(before - 1, std::memory_order_release);
    return before;
  }
  // Under the exclusive lock if the request was abandoned.
  void give_back(request_type& request, std::size_t position, bool abandoned) {
    const reference_policy& policy = *pool_.seams().reference;
    const slot_type& slot = request.slots[position];
    state& held = states_[slot.where.block];
    // Releases what this request has read to the one that takes the block.
    const std::uint64_t before = policy.decrements_at_once() ? held.word.fetch_sub(std::uint64_t{1}, policy.decrement_order())
                                                             : decrement_in_two_steps(held.word);
    if (references_in(before) == 0) {
      held.word.fetch_add(std::uint64_t{1}, std::memory_order_relaxed);
      if (!policy.clamps_at_zero()) return pool_.tell(block_event::kind::unbalanced, &request, slot.where, position);
    }
    pool_.tell(block_event::kind::unpin, &request, slot.where, position);
    if (slot.what == slot_type::kind::hit && !policy.index_keeps_hold(abandoned)) pool_.lose_hold(slot.where.block);
    if (!pool_.seams().recency->atomic_ticks())
      held.plain_tick.store(clock_.fetch_add(std::uint64_t{1}, std::memory_order_relaxed));
    if (references_in(before) > 1 || slot.what != slot_type::kind::reserved || slot.published) return;
    pool_.tell(block_event::kind::free, &request, slot.where, position);
    order_.put(slot.where.block, 0);
  }

  typename Sync::shared_mutex mutex_;
  typename Sync::template atomic<std::uint64_t> clock_{0};
  block_pool<Sync> pool_;
  fixed_array<Sync, state> states_;
  eviction_queue<Sync> order_;
  std::vector<typename eviction_queue<Sync>::place, typename Sync::template allocator<typename eviction_queue<Sync>::place>>
      passed_over_;
};

}  // namespace kvrace::cache
