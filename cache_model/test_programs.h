// Programs of calls on the simulated cache, and short ways to run them. Included by tests only.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <kvrace/cache/rollout.h>
#include <kvrace/check.h>
#include <kvrace/sync.h>

#include "cache_model/test_support.h"

namespace kvrace::cache::test {

using call = std::function<void(simulation&)>;
using calls = std::vector<call>;

inline call serve(prompt what, cancel_point cancel = cancel_point::none) {
  return [what = std::move(what), cancel](simulation& s) { s.serve(what, cancel); };
}
inline call serve(const char* tokens, cancel_point cancel = cancel_point::none) { return serve(prompt_of(tokens), cancel); }
inline call lookup(prompt what) {
  return [what = std::move(what)](simulation& s) { s.lookup(what); };
}
inline prompt high(const char* tokens) {
  prompt what = prompt_of(tokens);
  what.priority = priority_class::high;
  return what;
}
inline call lookup(const char* tokens) { return lookup(prompt_of(tokens)); }
inline call slow_serve(const char* tokens, std::chrono::nanoseconds prefill_per_token) {
  return [what = prompt_of(tokens), prefill_per_token](simulation& s) {
    s.serve(what, cancel_point::none, {.prefill_per_token = prefill_per_token});
  };
}
inline call wait(std::chrono::nanoseconds duration) {
  return [duration](simulation&) { sync::sleep_for(duration); };
}
inline call invalidate() {
  return [](simulation& s) { s.invalidate(); };
}

// Of programs that roll out.
inline constexpr traffic_split all_to_candidate{.candidate = traffic_split::whole};
inline call roll_out() {
  return [](simulation& s) { static_cast<rollout&>(s).route(all_to_candidate); };
}
inline call roll_back() {
  return [](simulation& s) { static_cast<rollout&>(s).roll_back(); };
}

// Keys 0 and 1.
inline call load(std::uint32_t key) {
  return [key](simulation& s) { s.parts().load(key); };
}
inline call update(std::uint32_t key) {
  return [key](simulation& s) { s.parts().update(key); };
}
inline call fetch(std::uint32_t key) {
  return [key](simulation& s) { s.parts().fetch(key); };
}
inline call put(std::uint32_t key) {
  return [key](simulation& s) { s.parts().put(key); };
}
inline call maintain() {
  return [](simulation& s) { s.parts().maintain(); };
}
inline call admit() {
  return [](simulation& s) { s.parts().admit(); };
}
inline call device_step() {
  return [](simulation& s) { s.parts().device_step(); };
}
inline call promise(const char* tokens) {
  return [what = prompt_of(tokens)](simulation& s) { s.promise(what); };
}
inline call retrieve() {
  return [](simulation& s) { s.retrieve(); };
}
inline call follow_evictions(std::uint32_t count) {
  return [count](simulation& s) { s.follow_evictions(count); };
}
inline const parts_options all_parts = {
    .keys = {"a", "b"}, .read_through = true, .connections = true, .buffered = true, .batch = true};

struct program_under_test {
  cache::configuration configuration = {};
  std::vector<calls> tasks = {};
  std::vector<std::string> oracles_off = {};
  kvrace::limits limits = {};
  bool rolls_out = false;  // requests go to a candidate of this configuration, beside a stable cache of the same

  void operator()(run& run) const {
    const simulation_options options{.configuration = configuration, .oracles_off = oracles_off, .parts = all_parts};
    const std::unique_ptr<cache::simulation> simulation =
        rolls_out ? make_rollout(run, {.stable = options, .candidate = options, .split = all_to_candidate})
                  : make_simulation(run, options);
    for (const calls& task : tasks) {
      run.spawn("client", [&task, simulation = simulation.get()] {
        for (const call& each : task) each(*simulation);
      });
    }
    run.join_all();
    simulation->finish();
  }
};

inline result sample(const program_under_test& program, std::uint64_t seed = 1, std::uint64_t runs = 1'000, bool stop = true,
                     strategy_choice strategy = random_walk(0.3)) {
  return check({.strategy = std::move(strategy),
                .seed = seed,
                .runs = runs,
                .stop_at_violation = stop,
                .limits = program.limits,
                .metrics = metric_names()},
               program);
}
inline std::string oracle_of(const result& result) { return result.findings.empty() ? "" : result.findings.front().oracle; }
inline std::map<std::string, std::uint64_t> metrics_of(const result& result) {
  return {result.metrics.begin(), result.metrics.end()};
}

inline cache::configuration configuration_of(std::string locking, std::vector<std::string> flaws = {}, std::uint32_t capacity = 2,
                                             std::uint32_t tokens_per_block = 1) {
  return {.locking = std::move(locking),
          .capacity_blocks = capacity,
          .tokens_per_block = tokens_per_block,
          .hash_bits = 64,
          .flaws = std::move(flaws)};
}

// Four tasks of six operations each, drawn from a seed.
inline program_under_test random_program(std::string locking, std::uint64_t seed) {
  random_numbers random(seed);
  program_under_test program{.configuration = configuration_of(std::move(locking), {}, 1 + random.below(6), 1 + random.below(2))};
  program.configuration.hash_bits = 1 + random.below(8);
  for (unsigned task = 0; task < 4; ++task) {
    program.tasks.emplace_back();
    for (int i = 0; i < 6; ++i) {
      const prompt prompt = random_prompt(random, 7, 2);
      switch (random.below(8)) {
        case 0: program.tasks.back().push_back(invalidate()); break;
        case 1:
        case 2: program.tasks.back().push_back(lookup(prompt)); break;
        case 3: program.tasks.back().push_back(serve(prompt, static_cast<cancel_point>(random.below(4)))); break;
        default: program.tasks.back().push_back(serve(prompt)); break;
      }
    }
  }
  return program;
}

}  // namespace kvrace::cache::test
