// No locks. Lookups and updates go on whatever the others do; index entries are reclaimed by epochs.
//
// A block's state is one atomic word: how many requests hold it, whether the index does, whether it was hit lately, and its
// generation. Whoever takes away the last hold owns the block: an eviction that finds the index's hold alone, or the last
// request to let go after an invalidation has taken the index's. A hit is counted by one compare-exchange that fails if the index
// does not hold this generation of the block any more, so an entry that was read and has been removed leads nowhere. While a
// block has an owner or is free, its word is already that of its next publication: publishing is linking the entry and nothing
// else.
//
// Blocks that are reserved for high priority have a free list of their own; the hand passes over those that are not for its
// request.
//
// Not exact LRU. Its own eviction order is CLOCK over the index: a hand goes from bucket to bucket, and in a bucket from the
// newest entry to the oldest. It passes over referenced blocks, gives one that was hit since the hand last passed another
// round, and takes the first other one; the next eviction begins at the next bucket. Free blocks are used before any is
// evicted. An eviction that has gone twice around gives up: its request starves. While others take what it has passed, that may
// happen although some block could have been evicted.
//
// The version is the stamp of the reclamation domain. An invalidation raises it: entries of another version are not found.
// Removing them is housekeeping. A publication that read the version just before may leave one behind, which nobody finds until
// the hand takes its block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <kvrace/cache/configuration.h>

#include "cache_model/block_pool.h"
#include "cache_model/lock_free/free_list.h"
#include "cache_model/lock_free/index.h"
#include "cache_model/rows.h"

namespace kvrace::cache {

template <class Sync>
class epoch_cache final : public prefix_cache<Sync> {
 public:
  using request_type = basic_request<Sync>;

  static locking_description description() {
    return {.name = "epoch",
            .summary = "no locks: immutable index entries reclaimed by epochs, references in atomic words; evicts by CLOCK",
            .exact_lru = false};
  }

  explicit epoch_cache(const cache_parameters& parameters)
      : parameters_(parameters),
        leases_(parameters),
        domain_({.grace = parameters.seams.reclamation->grace_epochs(),
                 .pins_with_fence = parameters.seams.reclamation->fences_pin()}),
        index_(parameters.capacity_blocks, parameters.hash_bits),
        blocks_(parameters.capacity_blocks),
        places_(parameters.capacity_blocks),
        free_(parameters.capacity_blocks, parameters.reserved_blocks, *parameters.seams.free_list, "free list") {
    if (parameters.reserved_blocks != 0)
      reserve_.emplace(parameters.reserved_blocks, 0, *parameters.seams.free_list, "free list of the reserve");
    Sync::name(hand_, "clock hand");
    for (std::uint32_t id = 0; id < parameters.capacity_blocks; ++id) Sync::name(blocks_[id].word, "block ", id);
  }
  ~epoch_cache() override {
    for (block& each : blocks_) rows_of<Sync>::destroy(each.payload, parameters_.tokens_per_block);
  }

  std::size_t acquire(request_type& request, const acquire_options& options) override {
    pin pinned(domain_, request.participant);
    const std::uint32_t version = pinned.stamp();
    const std::size_t count = std::min(options.blocks_max, request.slots.size());
    std::size_t hits = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (find(request, i, version))
        ++hits;
      else if (seams().key->run_ends_at_gap())
        break;
    }
    if (options.reserve) reserve(request, version, pinned);
    return hits;
  }

  void publish(request_type& request) override {
    const std::uint32_t version = domain_.stamp();
    for (std::size_t i = 0; i < request.slots.size(); ++i) {
      slot_type& slot = request.slots[i];
      if (slot.what != slot_type::kind::reserved || !slot.filled) continue;
      if (!seams().publish->publishes(slot.version, version) || !leases_.publishes(slot.expires)) {
        tell(block_event::kind::drop, &request, slot.where, i);
        slot.published = !seams().publish->notices_drop();
        continue;
      }
      blocks_[slot.where.block].what = block::kind::published;
      slot.published = true;
      index_.insert(request.keys.hash(i), slot.where, version, request.keys[i], slot.expires);
      tell({block_event::kind::publish, &request, slot.where, static_cast<std::uint32_t>(i), false, version});
    }
  }

