// What an audit of a cache reports, structure by structure.
#pragma once

#include <cstddef>
#include <cstdint>

#include <kvrace/cache/keys.h>

namespace kvrace::cache {

// A reference that the block it leads to denies.
enum class ghost : std::uint8_t {
  index_key,        // an index entry leads to a block that holds another key
  index_state,      // an index entry leads to a block that is not indexed
  index_duplicate,  // two index entries lead to one block
  index_missing,    // a block counts as indexed, and no index entry leads to it
  order_duplicate,  // a block stands in the eviction order twice, or the order is a cycle
  order_used,       // a referenced block stands in the eviction order
};
[[nodiscard]] const char* to_string(ghost);

class audit_listener {
 public:
  // `entry_key` is the key of the index entry, empty for the kinds without one.
  virtual void on_ghost(ghost, std::uint32_t block, key_view entry_key) = 0;
  // Unreferenced, and not in the eviction order: it can never be used again.
  virtual void on_lost(std::uint32_t block) = 0;
  // Every block once.
  virtual void on_block(std::uint32_t block, std::uint32_t references, bool indexed) = 0;

 protected:
  ~audit_listener() = default;
};

}  // namespace kvrace::cache
