#include <kvrace/cache/configuration.h>

#include <algorithm>

#include <kvrace/std_sync.h>

#include "cache_model/flaws/flaws.h"
#include "cache_model/locking/strategies.h"

namespace kvrace::cache {

const std::vector<locking_description>& locking_strategies() {
  static const std::vector<locking_description> all = [] {
    std::vector<locking_description> descriptions;
    for (const auto& each : all_locking_strategies<std_sync>()) descriptions.push_back(each.description);
    return descriptions;
  }();
  return all;
}

const std::vector<flaw_description>& flaws() {
  static const std::vector<flaw_description> all = [] {
    std::vector<flaw_description> descriptions;
    for (const flaw& each : all_flaws()) descriptions.push_back(each.description);
    return descriptions;
  }();
  return all;
}

namespace {

template <class Described>
std::string names(const std::vector<Described>& all) {
  std::string result;
  for (const Described& each : all) result += (result.empty() ? "" : ", ") + std::string(each.name);
  return result;
}

std::optional<configuration_error> validate_flaw(const configuration& configuration, std::size_t index) {
  const std::string field = "flaws/" + std::to_string(index);
  const flaw* planted = find_flaw(configuration.flaws[index]);
  if (planted == nullptr) return configuration_error{field, "expected one of " + names(flaws())};
  const flaw_description& description = planted->description;
  if (std::find(description.locking.begin(), description.locking.end(), configuration.locking) == description.locking.end())
    return configuration_error{field, "expected a flaw that makes sense for locking strategy " + configuration.locking};
  for (std::size_t earlier = 0; earlier < index; ++earlier) {
    if (find_flaw(configuration.flaws[earlier])->description.seam == description.seam)
      return configuration_error{field, "expected at most one flaw in seam " + std::string(description.seam) + ", which " +
                                            configuration.flaws[earlier] + " has already"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<configuration_error> validate(const configuration& configuration) {
  if (find_locking_strategy<std_sync>(configuration.locking) == nullptr)
    return configuration_error{"locking", "expected one of " + names(locking_strategies())};
  if (configuration.capacity_blocks < 1) return configuration_error{"capacity_blocks", "expected at least 1"};
  if (configuration.tokens_per_block < 1) return configuration_error{"tokens_per_block", "expected at least 1"};
  if (configuration.reserved_blocks >= configuration.capacity_blocks)
    return configuration_error{"reserved_blocks", "expected fewer than capacity_blocks: the others are for low priority"};
  if (configuration.hash_bits < 1 || configuration.hash_bits > 64) return configuration_error{"hash_bits", "expected 1 to 64"};
  if (configuration.eviction_feed != 0 && configuration.locking == "epoch")
    return configuration_error{"eviction_feed", "expected a locking strategy that evicts in a critical section, mutex or rwlock"};
  if (configuration.input_chunk_bytes < 1) return configuration_error{"input/chunk_bytes", "expected at least 1"};
  if (configuration.compression.head_tile < 1) return configuration_error{"compression/head_tile", "expected at least 1"};
  for (std::size_t index = 0; index < configuration.flaws.size(); ++index) {
    if (std::optional<configuration_error> error = validate_flaw(configuration, index)) return error;
  }
  return std::nullopt;
}

}  // namespace kvrace::cache
