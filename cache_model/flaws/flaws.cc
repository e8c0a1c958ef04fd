#include "cache_model/flaws/flaws.h"

#include "cache_model/flaws/hash_without_compare.h"
#include "cache_model/flaws/hit_not_pinned.h"
#include "cache_model/flaws/index_removed_late.h"
#include "cache_model/flaws/load_over_invalidation.h"
#include "cache_model/flaws/metadata_second_section.h"
#include "cache_model/flaws/metadata_unlocked.h"
#include "cache_model/flaws/namespace_omitted.h"
#include "cache_model/flaws/shorter_length_repair.h"
#include "cache_model/flaws/stale_index.h"
#include "cache_model/flaws/untagged_fields.h"

namespace kvrace::cache {

const std::vector<flaw>& all_flaws() {
  static const std::vector<flaw> all = {
      metadata_second_section::describe(), metadata_unlocked::describe(),
      hit_not_pinned::describe(),          stale_index::describe(),
      index_removed_late::describe(),      namespace_omitted::describe(),
      shorter_length_repair::describe(),   untagged_fields::describe(),
      hash_without_compare::describe(),    load_over_invalidation::describe(),
  };
  return all;
}

const flaw* find_flaw(std::string_view name) {
  for (const flaw& each : all_flaws())
    if (each.description.name == name) return &each;
  return nullptr;
}

}  // namespace kvrace::cache