  void release(request_type& request) override {
    const bool abandoned = request.abandons();
    for (std::size_t i = request.slots.size(); i-- > 0;) {
      slot_type& slot = request.slots[i];
      const unsigned times = slot.held ? seams().reference->times_given_back(abandoned) : 0;
      for (unsigned time = 0; time < times; ++time) give_back(request, i, abandoned);
      slot = {};
    }
  }

  std::uint32_t invalidate() override {
    pin pinned(domain_);
    const std::uint32_t version = domain_.raise_stamp();
    if (parameters_.listener != nullptr) parameters_.listener->on_outdated(version);
    index_.clear(pinned, [this](const typename index::entry& removed) { forget(removed.where); });
    pinned.collect();
    return version;
  }

  typename Sync::template var<tag>* payload(std::uint32_t id) override { return blocks_[id].payload; }

  void audit(audit_listener& listener) const override {
    index_.for_each([&](const typename index::entry& entry) {
      const std::uint32_t id = entry.where.block;
      if (blocks_[id].what != block::kind::published || !state(id).leads_to(entry.where))
        listener.on_ghost(ghost::index_state, id, entry.key);
      else if (++places_[id].entries > 1)
        listener.on_ghost(ghost::index_duplicate, id, entry.key);
    });
    free_.for_each([&](std::uint32_t id) { ++places_[id].free; });
    if (reserve_) reserve_->for_each([&](std::uint32_t id) { ++places_[id].free; });
    for (std::uint32_t id = 0; id < blocks_.size(); ++id) {
      const auto [entries, free] = std::exchange(places_[id], {});
      const block& each = blocks_[id];
      const bool published = each.what == block::kind::published;
      const word now = state(id);
      const std::uint32_t references = published ? now.references : each.what == block::kind::reserved ? 1 : 0;
      if (published && now.indexed && entries == 0) listener.on_ghost(ghost::index_missing, id, {});
      const bool idle = entries != 0 && references == 0;
      if (free + (idle ? 1 : 0) > 1) listener.on_ghost(ghost::order_duplicate, id, {});
      if (free != 0 && references != 0) listener.on_ghost(ghost::order_used, id, {});
      if (free == 0 && references == 0 && !idle) listener.on_lost(id);
      listener.on_block(id, references, entries != 0);
    }
  }

 private:
  using slot_type = typename request_type::slot;
  using index = lock_free_index<Sync>;
  using pin = typename index::pin;

  struct word {
    std::uint32_t generation = 0;
    bool indexed = false;
    bool hit = false;
    std::uint32_t references = 0;  // requests that hold what is published, or was

    static constexpr std::uint64_t reference_mask = (1U << 16U) - 1;
    static constexpr std::uint64_t hit_bit = 1U << 16U;
    static constexpr std::uint64_t indexed_bit = 1U << 17U;
    static word of(std::uint64_t packed) {
      return {static_cast<std::uint32_t>(packed >> 32U), (packed & indexed_bit) != 0, (packed & hit_bit) != 0,
              static_cast<std::uint32_t>(packed & reference_mask)};
    }
    [[nodiscard]] std::uint64_t packed() const {
      return std::uint64_t{generation} << 32U | (indexed ? indexed_bit : 0) | (hit ? hit_bit : 0) | references;
    }
    static word next(std::uint32_t generation) { return {generation + 1, true, false, 1}; }
    // The index holds this generation of the block.
    [[nodiscard]] bool leads_to(handle where) const { return indexed && generation == where.generation; }
  };
  struct block {
    enum class kind : std::uint8_t { free, reserved, published };
    typename Sync::template atomic<std::uint64_t> word{epoch_cache::word::next(0).packed()};
    // Written by whoever owns the block at the time.
    typename rows_of<Sync>::row* payload = nullptr;  // made by the first owner
    kind what = kind::free;  // published: with what was, until the last hold goes
  };
  // How often an audit in progress has met a block.
  struct places {
    std::uint32_t entries = 0;
    std::uint32_t free = 0;
  };

  [[nodiscard]] const cache::seams& seams() const { return parameters_.seams; }
  [[nodiscard]] word state(std::uint32_t id) const { return word::of(Sync::peek(blocks_[id].word)); }
  // Replaces `seen`, or tells what is there.
  bool replace(std::uint32_t id, word& seen, const word& desired, std::memory_order order) {
    std::uint64_t expected = seen.packed();
    if (blocks_[id].word.compare_exchange_strong(expected, desired.packed(), order, std::memory_order_relaxed)) return true;
    seen = word::of(expected);
    return false;
  }

