// Key -> block. A key may lead to several blocks: two requests may have computed it at once.
//
// The caller holds a lock: for find() at least a shared one, for the others an exclusive one.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include <kvrace/cache/prefix_cache.h>

namespace kvrace::cache {

template <class Sync>
class block_index {
 public:
  struct entry {
    std::uint64_t hash = 0;
    std::uint32_t block = no_block;
    std::uint32_t next = end;  // in its bucket, or in the list of unused entries
    key_bytes<Sync> key;
  };

  block_index(std::uint32_t capacity_blocks, std::uint32_t hash_bits)
      : hash_mask_(hash_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << hash_bits) - 1),
        buckets_(std::bit_ceil(std::size_t{capacity_blocks} * 2), end) {
    entries_.reserve(std::size_t{capacity_blocks} + 1);
    Sync::name(guard_, "index");
  }

  // Null if nothing is indexed under `key`. Without `compares_keys` an equal hash is enough.
  [[nodiscard]] const entry* find(std::uint64_t hash, key_view key, bool compares_keys) const {
    guard_.read();
    hash &= hash_mask_;
    for (std::uint32_t at = buckets_[bucket(hash)]; at != end; at = entries_[at].next) {
      const entry& candidate = entries_[at];
      if (candidate.hash == hash && (!compares_keys || equal(candidate.key, key))) return &candidate;
    }
    return nullptr;
  }
  void insert(std::uint64_t hash, key_view key, std::uint32_t block) {
    guard_.write();
    std::uint32_t at = unused_;
    if (at == end) {
      at = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      unused_ = entries_[at].next;
    }
    entry& fresh = entries_[at];
    fresh.hash = hash & hash_mask_;
    fresh.block = block;
    fresh.key.assign(key.begin(), key.end());
    std::uint32_t& head = buckets_[bucket(fresh.hash)];
    fresh.next = head;
    head = at;
  }
  // Removes the entry that leads from `key` to this very block, if there is one.
  void erase(std::uint64_t hash, key_view key, std::uint32_t block) {
    guard_.write();
    hash &= hash_mask_;
    for (std::uint32_t* link = &buckets_[bucket(hash)]; *link != end; link = &entries_[*link].next) {
      const std::uint32_t at = *link;
      entry& candidate = entries_[at];
      if (candidate.block != block || candidate.hash != hash || !equal(candidate.key, key)) continue;
      *link = candidate.next;
      candidate.next = unused_;
      unused_ = at;
      return;
    }
  }
  void clear() {
    guard_.write();
    for (std::uint32_t& head : buckets_) head = end;
    entries_.clear();
    unused_ = end;
  }
  // For audits: no race check.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const std::uint32_t head : buckets_)
      for (std::uint32_t at = head; at != end; at = entries_[at].next) visit(entries_[at]);
  }

 private:
  static constexpr std::uint32_t end = ~0U;
  template <class T>
  using vector = std::vector<T, typename Sync::template allocator<T>>;

  [[nodiscard]] std::size_t bucket(std::uint64_t hash) const { return static_cast<std::size_t>(hash) & (buckets_.size() - 1); }

  std::uint64_t hash_mask_;
  vector<std::uint32_t> buckets_;
  vector<entry> entries_;
  std::uint32_t unused_ = end;
  typename Sync::shadow guard_;
};

}  // namespace kvrace::cache
