// A scenario as a program the engine can run.
#pragma once

#include <functional>
#include <string>

#include <kvrace/check.h>

#include "scenarios/scenario.h"
#include "scenarios/traffic_account.h"
#include "scenarios/traffic_program.h"

namespace kvrace::scenarios {

// Holds everything it needs: `scenario` may go away. Prompts are prepared once, so that a run only reads them.
[[nodiscard]] kvrace::program make_program(const scenario&);

// Of each of its runs.
[[nodiscard]] kvrace::limits limits_of(const scenario&);

// How the scenario is sampled, without an observer. One that asks for an exhaustive search: by the random walk.
[[nodiscard]] kvrace::check_options sampling_options(const scenario&);

// Where a proof by execution graphs goes on, and where it leaves what it needs to be gone on with: see kvrace::prove_options.
struct continuation {
  std::string from;
  std::function<void(const std::string& checkpoint)> save;
  std::string program_name;
};

// The search the scenario asks for. `observer` may be null, and so may `account`, what traffic measured, and `router`. `jobs`
// processes share a sample or a proof by execution graphs, but no traffic, whose account is in this one.
[[nodiscard]] kvrace::result search_for_violations(const scenario&, kvrace::search_observer* observer,
                                                   traffic_account* account = nullptr, unsigned jobs = 1,
                                                   const continuation& resumed = {}, traffic_router* router = nullptr);

// One run, along `schedule`.
[[nodiscard]] kvrace::result follow(const scenario&, const kvrace::schedule& schedule);

}  // namespace kvrace::scenarios
