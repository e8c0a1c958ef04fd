// Programs of calls on the simulated cache, and short ways to run them. Included by tests only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <kvrace/check.h>

#include "cache_model/test_support.h"

namespace kvrace::cache::test {

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
