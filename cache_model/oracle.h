// The judge beside a simulated cache: it is told every event, keeps its own account of who owns which block, and states
// violations. It shares nothing with the cache it judges, and executes no visible operation.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

#include <kvrace/cache/prefix_cache.h>
#include <kvrace/cache/simulation.h>
#include <kvrace/moment.h>
#include <kvrace/sync.h>

#include "cache_model/compression/compressed_rows.h"
#include "cache_model/fixed_array.h"
#include "cache_model/judge.h"

namespace kvrace::cache {

class block_histories;

// A request as the oracle knows it.
struct judged_request : basic_request<sync> {
  const cache::prompt* prompt = nullptr;
  const key_list<sync>* full_keys = nullptr;  // with the whole identity, whatever the cache's own keys are
  key_list<sync> own_full_keys;               // they are here if the cache's own keys are others
  reused_array<std::uint64_t, kvrace::allocator<std::uint64_t>> digests;  // of each token's full key; if nothing is compressed,
                                                                          // of those in full blocks
  mutable reused_array<std::uint8_t, kvrace::allocator<std::uint8_t>> holds;  // by slot: references taken and not given back
  reused_array<std::uint64_t, kvrace::allocator<std::uint64_t>> read;  // the same of what it has read; empty: nothing else
  std::uint32_t version_min = 0;  // of what it may be served
  std::chrono::nanoseconds began = {};
  std::uint32_t rollbacks_before = 0;  // see passage
  mutable bool broke_isolation = false;
  bool polluted = false;
  std::array<bool, pollution_ways> polluted_by{};
  bool stale = false;
};

class cache_oracle final : public judge, public cache_listener, public audit_listener {
 public:
  cache_oracle(run& run, const simulation_options& options);

  // Numbers the request, and notes what it may be served.
  void begins(judged_request& request, const prompt& prompt);
  // By the current task, which is about to return.
  void invalidated(std::uint32_t version);

  void on_event(const block_event&) override;
  void on_outdated(std::uint32_t version) override;

  // Whether the request may touch the rows itself. Where it may not, it holds no reference, or its handle is stale or was wrong
  // from the start and another request owns the block: what it would find there is known, and the access would be a race beside
  // the point.
  [[nodiscard]] bool may_touch(const judged_request& request, std::size_t position) const {
    const auto& slot = request.slots[position];
    return slot.held && (silent() || (!blocks_[slot.where.block].contested && is_current(request, position)));
  }
  // The same for writing, which is the owner's alone. A request that holds another's block and is about to write is a violation.
  [[nodiscard]] bool may_write(const judged_request&, std::size_t position);
  // The number of the fill that the request is about to write into this slot's block.
  std::uint32_t fills(const judged_request&, std::size_t position);
  // Stands for the content of a block of which a request may not touch the rows.
  [[nodiscard]] std::uint64_t digest_of_content(std::uint32_t block) const { return hash_bytes(1, blocks_[block].content); }
  [[nodiscard]] bool holds_own(const judged_request& request, std::size_t position) const {
    return equal(blocks_[request.slots[position].where.block].content, (*request.full_keys)[position]);
  }
  [[nodiscard]] std::uint32_t last_write(std::uint32_t block) const { return blocks_[block].write; }
  // The request has been served the block of this slot. `seen` is what it found in the tags, if it could touch them.
  struct tags_seen {
    bool foreign = false;  // some are not of its own full key
    bool old = false;  // some are of an older version than it may be served
    bool unwritten = false;  // some are not of the block's last fill
  };
  void served(judged_request&, std::size_t position, const tags_seen& seen);

  // The request has put so many rows into a buffer. To be told while recording.
  void compressed(const judged_request&, std::uint32_t buffer, std::uint32_t rows) const;
  // The request has decoded what it had compressed.
  void decoded(judged_request&, const foreign_row&);
  // The request could read rows that are not its own.
  static void pollutes(judged_request&, pollution_way);

