// Programs of calls on the simulated cache.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kvrace/cache/rollout.h>
#include <kvrace/cache/simulation.h>
#include <kvrace/check.h>
#include <kvrace/sync.h>

namespace kvrace::cache::programs {

// One token a character.
inline prompt prompt_of(std::string_view text,
                        identity owner = {.model = "m", .adapter = {}, .adapter_version = 0, .tenant = {}}) {
  prompt result{.owner = std::move(owner), .tokens = {}};
  for (const char c : text) result.tokens.push_back(static_cast<unsigned char>(c));
  return result;
}
inline identity model(std::string_view name) {
  return {.model = std::string(name), .adapter = {}, .adapter_version = 0, .tenant = {}};
}

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

inline cache::configuration configuration_of(std::string locking, std::vector<std::string> flaws = {}, std::uint32_t capacity = 2,
                                             std::uint32_t tokens_per_block = 1) {
  return {.locking = std::move(locking),
          .capacity_blocks = capacity,
          .tokens_per_block = tokens_per_block,
          .hash_bits = 64,
          .flaws = std::move(flaws)};
}

}  // namespace kvrace::cache::programs