  // ---- hits ----

  bool find(request_type& request, std::size_t position, std::uint32_t version) {
    const std::uint64_t hash = index_.masked(request.keys.hash(position));
    const bool compares_keys = seams().match->compares_keys();
    for (const auto* at = index_.chain_of(hash); at != nullptr; at = Sync::alive(at)->next) {
      const auto& entry = *Sync::alive(at);
      if (entry.hash != hash || entry.version != version) continue;
      if (compares_keys && !equal(entry.key, request.keys[position])) continue;
      if (!leases_.serves(entry.expires)) continue;
      const handle where = seams().pin->keeps_generation_found() ? entry.where : renewed(entry.where);
      const bool counts = seams().pin->counts_reference();
      if (!(counts ? reference(where) : is_there(where))) continue;  // evicted since the chain was read
      slot_type& slot = request.slots[position];
      slot.what = slot_type::kind::hit;
      slot.where = where;
      slot.held = counts;
      if (counts) tell(block_event::kind::pin, &request, where, position);
      return true;
    }
    return false;
  }
  // The rows need no more than the chain was read with: they were written before the entry was reachable.
  bool reference(handle where) {
    word seen{where.generation, true, false, 0};  // a guess, which a failure corrects
    while (seen.leads_to(where)) {
      if (replace(where.block, seen, {seen.generation, true, true, seen.references + 1}, std::memory_order_relaxed)) return true;
      if (!seams().pin->retries_without_trace() && seen.leads_to(where))
        seen = word::of(blocks_[where.block].word.fetch_add(1, std::memory_order_relaxed) + 1);
    }
    return false;
  }
  // Flawed: the generation is whatever it is by now.
  handle renewed(handle where) {
    return {where.block, word::of(blocks_[where.block].word.load(std::memory_order_acquire)).generation};
  }

  bool is_there(handle where) const {
    return word::of(blocks_[where.block].word.load(std::memory_order_acquire)).leads_to(where);
  }

  // ---- reserving ----

  void reserve(request_type& request, std::uint32_t version, pin& pinned) {
    for (std::size_t i = 0; i < request.slots.size(); ++i) {
      slot_type& slot = request.slots[i];
      if (slot.what != slot_type::kind::none) continue;
      if (handle freed = free_for(request).pop(); freed.block != no_block) {
        ++freed.generation;
        take(request, i, freed, version);
      } else if (!evict(request, i, version, pinned)) {
        request.starved = true;
        return;
      }
    }
  }

  [[nodiscard]] free_list<Sync>& free_for(const request_type& request) {
    return reserve_ && request.priority == priority_class::high ? *reserve_ : free_;
  }
  // By the share alone: what a block holds, its owner alone may look at.
  [[nodiscard]] bool may_take(const request_type& request, std::uint32_t id) const {
    return !reserve_ || seams().isolation->may_take(request.priority, is_reserved(id), priority_class::low);
  }
  [[nodiscard]] bool is_reserved(std::uint32_t id) const { return id < parameters_.reserved_blocks; }

  void take(request_type& request, std::size_t position, handle taken, std::uint32_t version) {
    block& mine = blocks_[taken.block];
    mine.what = block::kind::reserved;
    if (mine.payload == nullptr) mine.payload = rows_of<Sync>::make(parameters_.tokens_per_block);
    slot_type& slot = request.slots[position];
    slot.what = slot_type::kind::reserved;
    slot.where = taken;
    slot.held = true;
    slot.version = version;
    slot.expires = leases_.begin();
    tell(block_event::kind::allocate, &request, taken, position);
  }

