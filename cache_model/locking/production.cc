#include <kvrace/cache/production.h>

#include "cache_model/locking/strategies.h"

namespace kvrace::cache {

std::unique_ptr<prefix_cache<std_sync>> make_production_cache(std::string_view locking, const cache_parameters& parameters) {
  return find_locking_strategy<std_sync>(locking)->make(parameters);
}

}  // namespace kvrace::cache