  // How many of the blocks that it has found the request still holds, from the start.
  [[nodiscard]] std::size_t deliverable(const judged_request&) const;
  // A request that was promised so much retrieves it.
  void delivers(const judged_request&, std::size_t promised_tokens, std::size_t delivered_tokens);
  // The request has found no block for some of its slots, in a call that began after `began` steps.
  void starved(const judged_request&, std::uint64_t began);

  void contract(const prompt&, std::size_t expected_tokens, std::size_t matched_tokens);

  // Requires that no call on the cache is in progress. `requests_waiting`: some requests wait between two calls, so that their
  // references are still held.
  audit_counts audit(const prefix_cache<sync>& cache, bool requests_waiting = false);
  void on_ghost(ghost, std::uint32_t block, key_view entry_key) override;
  void on_lost(std::uint32_t block) override;
  void on_block(std::uint32_t block, std::uint32_t references, bool indexed) override;

  // To be told the events too.
  void tell(block_histories& histories) { histories_ = &histories; }

 private:
  using text = std::basic_string<char, std::char_traits<char>, kvrace::allocator<char>>;
  struct record {
    std::uint32_t holders = 0;
    std::uint64_t unheld_since = 0;  // the step, if nobody holds it
    std::uint32_t generation = 0;
    std::uint32_t owner = 0;  // the request that reserved it last
    priority_class priority = priority_class::low;  // of the owner
    std::uint32_t rollbacks_before = 0;  // the same
    std::uint32_t write = 0;  // the last fill
    lease_end expires = no_end;  // of its content
    bool filling = false;  // reserved and neither published nor given up
    bool contested = false;  // handed out while it was held or before it was given up: its rows would be raced for
    bool published = false;  // and neither evicted nor forgotten nor freed since
    bool given_up = true;  // evicted, forgotten or freed since it was handed out
    bool ghost_counted = false;  // in the present audit
    key_bytes<sync> content;  // full key of what is written into it
    text described;  // the same in words, while recording
  };
  struct described_key {
    key_bytes<sync> key;
    text described;
  };

  // `message` returns the sentence, and is called only while recording.
  template <class Message>
  void fail(oracle_id oracle, std::uint32_t block, Message message, std::source_location where = std::source_location::current());
  // The block is still what the handle in the slot says, and no other request is filling it.
  // Of a request that is served a block whose rows are not its own.
  [[nodiscard]] pollution_way way_to(const judged_request&, std::size_t position) const;
  [[nodiscard]] bool is_current(const judged_request&, std::size_t position) const;
  [[nodiscard]] std::uint64_t digest_of_owner(const judged_request&) const;
  void on_allocate(const block_event&);
  void check_isolation(const block_event&);
  void on_unpin(const block_event&);
  static void lose_holder(record&);
  void ends_publication(const block_event&);
  void note(const block_event&) const;
  [[nodiscard]] std::string described(key_view entry_key) const;

  run& run_;
  block_histories* histories_ = nullptr;
  // "block 3", or "block 3 of candidate".
  [[nodiscard]] std::string block_name(std::uint32_t block) const;

  text of_cache_;  // " of candidate"
  std::uint32_t tokens_per_block_;
  std::chrono::nanoseconds lease_;
  bool compresses_;
  std::uint32_t reserved_blocks_;
  bool evicts_at_once_;  // what nobody holds can be taken; without locks it waits until nobody can be reading it
  std::uint32_t requests_ = 0;
  std::uint32_t writes_ = 0;
  struct invalidation {
    std::uint32_t version;
    moment when;
  };
  std::vector<invalidation, kvrace::allocator<invalidation>> invalidations_;  // none that one of the others makes superfluous
  std::uint64_t ghosts_ = 0;
  bool requests_waiting_ = false;  // in the present audit
  fixed_array<sync, record> blocks_;
  std::vector<described_key, kvrace::allocator<described_key>> described_keys_;  // published ones, while recording
};

template <class Message>
void cache_oracle::fail(oracle_id oracle, std::uint32_t block, Message message, std::source_location where) {
  judge::fail(
      oracle, block == no_block ? "" : "block", [=, this] { return block == no_block ? std::string() : block_name(block); },
      message, where);
}

}  // namespace kvrace::cache
