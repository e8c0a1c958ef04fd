// A scenario as the program uses it: read, checked and complete. Start here.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kvrace/cache/simulation.h>
#include <kvrace/result.h>

#include "scenarios/rollout.h"
#include "scenarios/sweep.h"
#include "scenarios/traffic.h"

namespace kvrace::scenarios {

// The file a scenario came from.
struct source {
  std::string path;          // as the user gave it
  std::string text;          // byte for byte
  std::uint64_t digest = 0;  // FNV-1a, 64 bits, over `text`
  bool is_file = false;      // neither built in nor out of a report
  std::string trace_file;    // from the command line, in the place of the one that the text names
};

struct operation {
  enum class kind : std::uint8_t {
    lookup,
    serve,
    invalidate,
    expect_match,
    wait,
    promise,
    retrieve,
    follow_evictions,
    load,
    update,
    fetch,
    put,
    maintain,
    admit,
    device_step,
    roll_out,
    roll_back,
  };
  kind what = kind::lookup;
  cache::prompt prompt = {};        // lookup, serve, expect_match, promise
  std::size_t expected_tokens = 0;  // expect_match only
  cache::cancel_point cancel = cache::cancel_point::none;  // serve only
  cache::service_times times = {};                         // serve only
  std::chrono::nanoseconds duration = {};                  // wait only
  std::uint32_t key = 0;    // load, update, fetch, put: index into parts_options::keys
  std::uint32_t count = 0;  // follow_evictions only
};

struct task {
  std::string name;
  std::vector<operation> operations;
};

// A workload drawn once from its own seed, so that the search's seed never changes the question.
struct generator {
  std::uint64_t seed = 0;
  unsigned tasks = 1;
  unsigned operations = 1;  // per task
  std::optional<double> zipf_exponent = {};  // nullopt: uniform
  unsigned tenants = 1;
  unsigned tree_depth = 1;
  unsigned tree_fanout = 4;
  struct weights {
    std::uint64_t lookup = 0;
    std::uint64_t serve = 1;
    std::uint64_t invalidate = 0;
  } mix = {};
  double cancellation_probability = 0;
};

struct search {
  enum class kind : std::uint8_t { random, pct, pos, surw, round_robin, portfolio, replay_then, bounded, prove, graphs };
  kind strategy = kind::random;
  double switch_probability = 0.3;             // random
  unsigned depth = 3;                          // pct
  std::uint64_t decisions_max = 100;           // pct, portfolio
  std::uint64_t quantum = 1;                   // round_robin
  std::vector<std::string> sets = {};          // surw
  kvrace::schedule schedule = {};              // replay_then
  kind then = kind::random;                    // replay_then: random, pct, pos, surw or portfolio, as above
  std::optional<unsigned> preemptions_max;     // bounded
  kvrace::memory_model memory_model = kvrace::memory_model::sc;  // sampling, graphs
  bool memory_model_given = false;
  std::uint64_t states_max = 0;  // bounded, prove; 0: no budget, to which the command line gives default_states_max
  std::optional<std::uint64_t> runs;  // sampling: default_runs without it, traffic: 1; bounded, prove: a budget
  std::uint64_t seed = 1;  // sampling
  bool stop_at_violation = true;  // sampling
  // Budgets from the command line only: 0 is none.
  double time_s = 0;
  std::uint64_t memory_bytes_max = 0;  // of proofs

  static constexpr std::uint64_t default_runs = 1'000;
  static constexpr std::uint64_t default_states_max = 5'000'000;
  [[nodiscard]] bool sampling() const { return strategy < kind::bounded; }
};

// Exactly one is set.
struct expectation {
  std::optional<std::string> violation;  // name of an oracle
  std::optional<kvrace::verdict> verdict;  // proved, exhausted or not_found
};

struct scenario {
  scenarios::source source;
  std::string name;
  std::string question;
  cache::simulation_options cache;
  std::vector<scenarios::task> tasks;  // generated ones included; none if there is traffic
  std::optional<scenarios::traffic> traffic;
  std::optional<scenarios::sweep> sweep;  // only beside traffic
  std::optional<scenarios::rollout> rollout;  // beside tasks or traffic
  scenarios::search search;
  scenarios::expectation expect;
  std::uint64_t steps_max = 100'000;  // per run
  unsigned cancellations = 0;         // per task
  std::uint64_t call_steps_max = 0;   // 0: no bound
  bool lock_order = false;

  // Virtual time passes. There is none in proofs.
  [[nodiscard]] bool needs_time() const;
};

// FNV-1a; `from`: of the text before it.
[[nodiscard]] std::uint64_t digest_of(std::string_view text, std::uint64_t from = 0xcbf29ce484222325u);

}  // namespace kvrace::scenarios
