// One cache inside one run, with its oracles: what a scenario drives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kvrace/cache/configuration.h>
#include <kvrace/cache/prompt.h>
#include <kvrace/run.h>

namespace kvrace::cache {

// Where a cancelled request gives up. `none`: it runs to its end.
enum class cancel_point : std::uint8_t { none, after_lookup, after_reserve, after_fill };

// Metric names in the order of their index, for check_options::metrics. Rates are quotients of these.
enum class metric : std::size_t {
  requests_completed,
  requests_cancelled,
  requests_polluted,  // could read at least one token whose tag is not their own full key
  requests_stale,     // were served an older version
  requests_starved,   // found no free or evictable block and went on without caching
  tokens_queried,
  tokens_hit,
  blocks_audited,
  blocks_ghost,
  blocks_evicted,
  count,
};
[[nodiscard]] const std::vector<std::string>& metric_names();

struct simulation_options {
  cache::configuration configuration;
  // Oracles to switch off by name; all are on by default. Names: see oracles().
  std::vector<std::string> oracles_off;
};

struct oracle_description {
  std::string_view name;     // as it appears in a finding: "ghost_entry", "pollution", ...
  std::string_view summary;
  std::string_view source;   // "O1", "O2", ...
};
[[nodiscard]] const std::vector<oracle_description>& oracles();

// Built by the body of a test, used by its tasks. Every call is one kvrace::operation.
class simulation {
 public:
  virtual ~simulation() = default;

  // Looks up the longest cached prefix, reads it through the handles it was given, releases it.
  // Returns the number of matched tokens: full blocks only, before the last token is left to recompute.
  virtual std::size_t lookup(const prompt&) = 0;
  // Serves a request: lookup with pins, reserve blocks for the rest, fill, publish, read everything, release tail first.
  // Returns the number of tokens that came from the cache (at least the last token of the prompt is always recomputed).
  virtual std::size_t serve(const prompt&, cancel_point = cancel_point::none) = 0;
  // Bumps the cache version: nothing inserted or being filled before it is served afterwards.
  virtual void invalidate() = 0;
  // What the namespace contract asks: lookup(request), compared with `expected_tokens`; a difference is a violation of oracle
  // "namespace_contract".
  virtual void expect_match(const prompt&, std::size_t expected_tokens) = 0;
  // The audit at the end of the run, after every task has been joined: all references returned, nothing leaked.
  virtual void finish() = 0;
};

// Requires validate(options.configuration) to have no error. To be called from the body of a run; registers the audit at
// quiescent points.
[[nodiscard]] std::unique_ptr<simulation> make_simulation(run&, const simulation_options&);

}  // namespace kvrace::cache
