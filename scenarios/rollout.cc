#include "scenarios/rollout.h"

#include "scenarios/scenario.h"

namespace kvrace::scenarios {

cache::rollout_options caches_of(const scenario& from) {
  cache::rollout_options options{.stable = from.cache, .candidate = from.cache};
  options.stable.configuration = from.rollout->stable;
  options.candidate.configuration = from.rollout->candidate;
  options.split.candidate = cache::traffic_split::whole;
  return options;
}

}  // namespace kvrace::scenarios
