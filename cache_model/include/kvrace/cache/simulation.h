// One cache inside one run, with its oracles: what a scenario drives.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kvrace/cache/configuration.h>
#include <kvrace/cache/parts.h>
#include <kvrace/cache/prompt.h>
#include <kvrace/run.h>

namespace kvrace::cache {

// Where a cancelled request gives up. `none`: it runs to its end.
enum class cancel_point : std::uint8_t { none, after_lookup, after_reserve, after_fill };

// How a request came to rows that are not its own.
enum class pollution_way : std::uint8_t {
  ghost_entry,   // an index entry led to a block that did not hold what the entry says
  stolen_block,  // its block was given to another request between being found and being read
  wrong_key,     // the block held what the index says, and that is another request's
  foreign_rows,  // the block was its own, or held its key, and rows in it were another's
};
inline constexpr std::size_t pollution_ways = 4;
[[nodiscard]] const char* to_string(pollution_way);

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
  inputs,               // requests whose prompt came as text
  inputs_triggering,    // of them, those in which the sanitiser's patterns match
  triggers,             // matches in all of them
  characters_replaced,  // see input_facts
  clusters_cut,
  polluted_by,  // the polluted requests by pollution_way, one metric each; a request counts once in each of its ways
  count = polluted_by + pollution_ways,
};
[[nodiscard]] const std::vector<std::string>& metric_names();

struct simulation_options {
  cache::configuration configuration;
  // Oracles to switch off by name; all are on by default. Names: see oracles().
  std::vector<std::string> oracles_off;
  // Oracle "linearizability", off by default: it keeps every call of a run, so it is for short ones.
  bool linearizability = false;
  parts_options parts = {};  // what there is beside the cache
  // Virtual time for which a flawed cache stays outside of a critical section that it should not have left.
  std::chrono::nanoseconds deferral = {};
  // What reports call the cache, where a run has several.
  std::string name = {};
  bool keeps_text = false;  // see simulation::text
};

// How long the steps of a request take, in virtual time. The request holds its blocks meanwhile.
struct service_times {
  std::chrono::nanoseconds prefill_per_token = {};  // between reserving and filling, for each token that is not from the cache
  std::chrono::nanoseconds prefill_correction = {};  // added to that, where tokens stand for others; the sum is never negative
  std::chrono::nanoseconds decode = {};             // between publishing and the last read
  std::chrono::nanoseconds tick = {};               // each step ends on a multiple of this; 0: when it ends
  [[nodiscard]] bool none() const { return prefill_per_token.count() == 0 && decode.count() == 0; }
};

// What became of a request.
struct request_outcome {
  bool polluted = false;
  bool stale = false;
  bool starved = false;
  bool broke_isolation = false;  // took from the share of the other class, or evicted what it had computed
};

// Token by token, a number for each token in its context: what a request should have read, and what it has read.
struct text_read {
  std::span<const std::uint64_t> meant = {};
  std::span<const std::uint64_t> read = {};
};

// How a request comes to one cache of several among which requests are routed.
class passage {
 public:
  // Asked once, when the request has taken its blocks and before it computes. If not, it gives them back and counts nowhere.
  [[nodiscard]] virtual bool holds() = 0;
  std::uint32_t rollbacks_before = 0;  // how often this cache had been rolled back when the request was routed to it

 protected:
  ~passage() = default;
};

struct audit_counts {
  std::uint64_t blocks = 0;
  std::uint64_t ghosts = 0;
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
  // With service times, each part between two waits is an operation of its own; a request cancelled after it has reserved gives
  // up half way through its prefill.
  virtual std::size_t serve(const prompt&, cancel_point = cancel_point::none, const service_times& = {}) = 0;
  // The same two for a request that was routed here; nullopt if its passage does not hold.
  virtual std::optional<std::size_t> lookup_by(passage&, const prompt&) = 0;
  virtual std::optional<std::size_t> serve_by(passage&, const prompt&, cancel_point, const service_times&) = 0;
  // Bumps the cache version: nothing inserted or being filled before it is served afterwards.
  virtual void invalidate() = 0;
  // What the namespace contract asks: lookup(request), compared with `expected_tokens`; a difference is a violation of oracle
  // "namespace_contract".
  virtual void expect_match(const prompt&, std::size_t expected_tokens) = 0;
  // Promises what a lookup finds, to be retrieved by the same task; and delivers what the task was promised last, nothing if that
  // has been retrieved. Both return the number of tokens. What is promised and never retrieved stays referenced.
  virtual std::size_t promise(const prompt&) = 0;
  virtual std::size_t retrieve() = 0;
  // Follows that many evictions of other tasks, and looks for each whether its content is cached again. Waits for them. Requires
  // configuration::eviction_feed.
  virtual void follow_evictions(std::uint32_t count) = 0;
  // What there is beside the cache. Requires simulation_options::parts.
  virtual cache::parts& parts() = 0;
  // Of the calling task's last lookup or serve.
  [[nodiscard]] virtual request_outcome outcome() const = 0;
  // The same request's, if it read anything else than it should have, and simulation_options::keeps_text; else empty.
  [[nodiscard]] virtual text_read text() const = 0;
  // Audits the structures between two calls; the counts go to the metrics too. nullopt while a call is in progress.
  virtual std::optional<audit_counts> audit() = 0;
  // The audit at the end of the run, after every task has been joined: all references returned, nothing leaked.
  virtual audit_counts finish() = 0;
};

// Requires validate(options.configuration) to have no error, and options.parts to outlive it. To be called from the body of a
// run; registers the audit at quiescent points.
[[nodiscard]] std::unique_ptr<simulation> make_simulation(run&, const simulation_options&);

}  // namespace kvrace::cache
