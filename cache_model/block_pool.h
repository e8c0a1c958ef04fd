// What every locking strategy with locks shares: the blocks, the index over them, and the steps between the two.
//
// The caller holds a lock: for find() at least a shared one, for the others an exclusive one. Reference counts and the eviction
// order belong to the strategy.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include <kvrace/cache/prefix_cache.h>

#include "cache_model/block_index.h"
#include "cache_model/fixed_array.h"
#include "cache_model/rows.h"

namespace kvrace::cache {

// A lock guard, as a policy sees it.
template <class Sync, class Lock>
class section_of final : public critical_section {
 public:
  section_of(Lock& lock, const seams& seams) : lock_(lock), deferral_(seams.deferral) {}
  void leave() override {
    lock_.unlock();
    ++times_left_;
    if (deferral_.count() != 0) Sync::sleep_for(deferral_);
  }
  void enter() override { lock_.lock(); }

 private:
  Lock& lock_;
  std::chrono::nanoseconds deferral_;
};

template <class Sync>
class block_pool {
 public:
  using request_type = basic_request<Sync>;
  using slot_type = typename request_type::slot;
  using payload_tag = typename rows_of<Sync>::row;

  explicit block_pool(const cache_parameters& parameters)
      : parameters_(parameters),
        leases_(parameters),
        index_(parameters.capacity_blocks, parameters.hash_bits),
        blocks_(parameters.capacity_blocks) {
    for (std::uint32_t id = 0; id < capacity(); ++id) Sync::name(blocks_[id].guard, "block ", id);
  }
  block_pool(const block_pool&) = delete;
  block_pool& operator=(const block_pool&) = delete;
  ~block_pool() {
    for (block& each : blocks_) rows_of<Sync>::destroy(each.payload, parameters_.tokens_per_block);
  }

  [[nodiscard]] std::uint32_t capacity() const { return parameters_.capacity_blocks; }
  [[nodiscard]] const cache::seams& seams() const { return parameters_.seams; }
  [[nodiscard]] payload_tag* payload(std::uint32_t id) { return blocks_[id].payload; }
  [[nodiscard]] bool indexed(std::uint32_t id) const {
    blocks_[id].guard.read();
    return blocks_[id].indexed;
  }

  // Flawed: whatever it is by now.
  void renew_generation(slot_type& slot) const {
    blocks_[slot.where.block].guard.read();
    slot.where.generation = blocks_[slot.where.block].generation;
  }

  // Whether the block is one for requests of this class.
  [[nodiscard]] bool may_take(const request_type& request, std::uint32_t id) const {
    if (parameters_.reserved_blocks == 0) [[likely]]
      return true;
    blocks_[id].guard.read();
    return seams().isolation->may_take(request.priority, id < parameters_.reserved_blocks, blocks_[id].priority);
  }

  // Puts the longest cached run of the request's blocks into its slots. Returns its length. Nothing is pinned yet.
  std::size_t find(request_type& request, std::size_t blocks_max) const {
    std::size_t hits = 0;
    const std::size_t count = std::min(blocks_max, request.slots.size());
    const bool compares_keys = seams().match->compares_keys();
    for (std::size_t i = 0; i < count; ++i) {
      const auto* entry = index_.find(request.keys.hash(i), request.keys[i], compares_keys);
      if (entry == nullptr && seams().tail->trims_by_length()) [[unlikely]]
        entry = find_common_start(request.keys[i]);
      if (entry == nullptr) {
        if (seams().key->run_ends_at_gap()) break;
        continue;
      }
      const block& found = blocks_[entry->block];
      found.guard.read();
      if (!leases_.serves(found.expires)) {
        if (seams().key->run_ends_at_gap()) break;
        continue;
      }
      slot_type& slot = request.slots[i];
      slot.what = slot_type::kind::hit;
      slot.where = {entry->block, found.generation};
      slot.version = version_;
      if (parameters_.listener != nullptr) slot.entry_denied = !found.indexed || !equal(found.key, entry->key);
      ++hits;
    }
    return hits;
  }

  // Flawed: a block that has the first tokens of the request's block in common with it, for the request to write the others into.
  // No block if there is none.
  [[nodiscard]] std::uint32_t find_shared_tail(const request_type& request, std::size_t position) const {
    const auto* const entry = find_common_start(request.keys[position]);
    return entry == nullptr || !blocks_[entry->block].indexed ? no_block : entry->block;
  }
  void share_tail(request_type& request, std::size_t position, std::uint32_t id) {
    slot_type& slot = request.slots[position];
    slot.what = slot_type::kind::reserved;
    slot.where = {id, blocks_[id].generation};
    slot.held = true;
    slot.version = version_;
    tell(block_event::kind::share, &request, slot.where, position);
  }

