// What a simulated cache is made of, with its flaws planted.
#pragma once

#include <string>

#include <kvrace/cache/prefix_cache.h>
#include <kvrace/cache/simulation.h>

#include "cache_model/flaws/flaws.h"

namespace kvrace::cache {

inline cache_parameters parameters_of(const simulation_options& options, cache_listener* listener) {
  cache_parameters parameters{.capacity_blocks = options.configuration.capacity_blocks,
                              .tokens_per_block = options.configuration.tokens_per_block,
                              .hash_bits = options.configuration.hash_bits,
                              .reserved_blocks = options.configuration.reserved_blocks,
                              .lease = options.configuration.lease,
                              .seams = {},
                              .listener = listener};
  for (const std::string& name : options.configuration.flaws) find_flaw(name)->plant(parameters.seams);
  parameters.seams.deferral = options.deferral;
  return parameters;
}

}  // namespace kvrace::cache
