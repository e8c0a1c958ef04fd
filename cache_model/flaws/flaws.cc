#include "cache_model/flaws/flaws.h"

#include "cache_model/flaws/aba_free_list.h"
#include "cache_model/flaws/bytes_decoded_by_chunk.h"
#include "cache_model/flaws/chain_restarts_at_window.h"
#include "cache_model/flaws/clusters_split_by_chunk.h"
#include "cache_model/flaws/double_decrement.h"
#include "cache_model/flaws/epoch_reclaimed_early.h"
#include "cache_model/flaws/expired_lease_served.h"
#include "cache_model/flaws/fence_without_progress.h"
#include "cache_model/flaws/fill_on_expired_lease.h"
#include "cache_model/flaws/foreign_unpin.h"
#include "cache_model/flaws/freed_while_indexed.h"
#include "cache_model/flaws/hash_without_compare.h"
#include "cache_model/flaws/hit_not_pinned.h"
#include "cache_model/flaws/index_removed_late.h"
#include "cache_model/flaws/input_not_sanitized.h"
#include "cache_model/flaws/leader_without_recheck.h"
#include "cache_model/flaws/list_spliced_under_shared_lock.h"
#include "cache_model/flaws/load_over_invalidation.h"
#include "cache_model/flaws/lock_order_inversion.h"
#include "cache_model/flaws/metadata_second_section.h"
#include "cache_model/flaws/metadata_unlocked.h"
#include "cache_model/flaws/mutations.h"
#include "cache_model/flaws/namespace_omitted.h"
#include "cache_model/flaws/node_reused_after_unlock.h"
#include "cache_model/flaws/orphan_node.h"
#include "cache_model/flaws/partial_tail_shared.h"
#include "cache_model/flaws/pin_without_fence.h"
#include "cache_model/flaws/priority_ignored.h"
#include "cache_model/flaws/promise_not_pinned.h"
#include "cache_model/flaws/relaxed_decrement.h"
#include "cache_model/flaws/reply_left_behind.h"
#include "cache_model/flaws/reserve_unbounded.h"
#include "cache_model/flaws/route_not_rechecked.h"
#include "cache_model/flaws/short_last_block.h"
#include "cache_model/flaws/shorter_length_repair.h"
#include "cache_model/flaws/stale_index.h"
#include "cache_model/flaws/tail_trimmed_by_length.h"
#include "cache_model/flaws/token_revived.h"
#include "cache_model/flaws/unchecked_counter.h"
#include "cache_model/flaws/untagged_fields.h"
#include "cache_model/flaws/version_before_split.h"
#include "cache_model/flaws/wait_under_lock.h"
#include "cache_model/flaws/waiter_removed_early.h"

namespace kvrace::cache {

const std::vector<flaw>& all_flaws() {
  static const std::vector<flaw> all = {
      metadata_second_section::describe(),
      metadata_unlocked::describe(),
      hit_not_pinned::describe(),
      stale_index::describe(),
      index_removed_late::describe(),
      namespace_omitted::describe(),
      shorter_length_repair::describe(),
      untagged_fields::describe(),
      hash_without_compare::describe(),
      load_over_invalidation::describe(),
      expired_lease_served::describe(),
      fill_on_expired_lease::describe(),
      unchecked_counter::describe(),
      node_reused_after_unlock::describe(),
      list_spliced_under_shared_lock::describe(),
      freed_while_indexed::describe(),
      double_decrement::describe(),
      relaxed_decrement::describe(),
      aba_free_list::describe(),
      epoch_reclaimed_early::describe(),
      pin_without_fence::describe(),
      partial_tail_shared::describe(),
      tail_trimmed_by_length::describe(),
      token_revived::describe(),
      foreign_unpin::describe(),
      waiter_removed_early::describe(),
      leader_without_recheck::describe(),
      reply_left_behind::describe(),
      orphan_node::describe(),
      fence_without_progress::describe(),
      wait_under_lock::describe(),
      lock_order_inversion::describe(),
      promise_not_pinned::describe(),
      priority_ignored::describe(),
      reserve_unbounded::describe(),
      short_last_block::describe(),
      chain_restarts_at_window::describe(),
      bytes_decoded_by_chunk::describe(),
      clusters_split_by_chunk::describe(),
      input_not_sanitized::describe(),
      version_before_split::describe(),
      route_not_rechecked::describe(),
  };
  return all;
}

const flaw* find_flaw(std::string_view name) {
  for (const flaw& each : all_flaws())
    if (each.description.name == name) return &each;
  for (const flaw& each : further_mutations())
    if (each.description.name == name) return &each;
  return nullptr;
}

}  // namespace kvrace::cache