  // Flawed: the block is no longer indexed, and the entry that leads to it stays.
  void lose_hold(std::uint32_t id) {
    blocks_[id].guard.write();
    blocks_[id].indexed = false;
  }

  // Notes what is known of a block that is about to be evicted.
  void choose(request_type& request, std::uint32_t id) const {
    const block& chosen = blocks_[id];
    chosen.guard.read();
    request.victim.block = id;
    request.victim.indexed = chosen.indexed;
    request.victim.hash = chosen.hash;
    if (chosen.indexed) request.victim.key = chosen.key;
  }
  // Hands the chosen block over: its former content is not found any more, and the request owns it. The request's reference
  // has been counted.
  void take(request_type& request, std::size_t position, critical_section& section) {
    const std::uint32_t id = request.victim.block;
    block& taken = blocks_[id];
    taken.guard.write();
    if (taken.indexed) {
      tell(block_event::kind::evict, &request, {id, taken.generation});
      if (parameters_.evictions != nullptr) parameters_.evictions->note(request, {id, taken.generation});
    }
    taken.indexed = false;
    taken.priority = request.priority;
    ++taken.generation;
    if (taken.payload == nullptr) taken.payload = rows_of<Sync>::make(parameters_.tokens_per_block);
    slot_type& slot = request.slots[position];
    slot.what = slot_type::kind::reserved;
    slot.where = {id, taken.generation};
    slot.held = true;
    slot.version = version_;
    slot.expires = leases_.begin();
    tell(block_event::kind::allocate, &request, slot.where, position);
    if (!request.victim.indexed) return;
    seams().eviction->before_index_removal(section);
    if (!seams().eviction->removes_index_entry()) return;
    const bool by_instance = seams().eviction->removes_by_instance();
    index_.erase(request.victim.hash, request.victim.key, by_instance ? id : any_under(request.victim, id));
  }

  // Tells of the request's evictions, if there is anybody to tell, once the caller's lock has been given back.
  template <class Lock>
  void deliver_evictions(const request_type& request, Lock& lock) const {
    if (parameters_.evictions == nullptr) return;
    if (seams().notification->tells_after_unlock()) lock.unlock();
    parameters_.evictions->deliver(request);
  }

  // Returns how many blocks it has published.
  std::size_t publish(request_type& request) {
    std::size_t published = 0;
    for (std::size_t i = 0; i < request.slots.size(); ++i) {
      slot_type& slot = request.slots[i];
      if (slot.what != slot_type::kind::reserved || !slot.filled) continue;
      if (!seams().publish->publishes(slot.version, version_) || !leases_.publishes(slot.expires)) {
        tell(block_event::kind::drop, &request, slot.where, i);
        slot.published = !seams().publish->notices_drop();
        continue;
      }
      block& filled = blocks_[slot.where.block];
      filled.guard.write();
      const key_view key = request.keys[i];
      filled.key.assign(key.begin(), key.end());
      filled.hash = request.keys.hash(i);
      filled.expires = slot.expires;
      filled.indexed = true;
      slot.published = true;
      index_.insert(filled.hash, key, slot.where.block);
      tell(block_event::kind::publish, &request, slot.where, i);
      ++published;
    }
    return published;
  }

  // Plain data that no var and no shadow watches: whether it is under the lock is for compiler instrumentation to see.
  void count_published(std::size_t blocks) { published_ += blocks; }
  [[nodiscard]] std::uint64_t published() const { return published_; }

  // Un-indexes everything, calling `forgotten` for each block that was indexed. Returns the new version.
  template <class Forgotten>
  std::uint32_t invalidate(critical_section& section, Forgotten forgotten) {
    if (!seams().invalidation->in_one_section()) return invalidate_in_steps(section, forgotten);
    index_.clear();
    for (std::uint32_t id = 0; id < capacity(); ++id) {
      block& each = blocks_[id];
      each.guard.write();
      if (!each.indexed) continue;
      each.indexed = false;
      tell(block_event::kind::forget, nullptr, {id, each.generation});
      forgotten(id);
    }
    return ++version_;
  }

  // Flawed: the index entries of the request's hits are put back if no invalidation has begun since they were found, although one
  // that had begun before may have removed them. A block that was given up has no content to lead to.
  void revive_entries(const request_type& request) {
    for (std::size_t i = 0; i < request.slots.size(); ++i) {
      const slot_type& slot = request.slots[i];
      if (slot.what != slot_type::kind::hit || slot.version != version_) continue;
      const block& hit = blocks_[slot.where.block];
      hit.guard.read();
      if (!hit.indexed || hit.generation != slot.where.generation) continue;
      index_.erase(hit.hash, hit.key, slot.where.block);
      index_.insert(hit.hash, hit.key, slot.where.block);
    }
  }

