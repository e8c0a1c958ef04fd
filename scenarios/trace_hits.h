// How often the blocks of a trace are found again: by plain LRU, which is what is published about traces, and by the simulated
// cache itself, one request after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kvrace/cache/plain_lru.h>

#include "scenarios/trace_reader.h"

namespace kvrace::scenarios {

struct trace_question {
  std::vector<std::uint64_t> capacities = {1'000, 10'000, 30'000, 100'000, cache::plain_lru::unbounded};
  std::string locking = "mutex";  // of the simulated cache, at the bounded capacities; empty: plain LRU only
  std::uint32_t tokens_per_block = 512;
  std::optional<std::uint64_t> requests_max = {};  // no more than this many are read
};

struct hit_count {
  enum class policy : std::uint8_t {
    plain_lru_all,   // every block of a prompt is touched, from head to tail
    plain_lru_full,  // every full block
    cache,           // full blocks, pinned together, given back tail first; the last token is computed anew
  };
  policy by = policy::plain_lru_all;
  std::uint64_t capacity = 0;
  std::uint64_t references = 0;
  std::uint64_t hits = 0;
  std::uint64_t prefix_hits = 0;  // of them before the first miss of their prompt
  std::uint64_t requests_starved = 0;  // cache: those that found no room for all of their blocks
};

struct trace_answer {
  trace_facts facts;
  std::uint64_t unchained = 0;  // blocks behind another one than before: not the prefix that a name stands for
  std::vector<hit_count> hits;  // none if the trace does not tell what prompts hold
};

// Reads to the end, or to what is wrong: see trace_reader::error.
[[nodiscard]] trace_answer count_hits(trace_reader& trace, const trace_question& question);

}  // namespace kvrace::scenarios