  bool evict(request_type& request, std::size_t position, std::uint32_t version, pin& pinned) {
    for (std::size_t steps = 2 * index_.buckets(); steps > 0; --steps) {
      const std::size_t bucket = hand_.fetch_add(1, std::memory_order_relaxed) & (index_.buckets() - 1);
      const auto* const chain = index_.chain(bucket);
      for (const auto* at = chain; at != nullptr; at = Sync::alive(at)->next) {
        const handle victim = Sync::alive(at)->where;
        if (!may_take(request, victim.block) || !disown(victim)) continue;
        tell(block_event::kind::evict, &request, victim);
        take(request, position, {victim.block, victim.generation + 1}, version);
        if (seams().eviction->removes_index_entry()) {
          index_.remove(bucket, chain, seams().eviction->removes_by_instance() ? victim : any_under(chain, *at), pinned);
          pinned.collect();
        }
        return true;
      }
    }
    return false;
  }
  // Flawed: what some entry under the same key leads to.
  static handle any_under(const typename index::entry* chain, const typename index::entry& victim) {
    while (!equal(Sync::alive(chain)->key, victim.key)) chain = chain->next;
    return chain->where;
  }
  // Takes the index's hold if it is the only one, unless the block was hit since the hand last passed. Acquires what former
  // holders have read.
  bool disown(handle where) {
    word seen{where.generation, true, false, 0};
    if (replace(where.block, seen, word::next(where.generation), std::memory_order_acquire)) return true;
    if (seen.leads_to(where) && seen.hit && seen.references == 0)
      replace(where.block, seen, {where.generation, true, false, 0}, std::memory_order_relaxed);
    return false;
  }

  // ---- giving back ----

  void give_back(request_type& request, std::size_t position, bool abandoned) {
    const slot_type& slot = request.slots[position];
    const bool published = slot.what == slot_type::kind::hit || slot.published;
    if (slot.what == slot_type::kind::hit && !seams().reference->index_keeps_hold(abandoned))
      blocks_[slot.where.block].word.fetch_and(~word::indexed_bit, std::memory_order_relaxed);
    const word before = published ? let_go(slot.where.block) : word{};
    if (published) {
      tell(block_event::kind::unpin, &request, slot.where, position);
      if (before.references > 1 || before.indexed) return;
      Sync::atomic_thread_fence(std::memory_order_acquire);  // what the other holders have read
    }
    blocks_[slot.where.block].word.store(word::next(slot.where.generation).packed(), std::memory_order_relaxed);
    if (!published) tell(block_event::kind::unpin, &request, slot.where, position);  // a first step has been taken
    set_free(slot.where);
    tell(block_event::kind::free, &request, slot.where, position);
  }
  // Returns the state before. Releases what this request has read to the one that takes the block.
  word let_go(std::uint32_t id) {
    auto& state = blocks_[id].word;
    if (!seams().reference->decrements_at_once()) [[unlikely]] {
      const std::uint64_t before = state.load(std::memory_order_relaxed);
      state.store(before - 1, std::memory_order_release);
      return word::of(before);
    }
    if (!seams().reference->clamps_at_zero()) return word::of(state.fetch_sub(1, seams().reference->decrement_order()));
    word seen = word::of(state.load(std::memory_order_relaxed));
    while (!replace(id, seen, {seen.generation, seen.indexed, seen.hit, std::max(seen.references, 1U) - 1},
                    std::memory_order_release)) {
    }
    return seen;
  }
  void set_free(handle where) {
    blocks_[where.block].what = block::kind::free;
    (is_reserved(where.block) ? *reserve_ : free_).push(where);
  }

  // The entry has been removed by an invalidation: takes the index's hold, unless an eviction has.
  void forget(handle where) {
    word seen{where.generation, true, false, 0};
    while (seen.leads_to(where)) {
      const word without =
          seen.references == 0 ? word::next(seen.generation) : word{seen.generation, false, false, seen.references};
      if (!replace(where.block, seen, without, std::memory_order_acq_rel)) continue;
      tell(block_event::kind::forget, nullptr, where);
      if (seen.references == 0) set_free(where);
      return;
    }
  }

  void tell(const block_event& event) const {
    if (parameters_.listener != nullptr) parameters_.listener->on_event(event);
  }
  void tell(block_event::kind what, const request_type* about, handle where, std::size_t position = 0) const {
    tell({what, about, where, static_cast<std::uint32_t>(position)});
  }

  cache_parameters parameters_;
  lease_clock<Sync> leases_;
  epoch_domain<Sync> domain_;
  index index_;
  fixed_array<Sync, block> blocks_;
  mutable fixed_array<Sync, places> places_;  // scratch of an audit
  free_list<Sync> free_;
  std::optional<free_list<Sync>> reserve_;  // those of the reserved blocks, which are then not in free_
  typename Sync::template atomic<std::size_t> hand_{0};
};

}  // namespace kvrace::cache