  void tell(block_event::kind what, const request_type* about, handle where, std::size_t position = 0,
            bool entry_denied = false) const {
    if (parameters_.listener != nullptr)
      parameters_.listener->on_event({what, about, where, static_cast<std::uint32_t>(position), entry_denied});
  }

  // `references` and `in_order` give a block's count and how often it stands in the eviction order.
  template <class References, class InOrder>
  void audit(audit_listener& listener, References references, InOrder in_order) const {
    std::vector<std::uint8_t, typename Sync::template allocator<std::uint8_t>> entries(capacity(), 0);
    index_.for_each([&](const typename block_index<Sync>::entry& entry) {
      const block& target = blocks_[entry.block];
      if (!target.indexed)
        listener.on_ghost(ghost::index_state, entry.block, entry.key);
      else if (!equal(target.key, entry.key))
        listener.on_ghost(ghost::index_key, entry.block, entry.key);
      else if (++entries[entry.block] > 1)
        listener.on_ghost(ghost::index_duplicate, entry.block, entry.key);
    });
    for (std::uint32_t id = 0; id < capacity(); ++id) {
      const std::uint32_t count = references(id);
      const std::uint32_t places = in_order(id);
      if (blocks_[id].indexed && entries[id] == 0) listener.on_ghost(ghost::index_missing, id, blocks_[id].key);
      if (places > 1) listener.on_ghost(ghost::order_duplicate, id, {});
      if (places != 0 && count != 0) listener.on_ghost(ghost::order_used, id, {});
      if (places == 0 && count == 0) listener.on_lost(id);
      listener.on_block(id, count, blocks_[id].indexed);
    }
  }

 private:
  struct block {
    typename Sync::shadow guard;  // over everything here but the payload
    bool indexed = false;
    priority_class priority = priority_class::low;  // of the request that took it last
    std::uint32_t generation = 0;
    std::uint64_t hash = 0;
    lease_end expires = no_end;  // of the content, if it is indexed
    key_bytes<Sync> key;  // what it is indexed under, if it is
    payload_tag* payload = nullptr;  // made when the block is first handed out
  };

  using index_entry = typename block_index<Sync>::entry;

  // An entry whose key differs from `key` in no more than tokens of the block behind its first one. Null if there is none.
  [[nodiscard]] const index_entry* find_common_start(key_view key) const {
    const std::size_t common = key.size() - (parameters_.tokens_per_block - 1) * sizeof(token);
    const index_entry* found = nullptr;
    index_.for_each([&](const index_entry& each) {
      if (each.key.size() == key.size() && equal(key_view(each.key).first(common), key.first(common))) found = &each;
    });
    return found;
  }

  // Flawed: some block under the victim's key.
  [[nodiscard]] std::uint32_t any_under(const typename request_type::victim_record& victim, std::uint32_t otherwise) const {
    const index_entry* const found = index_.find(victim.hash, victim.key, true);
    return found == nullptr ? otherwise : found->block;
  }

  // Flawed: raises the version, removes the entries, and gives up what they led to, each in a section of its own. With no entry
  // to remove there seems to be nothing to wait for.
  template <class Forgotten>
  std::uint32_t invalidate_in_steps(critical_section& section, Forgotten forgotten) {
    const std::uint32_t version = ++version_;
    section.leave();
    section.enter();
    std::vector<handle, typename Sync::template allocator<handle>> removed;
    index_.for_each([&](const index_entry& each) { removed.push_back({each.block, blocks_[each.block].generation}); });
    index_.clear();
    if (removed.empty()) return version;
    section.leave();
    section.enter();
    for (const handle& each : removed) {
      block& content = blocks_[each.block];
      content.guard.write();
      if (!content.indexed || content.generation != each.generation) continue;
      index_.erase(content.hash, content.key, each.block);
      content.indexed = false;
      tell(block_event::kind::forget, nullptr, each);
      forgotten(each.block);
    }
    return version;
  }

  cache_parameters parameters_;
  lease_clock<Sync> leases_;
  std::uint64_t published_ = 0;
  std::uint32_t version_ = 1;  // guarded by the strategy's lock, with the index
  block_index<Sync> index_;
  fixed_array<Sync, block> blocks_;
};

}  // namespace kvrace::cache
