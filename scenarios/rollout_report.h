// What the rollouts of a scenario's traffic came to, for its report.
#pragma once

#include <vector>

#include <kvrace/observer.h>

#include "reports/report.h"
#include "reports/rollout.h"
#include "scenarios/rollout_traffic.h"
#include "scenarios/scenario.h"

namespace kvrace::scenarios {

// Adds what would have been served wrong without a canary: in another run of the same traffic, in which the candidate gets all
// requests. Nothing is added if the observer ends that run, or it ends with a finding.
void add_silent_release(const scenario&, std::vector<reports::rollout_facts>&, kvrace::search_observer* observer);

// The scenario's answers, where the search itself came out as expected.
void judge_rollouts(const scenario&, const std::vector<reports::rollout_facts>&, reports::expectation_facts&);

}  // namespace kvrace::scenarios
