// The rows that one request has computed, in compressed blocks: from when they are computed until the request is done.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <kvrace/cache/compression.h>
#include <kvrace/cache/reused_array.h>
#include <kvrace/cache/seams.h>

#include "cache_model/compression/row_buffers.h"

namespace kvrace::cache {

// A row that is of another prompt than its reader's.
struct foreign_row {
  std::uint32_t buffer = 0;
  std::uint32_t row = 0;   // in the buffer
  std::uint32_t rows = 0;  // in the buffer, of the reader
  compressed_row found;
};

template <class Sync>
class compressed_rows {
 public:
  // The rows from position `first` on of a prompt whose tokens have `digests`, in blocks of `block_tokens` rows, at most as many
  // as a buffer has. They stay uncompressed if there are not enough buffers.
  void compress(row_buffers<Sync>& buffers, const compression_policy& policy, std::uint32_t block_tokens, std::uint32_t request,
                std::span<const std::uint64_t> digests, std::size_t first) {
    block_tokens_ = block_tokens;
    request_ = request;
    digests_ = digests;
    first_ = first;
    taken_.resize(compressed_blocks(digests.size() - first, block_tokens));
    owned_ = policy.owns_buffers();
    if (!(owned_ ? buffers.take(taken_.data(), taken_.size()) : buffers.borrow(taken_.data(), taken_.size()))) {
      taken_.resize(0);
      return;
    }
    for (std::size_t block = 0; block < taken_.size(); ++block) {
      compressed_row* const rows = buffers.write(taken_[block]);
      const std::uint32_t own = rows_in(block);
      for (std::uint32_t row = 0; row < own; ++row) rows[row] = own_row(block, row);
      if (policy.pads_last_block()) std::fill(rows + own, rows + block_tokens, compressed_row{});
    }
  }

  // What a decoder does, which takes every block for a full one. Returns the first row that is neither zero nor of the prompt.
  // `digests` must still be what they were.
  [[nodiscard]] std::optional<foreign_row> read(const row_buffers<Sync>& buffers) const {
    for (std::size_t block = 0; block < taken_.size(); ++block) {
      const compressed_row* const rows = buffers.read(taken_[block]);
      for (std::uint32_t row = 0; row < block_tokens_; ++row)
        if (is_foreign(rows[row]))
          return foreign_row{.buffer = taken_[block], .row = row, .rows = rows_in(block), .found = rows[row]};
    }
    return std::nullopt;
  }

  // The same for all of them.
  template <class Visit>
  void each_foreign(const row_buffers<Sync>& buffers, Visit visit) const {
    for (std::size_t block = 0; block < taken_.size(); ++block) {
      const compressed_row* const rows = buffers.read(taken_[block]);
      for (std::uint32_t row = 0; row < block_tokens_; ++row)
        if (is_foreign(rows[row])) visit(rows[row]);
    }
  }

  void give_back(row_buffers<Sync>& buffers) {
    if (owned_ && taken_.size() != 0) buffers.give_back(taken_.data(), taken_.size());
    taken_.resize(0);
  }

  [[nodiscard]] std::size_t blocks() const { return taken_.size(); }
  [[nodiscard]] std::uint32_t buffer(std::size_t block) const { return taken_[block]; }
  [[nodiscard]] std::uint32_t rows_in(std::size_t block) const {
    return static_cast<std::uint32_t>(std::min<std::size_t>(block_tokens_, digests_.size() - first_ - block * block_tokens_));
  }

 private:
  [[nodiscard]] compressed_row own_row(std::size_t block, std::uint32_t row) const {
    const std::size_t position = first_ + block * block_tokens_ + row;
    return {.digest = digests_[position], .position = static_cast<std::uint32_t>(position), .request = request_};
  }
  [[nodiscard]] bool is_foreign(const compressed_row& found) const {
    return !found.zero() && (found.position >= digests_.size() || found.digest != digests_[found.position]);
  }

  reused_array<std::uint32_t, typename Sync::template allocator<std::uint32_t>> taken_;  // a buffer a block
  bool owned_ = true;
  std::uint32_t block_tokens_ = 0;
  std::uint32_t request_ = 0;
  std::span<const std::uint64_t> digests_;
  std::size_t first_ = 0;
};

}  // namespace kvrace::cache
