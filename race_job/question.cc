#include "race_job/question.h"

#include <algorithm>

#include <kvrace/cache/configuration.h>

#include "scenarios/program.h"

namespace kvrace::race_job {

namespace {

bool only_instrumentation_sees(const cache::configuration& configuration) {
  return std::any_of(configuration.flaws.begin(), configuration.flaws.end(), [](const std::string& planted) {
    return std::any_of(cache::flaws().begin(), cache::flaws().end(), [&](const cache::flaw_description& flaw) {
      return flaw.name == planted && flaw.oracle == cache::oracle_of_instrumentation;
    });
  });
}

}  // namespace

question ask(const scenarios::scenario& scenario, const std::uint64_t* runs, const std::uint64_t* seed) {
  check_options options = scenarios::sampling_options(scenario);
  if (runs != nullptr) options.runs = scenario.traffic ? std::min<std::uint64_t>(*runs, options.runs) : *runs;
  if (seed != nullptr) options.seed = *seed;
  return {.name = scenario.source.path,
          .program = scenarios::make_program(scenario),
          .options = std::move(options),
          .flawed = !scenario.cache.configuration.flaws.empty(),
          .only_instrumentation = only_instrumentation_sees(scenario.cache.configuration)};
}

}  // namespace kvrace::race_job
