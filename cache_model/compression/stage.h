// Compression as the requests of one run use it: each task has the rows of its present request in it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <kvrace/cache/compression.h>
#include <kvrace/run.h>
#include <kvrace/sync.h>

#include "cache_model/compression/compressed_rows.h"
#include "cache_model/oracle.h"

namespace kvrace::cache {

class compression_stage {
 public:
  // `policy` and `oracle` outlive it.
  compression_stage(const compression_options& options, std::uint32_t tokens_per_block, const compression_policy& policy,
                    cache_oracle& oracle)
      : options_(options),
        tokens_per_block_(tokens_per_block),
        policy_(policy),
        oracle_(oracle),
        buffers_(options.buffers, block_tokens(compression_inputs_max), options.scrub) {}

  // What the request has computed: all but its hits.
  void compress(const judged_request& request) {
    using slot = judged_request::slot;
    compressed_rows<sync>& mine = rows_[run::task()];
    const auto hits = static_cast<std::size_t>(
        std::count_if(request.slots.begin(), request.slots.end(), [](const slot& each) { return each.what == slot::kind::hit; }));
    const std::span<const std::uint64_t> digests(request.digests.data(), request.digests.size());
    mine.compress(buffers_, policy_, block_tokens(digests.size()), request.id, digests, hits * tokens_per_block_);
    if (!run::recording()) [[likely]]
      return;
    for (std::size_t block = 0; block < mine.blocks(); ++block)
      oracle_.compressed(request, mine.buffer(block), mine.rows_in(block));
  }
  // Reads it all. What is not of the prompt stands behind it in what the request has read, if that is asked for.
  void decode(judged_request& request, bool keep_text) {
    const std::optional<foreign_row> foreign = rows_[run::task()].read(buffers_);
    if (!foreign) return;
    oracle_.decoded(request, *foreign);
    if (!keep_text) return;
    const std::size_t before = request.read.size() != 0 ? request.read.size() : request.digests.size();
    std::size_t end = before;
    rows_[run::task()].each_foreign(buffers_, [&](const compressed_row&) { ++end; });
    std::vector<std::uint64_t, allocator<std::uint64_t>> whole;
    whole.reserve(end);
    const std::uint64_t* const own = request.read.size() != 0 ? request.read.data() : request.digests.data();
    whole.assign(own, own + before);
    rows_[run::task()].each_foreign(buffers_, [&](const compressed_row& row) { whole.push_back(row.digest); });
    request.read.resize(whole.size());
    std::copy(whole.begin(), whole.end(), request.read.data());
  }
  void give_back() { rows_[run::task()].give_back(buffers_); }

 private:
  static constexpr std::size_t compression_inputs_max = ~std::size_t{0};

  [[nodiscard]] std::uint32_t block_tokens(std::size_t input_tokens) const {
    const std::uint32_t asked = options_.block_tokens != 0 ? options_.block_tokens : compression_block_tokens(input_tokens);
    return aligned_block_tokens(asked, options_.head_tile);
  }

  compression_options options_;
  std::uint32_t tokens_per_block_;
  const compression_policy& policy_;
  cache_oracle& oracle_;
  row_buffers<sync> buffers_;
  std::array<compressed_rows<sync>, tasks_max + 1> rows_;
};

}  // namespace kvrace::cache
