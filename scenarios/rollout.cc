#include "scenarios/rollout.h"

#include "scenarios/scenario.h"

namespace kvrace::scenarios {
namespace {

cache::simulation_options one_of(const scenario& from, const cache::configuration& configuration) {
  cache::simulation_options options = from.cache;
  options.configuration = configuration;
  if (!from.traffic) return options;
  options.deferral = from.traffic->times.deferral();
  if (configuration.flaws.empty()) return options;
  for (const cache::oracle_description& each : cache::oracles())
    if (each.name != "rollback") options.oracles_off.emplace_back(each.name);
  return options;
}

}  // namespace

cache::rollout_options caches_of(const scenario& from) {
  cache::rollout_options options{.stable = one_of(from, from.rollout->stable),
                                 .candidate = one_of(from, from.rollout->candidate)};
  options.baseline = from.traffic.has_value();
  if (!from.traffic) options.split.candidate = cache::traffic_split::whole;
  return options;
}

}  // namespace kvrace::scenarios
