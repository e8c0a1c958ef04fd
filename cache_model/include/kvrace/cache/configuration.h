// Which cache a scenario runs: sizes, locking strategy and planted flaws, all by name.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kvrace/cache/compression.h>

namespace kvrace::cache {

struct configuration {
  std::string locking = "mutex";          // a name from locking_strategies()
  std::uint32_t capacity_blocks = 2;      // >= 1
  std::uint32_t tokens_per_block = 4;     // >= 1
  std::uint32_t hash_bits = 64;           // 1..64: the index hash is truncated to force collisions; a correct cache survives
  std::chrono::nanoseconds lease = {};  // virtual time for which content may be served since its block was reserved; 0: for ever
  std::uint32_t eviction_feed = 0;  // evictions announced and not yet followed, at most; 0: nobody is told of them
  // The blocks 0 to reserved_blocks - 1 are for what requests of high priority compute, the others for the rest; fewer than
  // capacity_blocks. 0: there are no classes.
  std::uint32_t reserved_blocks = 0;
  compression_options compression = {};
  std::uint32_t input_chunk_bytes = 4'096;  // >= 1; see input_reader
  std::vector<std::string> flaws;  // names from flaws(); at most one per seam
};

struct locking_description {
  std::string_view name;
  std::string_view summary;  // one line, for `kvrace list`
  bool exact_lru = false;  // promises exact least-recently-used eviction
};

// In place of an oracle: the flaw is in plain data that the engine does not watch. Only compiler instrumentation sees it.
inline constexpr std::string_view oracle_of_instrumentation = "race_job";

struct flaw_description {
  std::string_view name;
  std::string_view seam;  // the part of the cache it replaces: "key", "recency", "pin", "eviction", ...
  std::string_view summary;  // one line: what goes wrong
  std::string_view source;  // the public report it models: "B02", "I5"
  std::string_view oracle;  // the oracle that must catch it
  std::vector<std::string_view> locking;  // the locking strategies for which it makes sense
  std::string_view memory_model = "sc";  // under which it shows: "sc", or "rc11" where no sequentially consistent execution does
};

[[nodiscard]] const std::vector<locking_description>& locking_strategies();
[[nodiscard]] const std::vector<flaw_description>& flaws();

// Where the configuration is wrong, as a field name ("flaws/1") and what was expected; nullopt if it can be built.
struct configuration_error {
  std::string field;
  std::string expected;
};
[[nodiscard]] std::optional<configuration_error> validate(const configuration&);

}  // namespace kvrace::cache
