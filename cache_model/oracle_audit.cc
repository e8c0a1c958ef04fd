// What the oracle makes of the structures that an audit walks.
#include "cache_model/describe.h"
#include "cache_model/oracle.h"

namespace kvrace::cache {

const char* to_string(ghost kind) {
  switch (kind) {
    case ghost::index_key: return "the index leads from a key to a block that holds another";
    case ghost::index_state: return "the index leads to a block that is not indexed";
    case ghost::index_duplicate: return "the index leads to the block twice";
    case ghost::index_missing: return "the block counts as indexed, but no index entry leads to it";
    case ghost::order_duplicate: return "the block stands in the eviction order twice";
    case ghost::order_used: return "the block stands in the eviction order while it is referenced";
  }
  return "";
}

audit_counts cache_oracle::audit(const prefix_cache<sync>& cache, bool requests_waiting) {
  if (silent()) return {};
  requests_waiting_ = requests_waiting;
  ghosts_ = 0;
  for (record& block : blocks_) block.ghost_counted = false;
  cache.audit(*this);
  return {.blocks = blocks_.size(), .ghosts = ghosts_};
}

std::string cache_oracle::described(key_view entry_key) const {
  for (const described_key& each : described_keys_)
    if (equal(each.key, entry_key)) return std::string(each.described);
  return "?";
}

void cache_oracle::on_ghost(ghost kind, std::uint32_t id, key_view entry_key) {
  record& block = blocks_[id];
  if (!block.ghost_counted) ++ghosts_;
  block.ghost_counted = true;
  fail(oracle_id::ghost_entry, id, [&] {
    std::string message = std::string(to_string(kind)) + ": " + block_name(id);
    if (kind == ghost::index_key || kind == ghost::index_state) message += ", found under (" + described(entry_key) + ")";
    if (!block.described.empty()) message += ", last filled with (" + std::string(block.described) + ")";
    return message;
  });
}

void cache_oracle::on_lost(std::uint32_t id) {
  fail(oracle_id::capacity, id, [&] { return block_name(id) + " is unreferenced, but not in the eviction order: it is lost"; });
}

void cache_oracle::on_block(std::uint32_t id, std::uint32_t references, bool indexed) {
  if (blocks_[id].published && !indexed)
    fail(oracle_id::exactly_once, id, [&] { return block_name(id) + " is not indexed any more, but was never given up"; });
  if (references == blocks_[id].holders && (references == 0 || requests_waiting_)) return;
  fail(oracle_id::reference_balance, id, [&] {
    return block_name(id) + " counts " + std::to_string(references) + " references" +
           (requests_waiting_ ? "" : " while no request is in progress") + ", of which " + std::to_string(blocks_[id].holders) +
           " were taken";
  });
}

}  // namespace kvrace::cache
