// Key -> block without locks: buckets of immutable entries, replaced by compare-exchange.
//
// A bucket is one atomic pointer to a chain of entries, newest first, none of which changes once it is reachable. Inserting puts
// an entry in front; removing puts copies of those in front of the removed one before those behind it. So whoever has read the
// pointer has read the bucket, and every change is one compare-exchange of the pointer.
//
// Everyone but the inserter is pinned in the reclamation domain from reading a bucket to the last use of its entries; who removes
// entries from a bucket retires them. An inserter does not look into the chain it puts its entry in front of.
//
// An entry names an instance of a block: block and generation. Whether that instance is still there the block alone can tell.
#pragma once

#include <bit>
#include <cstdint>

#include <kvrace/cache/prefix_cache.h>

#include "cache_model/fixed_array.h"
#include "cache_model/reclamation/epoch.h"

namespace kvrace::cache {

template <class Sync>
class lock_free_index {
 public:
  struct entry {
    std::uint64_t hash;
    handle where;
    std::uint32_t version;
    lease_end expires;
    key_bytes<Sync> key;
    const entry* next;

    entry(std::uint64_t its_hash, handle target, std::uint32_t its_version, lease_end end_of_lease, key_view its_key,
          const entry* behind)
        : hash(its_hash),
          where(target),
          version(its_version),
          expires(end_of_lease),
          key(its_key.begin(), its_key.end()),
          next(behind) {}
  };
  using pin = typename epoch_domain<Sync>::pin;

  lock_free_index(std::uint32_t capacity_blocks, std::uint32_t hash_bits)
      : hash_mask_(hash_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << hash_bits) - 1),
        buckets_(std::bit_ceil(std::size_t{capacity_blocks})) {
    for (bucket& each : buckets_) Sync::name(each.first, "bucket");
  }
  lock_free_index(const lock_free_index&) = delete;
  lock_free_index& operator=(const lock_free_index&) = delete;
  ~lock_free_index() {
    for (bucket& each : buckets_)
      for (const entry* at = Sync::peek(each.first); at != nullptr;) destroy(std::exchange(at, at->next));
  }

  [[nodiscard]] std::size_t buckets() const { return buckets_.size(); }
  [[nodiscard]] std::uint64_t masked(std::uint64_t hash) const { return hash & hash_mask_; }

  // The entries of a bucket, as they stand together at one moment.
  [[nodiscard]] const entry* chain(std::size_t place) const { return buckets_[place].first.load(std::memory_order_acquire); }
  [[nodiscard]] const entry* chain_of(std::uint64_t hash) const { return chain(bucket_of(hash)); }

  // The caller need not be pinned.
  void insert(std::uint64_t hash, handle where, std::uint32_t version, key_view key, lease_end expires = no_end) {
    entry* const fresh = Sync::template make<entry>(masked(hash), where, version, expires, key, nullptr);
    auto& first = buckets_[bucket_of(hash)].first;
    // Tried with an empty bucket first: a failure tells what is in it.
    const entry* expected = nullptr;
    while (!first.compare_exchange_weak(expected, fresh, std::memory_order_release, std::memory_order_relaxed))
      fresh->next = expected;
  }
  // Removes the entry of this instance, unless somebody else has. `seen` is the bucket's chain as the caller knows it.
  void remove(std::size_t place, const entry* seen, handle where, pin& pinned) {
    for (;;) {
      const entry* victim = seen;
      while (victim != nullptr && !same(Sync::alive(victim)->where, where)) victim = victim->next;
      if (victim == nullptr) return;
      const entry* const behind = victim->next;
      const entry* const without = copy_until(seen, victim);
      const entry* now = seen;
      if (buckets_[place].first.compare_exchange_weak(now, without, std::memory_order_acq_rel, std::memory_order_acquire)) {
        for (const entry* at = seen; at != victim;) pinned.retire(std::exchange(at, at->next));
        pinned.retire(victim);
        return;
      }
      for (const entry* at = without; at != behind;) destroy(std::exchange(at, at->next));
      seen = now;
    }
  }
  // Removes everything, and calls `removed` for each entry.
  template <class Removed>
  void clear(pin& pinned, Removed removed) {
    for (bucket& each : buckets_) {
      if (each.first.load(std::memory_order_relaxed) == nullptr) continue;
      for (const entry* at = each.first.exchange(nullptr, std::memory_order_acq_rel); at != nullptr;) {
        removed(*at);
        pinned.retire(std::exchange(at, Sync::alive(at)->next));
      }
    }
  }
  // For audits: no visible operation.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const bucket& each : buckets_)
      for (const entry* at = Sync::peek(each.first); at != nullptr; at = at->next) visit(*at);
  }

 private:
  struct bucket {
    typename Sync::template atomic<const entry*> first{nullptr};
  };

  static bool same(handle a, handle b) { return a.block == b.block && a.generation == b.generation; }
  static void destroy(const entry* dead) { Sync::destroy(const_cast<entry*>(dead)); }
  [[nodiscard]] std::size_t bucket_of(std::uint64_t hash) const {
    return static_cast<std::size_t>(masked(hash)) & (buckets_.size() - 1);
  }
  // Copies of the entries in front of `victim`, then those behind it.
  static const entry* copy_until(const entry* first, const entry* victim) {
    const entry* copied = nullptr;
    const entry** end = &copied;
    for (const entry* at = first; at != victim; at = at->next) {
      entry* const copy = Sync::template make<entry>(at->hash, at->where, at->version, at->expires, key_view(at->key), nullptr);
      *end = copy;
      end = &copy->next;
    }
    *end = victim->next;
    return copied;
  }

  std::uint64_t hash_mask_;
  fixed_array<Sync, bucket> buckets_;
};

}  // namespace kvrace::cache
