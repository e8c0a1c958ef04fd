// The locking strategies by name. A new one is one file beside this and one line in the list.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include <kvrace/cache/configuration.h>
#include <kvrace/cache/prefix_cache.h>

#include "cache_model/locking/epoch.h"
#include "cache_model/locking/mutex.h"
#include "cache_model/locking/rwlock.h"

namespace kvrace::cache {

template <class Sync>
struct locking_strategy {
  locking_description description;
  std::unique_ptr<prefix_cache<Sync>> (*make)(const cache_parameters&);
};

template <class Sync, template <class> class Cache>
locking_strategy<Sync> strategy_of() {
  return {Cache<Sync>::description(), [](const cache_parameters& parameters) -> std::unique_ptr<prefix_cache<Sync>> {
            return std::make_unique<Cache<Sync>>(parameters);
          }};
}

template <class Sync>
const auto& all_locking_strategies() {
  static const std::array all = {
      strategy_of<Sync, mutex_cache>(),
      strategy_of<Sync, rwlock_cache>(),
      strategy_of<Sync, epoch_cache>(),
  };
  return all;
}

template <class Sync>
const locking_strategy<Sync>* find_locking_strategy(std::string_view name) {
  for (const locking_strategy<Sync>& each : all_locking_strategies<Sync>())
    if (each.description.name == name) return &each;
  return nullptr;
}

}  // namespace kvrace::cache
