#include "cache_model/oracle.h"

#include <algorithm>

#include "cache_model/describe.h"
#include "cache_model/histories.h"

namespace kvrace::cache {

namespace {

constexpr std::size_t described_keys_max = 100'000;

const judged_request& judged(const request_base* request) { return static_cast<const judged_request&>(*request); }

std::string number_of(const request_base& request) { return "request " + std::to_string(request.id); }

const char* name_of(block_event::kind what) {
  switch (what) {
    case block_event::kind::pin: return "pin";
    case block_event::kind::evict: return "evict";
    case block_event::kind::allocate: return "allocate";
    case block_event::kind::publish: return "publish";
    case block_event::kind::drop: return "drop";
    case block_event::kind::unpin: return "unpin";
    case block_event::kind::foreign_unpin: return "foreign unpin";
    case block_event::kind::share: return "share";
    case block_event::kind::free: return "free";
    case block_event::kind::forget: return "forget";
    case block_event::kind::unbalanced: return "unbalanced";
  }
  return "";
}

}  // namespace

cache_oracle::cache_oracle(run& run, const simulation_options& options)
    : judge(run, options.oracles_off),
      run_(run),
      of_cache_(options.name.empty() ? "" : (" of " + options.name).c_str()),
      tokens_per_block_(options.configuration.tokens_per_block),
      lease_(options.configuration.lease),
      compresses_(options.configuration.compression.buffers != 0),
      reserved_blocks_(options.configuration.reserved_blocks),
      evicts_at_once_(options.configuration.locking != "epoch"),
      blocks_(options.configuration.capacity_blocks) {}

std::string cache_oracle::block_name(std::uint32_t block) const { return cache::block_name(block) + std::string(of_cache_); }

void cache_oracle::begins(judged_request& request, const prompt& prompt) {
  request.id = ++requests_;
  request.prompt = &prompt;
  request.version_min = 0;
  for (const invalidation& each : invalidations_)
    if (each.when.is_before_now()) request.version_min = std::max(request.version_min, each.version);
  request.began = run::now();
  request.broke_isolation = false;
  request.read.resize(0);
  request.polluted = false;
  request.polluted_by = {};
  request.stale = false;
  if (prompt.input && prompt.input->triggers_left != 0)
    fail(oracle_id::sanitation, no_block, [&] {
      return number_of(request) + " for (" + describe(prompt) + ") has " + std::to_string(prompt.input->triggers_left) +
             " matches of #{3,} or \\[\\w+\\]\\{\\d+\\} in its tokens";
    });
  const std::size_t blocks = request.full_keys->size();
  request.holds.assign(blocks, 0);
  request.digests.resize(compresses_ ? prompt.tokens.size() : blocks * tokens_per_block_);
  if (request.digests.size() == 0) return;
  const std::vector<token>& meant = meaning_of(prompt).tokens;
  std::uint64_t digest = digest_of_owner(request);
  for (std::size_t i = 0; i < request.digests.size(); ++i) request.digests[i] = digest = hash_absorbed(digest, meant[i]);
}

// The bytes in front of every key.
std::uint64_t cache_oracle::digest_of_owner(const judged_request& request) const {
  const key_list<sync>& keys = *request.full_keys;
  if (keys.size() != 0) return hash_bytes(1, keys[0].first(keys[0].size() - tokens_per_block_ * sizeof(token)));
  reused_array<std::byte, kvrace::allocator<std::byte>> bytes;
  bytes.resize(identity_bytes_max(request.prompt->owner));
  byte_writer out(bytes.data());
  write_identity(out, request.prompt->owner);
  return hash_bytes(1, {bytes.data(), out.size()});
}

void cache_oracle::invalidated(std::uint32_t version) {
  // Whatever comes after this one comes after those before it.
  std::erase_if(invalidations_,
                [version](const invalidation& each) { return each.version < version && each.when.is_before_now(); });
  invalidations_.push_back({version, moment()});
}

void cache_oracle::note(const block_event& event) const {
  std::string detail = "generation " + std::to_string(event.where.generation);
  if (event.request != nullptr) {
    const judged_request& request = judged(event.request);
    const bool of_former_owner = event.what == block_event::kind::evict;
    const std::size_t tokens = (std::size_t{event.slot} + 1) * tokens_per_block_;
    detail = number_of(request) + ", key (" +
             (of_former_owner ? std::string(blocks_[event.where.block].described) : describe(*request.prompt, tokens)) + "), " +
             detail;
  }
  run::note(block_name(event.where.block), name_of(event.what), detail);
}

void cache_oracle::on_event(const block_event& event) {
  const bookkeeping scope;
  if (histories_ != nullptr) histories_->on_event(event);
  if (run::recording()) [[unlikely]]
    note(event);
  record& block = blocks_[event.where.block];
  const std::uint32_t id = event.where.block;
  switch (event.what) {
    case block_event::kind::pin:
      ++block.holders;
      ++judged(event.request).holds[event.slot];
      if (event.entry_denied) {
        fail(oracle_id::ghost_entry, id, [&] {
          return number_of(*event.request) + " for (" + describe(*judged(event.request).prompt) + ") was served " +
                 block_name(id) + " through an index entry that outlived its eviction: the block holds (" +
                 std::string(block.described) + ")";
        });
      } else if (block.filling && block.generation == event.where.generation) {
        fail(oracle_id::publication, id,
             [&] { return number_of(*event.request) + " found " + block_name(id) + ", which is not published"; });
      }
      return;
    case block_event::kind::evict:
      run_.add(static_cast<std::size_t>(metric::blocks_evicted), 1);
      if (reserved_blocks_ != 0) check_isolation(event);
      ends_publication(event);
      return;
    case block_event::kind::allocate: on_allocate(event); return;
    case block_event::kind::publish:
      if (block.generation != event.where.generation || block.owner != event.request->id)
        fail(oracle_id::stale_handle, id,
             [&] { return number_of(*event.request) + " published " + block_name(id) + " through a stale handle"; });
      block.filling = false;
      block.published = true;
      if (run::recording()) [[unlikely]] {
        const key_view key = judged(event.request).keys[event.slot];
        if (described_keys_.size() == described_keys_max) described_keys_.clear();  // in a run of millions of requests
        described_keys_.push_back({key_bytes<sync>(key.begin(), key.end()), block.described});
      }
      return;
    case block_event::kind::unpin: on_unpin(event); return;
    case block_event::kind::foreign_unpin:
      lose_holder(block);
      fail(oracle_id::reference_balance, id, [&] {
        return number_of(*event.request) + " gave back a reference to " + block_name(id) + " that another request holds";
      });
      return;
    case block_event::kind::share:
      ++block.holders;
      ++judged(event.request).holds[event.slot];
      return;
    case block_event::kind::unbalanced:
      fail(oracle_id::reference_balance, id,
           [&] { return number_of(*event.request) + " gave back a reference to " + block_name(id) + " that nobody held"; });
      return;
    case block_event::kind::forget: ends_publication(event); return;
    case block_event::kind::free:
      if (block.generation != event.where.generation) return;  // by a former owner, who has given it back before
      block.published = false;
      block.given_up = true;
      return;
    case block_event::kind::drop: return;
  }
}

void cache_oracle::on_outdated(std::uint32_t version) {
  const bookkeeping scope;
  if (histories_ != nullptr) histories_->on_outdated(version);
}

void cache_oracle::on_allocate(const block_event& event) {
  record& block = blocks_[event.where.block];
  const std::uint32_t id = event.where.block;
  if (block.holders != 0) {
    fail(oracle_id::ghost_entry, id, [&] {
      return block_name(id) + " was handed to " + number_of(*event.request) + " out of the eviction order while it is referenced";
    });
  }
  if (block.published)
    fail(oracle_id::ghost_entry, id,
         [&] { return block_name(id) + " was handed to " + number_of(*event.request) + " while the index still leads to it"; });
  block.contested = block.holders != 0 || !block.given_up;
  const judged_request& request = judged(event.request);
  if (id < reserved_blocks_ && request.priority == priority_class::low) {
    request.broke_isolation = true;
    fail(oracle_id::isolation, id, [&] {
      return number_of(request) + " of low priority took " + block_name(id) + ", which is reserved for high priority";
    });
  }
  const key_view content = (*request.full_keys)[event.slot];
  ++request.holds[event.slot];
  ++block.holders;
  block.generation = event.where.generation;
  block.owner = request.id;
  block.priority = request.priority;
  block.rollbacks_before = request.rollbacks_before;
  if (lease_.count() != 0) block.expires = run::now() + lease_;
  block.filling = true;
  block.published = block.given_up = false;
  block.content.assign(content.begin(), content.end());
  if (run::recording()) [[unlikely]]
    block.described = describe(*request.prompt, (std::size_t{event.slot} + 1) * tokens_per_block_);
}

void cache_oracle::check_isolation(const block_event& event) {
  const record& block = blocks_[event.where.block];
  if (block.priority != priority_class::high || judged(event.request).priority != priority_class::low) return;
  judged(event.request).broke_isolation = true;
  fail(oracle_id::isolation, event.where.block, [&] {
    return number_of(*event.request) + " of low priority evicted " + block_name(event.where.block) + ", which holds (" +
           std::string(block.described) + ") of request " + std::to_string(block.owner) + " of high priority";
  });
}

void cache_oracle::on_unpin(const block_event& event) {
  record& block = blocks_[event.where.block];
  const std::uint32_t id = event.where.block;
  std::uint8_t& holds = judged(event.request).holds[event.slot];
  if (block.generation != event.where.generation) {
    fail(oracle_id::stale_handle, id,
         [&] { return number_of(*event.request) + " gave " + block_name(id) + " back through a stale handle"; });
  }
  if (holds == 0) {
    fail(oracle_id::reference_balance, id,
         [&] { return number_of(*event.request) + " gave back a reference to " + block_name(id) + " that it does not hold"; });
    return;
  }
  --holds;
  lose_holder(block);
  if (block.owner == event.request->id) block.filling = false;
}

void cache_oracle::lose_holder(record& block) {
  if (block.holders != 0 && --block.holders == 0) block.unheld_since = run::step();
}

void cache_oracle::ends_publication(const block_event& event) {
  record& block = blocks_[event.where.block];
  if (!block.published) {
    fail(oracle_id::exactly_once, event.where.block,
         [&] { return "the content of " + block_name(event.where.block) + " was given up, which is not published"; });
  }
  block.published = false;
  block.given_up = true;
}

bool cache_oracle::is_current(const judged_request& request, std::size_t position) const {
  const auto& slot = request.slots[position];
  const record& block = blocks_[slot.where.block];
  return !slot.entry_denied && block.generation == slot.where.generation && (!block.filling || block.owner == request.id);
}

bool cache_oracle::may_write(const judged_request& request, std::size_t position) {
  if (!may_touch(request, position)) return false;
  const std::uint32_t id = request.slots[position].where.block;
  const record& block = blocks_[id];
  if (silent() || block.owner == request.id) return true;
  fail(oracle_id::stale_handle, id, [&] {
    return number_of(request) + " for (" + describe(*request.prompt) + ") writes into " + block_name(id) + ", which holds (" +
           std::string(block.described) + ") of request " + std::to_string(block.owner);
  });
  return false;
}

std::uint32_t cache_oracle::fills(const judged_request& request, std::size_t position) {
  return blocks_[request.slots[position].where.block].write = ++writes_;
}

void cache_oracle::served(judged_request& request, std::size_t position, const tags_seen& seen) {
  if (silent()) return;
  const handle where = request.slots[position].where;
  const record& block = blocks_[where.block];
  const auto who = [&] { return number_of(request) + " for (" + describe(*request.prompt) + ")"; };
  if (seen.foreign || !equal(block.content, (*request.full_keys)[position])) {
    pollutes(request, way_to(request, position));
    fail(oracle_id::pollution, where.block, [&] {
      return who() + " was served " + block_name(where.block) + ", which holds (" + std::string(block.described) +
             ") of request " + std::to_string(block.owner);
    });
  } else if (!is_current(request, position)) {
    fail(oracle_id::ghost_entry, where.block,
         [&] { return who() + " was served " + block_name(where.block) + " after its eviction"; });
  } else if (seen.unwritten) {
    fail(oracle_id::publication, where.block,
         [&] { return who() + " read " + block_name(where.block) + " before it was filled"; });
  }
  // What it has computed itself may be as old as it is.
  const bool hit = request.slots[position].what == judged_request::slot::kind::hit;
  if (hit && block.rollbacks_before < request.rollbacks_before)
    fail(oracle_id::rollback, where.block, [&] {
      return who() + " was served " + block_name(where.block) + ", which request " + std::to_string(block.owner) +
             " has computed, routed there before the rollback";
    });
  if (hit && block.expires <= request.began) {
    request.stale = true;
    fail(oracle_id::stale, where.block,
         [&] { return who() + " was served " + block_name(where.block) + ", whose lease was over before it began"; });
  } else if (seen.old) {
    request.stale = true;
    fail(oracle_id::stale, where.block,
         [&] { return who() + " was served " + block_name(where.block) + ", which was invalidated before it began"; });
  }
}

void cache_oracle::compressed(const judged_request& request, std::uint32_t buffer, std::uint32_t rows) const {
  run::note("buffer " + std::to_string(buffer), "compress",
            number_of(request) + ", key (" + describe(*request.prompt) + "), rows " + std::to_string(rows));
}

void cache_oracle::decoded(judged_request& request, const foreign_row& foreign) {
  if (silent()) return;
  pollutes(request, pollution_way::foreign_rows);
  const auto buffer = [&] { return "buffer " + std::to_string(foreign.buffer); };
  const auto message = [&] {
    return number_of(request) + " for (" + describe(*request.prompt) + ") has put " + std::to_string(foreign.rows) +
           " rows into " + buffer() + " and reads row " + std::to_string(foreign.row) + ", which is that of token " +
           std::to_string(foreign.found.position) + " of request " + std::to_string(foreign.found.request);
  };
  judge::fail(oracle_id::pollution, "buffer", buffer, message, std::source_location::current());
}

void cache_oracle::pollutes(judged_request& request, pollution_way way) {
  request.polluted = true;
  request.polluted_by[static_cast<std::size_t>(way)] = true;
}

pollution_way cache_oracle::way_to(const judged_request& request, std::size_t position) const {
  const auto& slot = request.slots[position];
  const record& block = blocks_[slot.where.block];
  if (slot.entry_denied) return pollution_way::ghost_entry;
  if (block.generation != slot.where.generation) return pollution_way::stolen_block;
  return equal(block.content, (*request.full_keys)[position]) ? pollution_way::foreign_rows : pollution_way::wrong_key;
}

std::size_t cache_oracle::deliverable(const judged_request& request) const {
  std::size_t blocks = 0;
  while (blocks < request.slots.size() && request.slots[blocks].what == judged_request::slot::kind::hit &&
         is_current(request, blocks))
    ++blocks;
  return blocks;
}

void cache_oracle::delivers(const judged_request& request, std::size_t promised_tokens, std::size_t delivered_tokens) {
  if (delivered_tokens >= promised_tokens) return;
  fail(oracle_id::promise, no_block, [&] {
    return number_of(request) + " for (" + describe(*request.prompt) + ") was promised " + std::to_string(promised_tokens) +
           " tokens, and retrieves " + std::to_string(delivered_tokens);
  });
}

void cache_oracle::starved(const judged_request& request, std::uint64_t began) {
  if (!evicts_at_once_) return;
  const bool classes = reserved_blocks_ != 0;
  for (std::uint32_t id = 0; id < blocks_.size(); ++id) {
    const record& block = blocks_[id];
    if (classes && (id < reserved_blocks_) != (request.priority == priority_class::high)) continue;  // the other class's share
    if (classes && block.owner != 0 && block.priority != request.priority) {
      fail(oracle_id::starvation, id, [&] {
        return number_of(request) + " for (" + describe(*request.prompt) + ") gets no block: " + block_name(id) +
               ", of the share of its class, holds (" + std::string(block.described) + ") of request " +
               std::to_string(block.owner) + " of the other class";
      });
      return;
    }
    if (block.holders != 0 || block.unheld_since > began) continue;
    fail(classes ? oracle_id::starvation : oracle_id::liveness, id, [&] {
      return number_of(request) + " for (" + describe(*request.prompt) + ") gets no block, although nobody has held " +
             block_name(id) + " since before it asked";
    });
    return;
  }
}

void cache_oracle::contract(const prompt& prompt, std::size_t expected_tokens, std::size_t matched_tokens) {
  if (expected_tokens == matched_tokens) return;
  fail(oracle_id::namespace_contract, no_block, [&] {
    return "lookup of (" + describe(prompt) + ") matched " + std::to_string(matched_tokens) + " tokens, expected " +
           std::to_string(expected_tokens);
  });
}

}  // namespace kvrace::cache
