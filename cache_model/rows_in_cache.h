// The rows that a request writes into its blocks and reads from them, as far as its oracle lets it touch them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <kvrace/cache/prefix_cache.h>
#include <kvrace/sync.h>

#include "cache_model/oracle.h"
#include "cache_model/parts/eviction_notes.h"

namespace kvrace::cache {

class rows_in_cache {
 public:
  // `cache` and `oracle` outlive it.
  rows_in_cache(prefix_cache<sync>& cache, cache_oracle& oracle, std::uint32_t tokens_per_block, bool keeps_text)
      : cache_(cache), oracle_(oracle), tokens_per_block_(tokens_per_block), keeps_text_(keeps_text) {}

  [[nodiscard]] bool keeps_text() const { return keeps_text_; }

  // What it has reserved. `evictions` may be null.
  void fill(judged_request& request, eviction_notes* evictions) {
    for (std::size_t i = 0; i < request.slots.size(); ++i) {
      slot_type& slot = request.slots[i];
      if (slot.what != slot_type::kind::reserved) continue;
      if (oracle_.may_write(request, i)) {
        const std::uint32_t write = oracle_.fills(request, i);
        auto* rows = cache_.payload(slot.where.block);
        for (std::size_t row = 0; row < tokens_per_block_; ++row) {
          const std::size_t position = i * tokens_per_block_ + row;
          rows[row].store({.digest = request.digests[position],
                           .position = static_cast<std::uint32_t>(position),
                           .request = request.id,
                           .write = write,
                           .version = slot.version});
        }
      }
      if (evictions != nullptr) evictions->filled(slot.where.block, {request.prompt, static_cast<std::uint32_t>(i)});
      slot.filled = true;
    }
  }

  // All that it holds.
  void read(judged_request& request) {
    for (std::size_t i = 0; i < request.slots.size(); ++i) {
      const slot_type& slot = request.slots[i];
      if (slot.what == slot_type::kind::none) continue;
      cache_oracle::tags_seen seen;
      if (oracle_.may_touch(request, i)) {
        const std::uint32_t write = oracle_.last_write(slot.where.block);
        const auto* rows = cache_.payload(slot.where.block);
        for (std::size_t row = 0; row < tokens_per_block_; ++row) {
          const tag found = rows[row].load();
          const bool foreign = found.write != 0 && found.digest != request.digests[i * tokens_per_block_ + row];
          if (foreign && keeps_text_) read_instead(request, i * tokens_per_block_ + row, found.digest);
          seen.foreign |= foreign;
          seen.old |= found.version < request.version_min;
          seen.unwritten |= found.write != write || found.write == 0;
        }
        // What it has computed itself may be older than an invalidation in between.
        if (slot.what == slot_type::kind::reserved) seen.old = false;
      } else if (keeps_text_ && !oracle_.holds_own(request, i)) {
        for (std::size_t row = 0; row < tokens_per_block_; ++row)
          read_instead(request, i * tokens_per_block_ + row,
                       hash_absorbed(oracle_.digest_of_content(slot.where.block), static_cast<token>(row)));
      }
      oracle_.served(request, i, seen);
    }
  }

 private:
  using slot_type = judged_request::slot;

  static void read_instead(judged_request& request, std::size_t position, std::uint64_t digest) {
    if (request.read.size() == 0) {
      request.read.resize(request.digests.size());
      std::copy(request.digests.data(), request.digests.data() + request.digests.size(), request.read.data());
    }
    request.read[position] = digest;
  }

  prefix_cache<sync>& cache_;
  cache_oracle& oracle_;
  std::uint32_t tokens_per_block_;
  bool keeps_text_;
};

}  // namespace kvrace::cache
