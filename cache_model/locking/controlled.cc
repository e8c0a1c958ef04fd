#include "cache_model/locking/controlled.h"

#include "cache_model/locking/strategies.h"

namespace kvrace::cache {

std::unique_ptr<prefix_cache<sync>> make_controlled_cache(std::string_view locking, const cache_parameters& parameters) {
  return find_locking_strategy<sync>(locking)->make(parameters);
}

}  // namespace kvrace::cache
