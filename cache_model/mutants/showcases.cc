#include "cache_model/mutants/showcases.h"

#include <string_view>

#include <kvrace/cache/input.h>

namespace kvrace::cache::programs {

namespace {

using namespace std::chrono_literals;

const identity tenant_x = {.model = "m", .adapter = "", .adapter_version = 0, .tenant = "x"};
const identity adapter_x = {.model = "m", .adapter = "x", .adapter_version = 0, .tenant = ""};

// Each letter a window of 4,096 tokens, but for a full stop.
prompt windows(std::string_view letters) {
  std::string text;
  for (const char each : letters) text += std::string(each == '.' ? 1 : 4'096, each);
  return prompt_of(text);
}

}  // namespace

std::vector<showcase> showcases() {
  return {
      {"metadata_second_section", {{lookup("A"), serve("B")}, {serve("C")}}},
      {"metadata_unlocked", {{serve("A"), serve("B")}, {serve("C"), serve("D")}}},
      {"hit_not_pinned", {{serve("A."), lookup("A")}, {serve("C"), serve("D")}}},
      {"stale_index", {{serve("A"), serve("B"), serve("C"), lookup("A")}}},
      {"index_removed_late", {{serve("A"), lookup("A"), lookup("A")}, {serve("C"), serve("D"), serve("E")}}},
      {"namespace_omitted", {{serve(prompt_of("AB", model("m1"))), lookup(prompt_of("AB", model("m2")))}}},
      {"shorter_length_repair", {{serve("AB"), lookup("AC")}}},
      {"untagged_fields", {{serve(prompt_of("AB", tenant_x)), lookup(prompt_of("AB", adapter_x))}}},
      {"hash_without_compare", {{serve("A"), lookup("B")}, {serve("C"), lookup("D")}}, 1},
      {"load_over_invalidation", {{serve("A"), lookup("A")}, {invalidate(), lookup("A")}}},
      {.flaw = "expired_lease_served", .tasks = {{serve("A"), wait(1ms), lookup("A")}, {lookup("A")}}, .lease = 1ms},
      {.flaw = "fill_on_expired_lease", .tasks = {{slow_serve("A", 1ms), lookup("A")}, {lookup("A")}}, .lease = 1ms},
      {"node_reused_after_unlock", {{serve("A"), lookup("A")}, {serve("C"), serve("D")}}},
      {"list_spliced_under_shared_lock", {{serve("A"), lookup("A")}, {lookup("A")}}},
      {"freed_while_indexed", {{serve("A"), serve("AB", cancel_point::after_reserve)}, {lookup("A")}}},
      {"double_decrement", {{serve("A"), serve("AB", cancel_point::after_reserve)}, {lookup("A")}}},
      {"relaxed_decrement", {{serve("A"), lookup("A")}, {serve("B")}}, 64, 1},
      {"aba_free_list",
       {{serve("AB", cancel_point::after_reserve), serve("C")}, {serve("D")}, {serve("E")}},
       64,
       2,
       10'000,
       random_walk(0.1)},
      {"epoch_reclaimed_early", {{serve("A"), lookup("A")}, {serve("B")}}, 64, 1, 10'000},
      {"pin_without_fence", {{serve("A"), lookup("A")}, {serve("B")}}, 64, 1},
      {"foreign_unpin", {{serve("A"), lookup("A")}, {lookup("A"), lookup("A")}}},
      {"token_revived", {{serve("A"), invalidate()}, {invalidate()}, {lookup("A"), lookup("A")}}, 64, 1, 30'000, surw()},
      {"tail_trimmed_by_length", {{serve("AB"), lookup("AC")}}, 64, 2, 1'000, random_walk(0.3), {}, 2},
      {"partial_tail_shared", {{serve("AB")}, {serve("AC")}}, 64, 2, 1'000, random_walk(0.3), {}, 2},
      {.flaw = "waiter_removed_early", .tasks = {{update(0)}, {update(0)}}},
      {.flaw = "leader_without_recheck", .tasks = {{load(0)}, {load(0)}}},
      {.flaw = "reply_left_behind", .tasks = {{fetch(0)}, {fetch(1)}}, .limits = {.faults = {.cancellations = 1}}},
      {.flaw = "orphan_node", .tasks = {{put(0), put(1), put(0)}, {maintain(), maintain()}}, .capacity = 1},
      {.flaw = "fence_without_progress", .tasks = {{admit(), admit(), admit()}, {device_step()}}},
      {.flaw = "wait_under_lock",
       .tasks = {{serve("A"), serve("B"), serve("C")}, {follow_evictions(2)}},
       .capacity = 1,
       .eviction_feed = 1},
      {.flaw = "lock_order_inversion",
       .tasks = {{serve("A"), serve("B"), serve("C")}, {follow_evictions(2)}},
       .capacity = 1,
       .eviction_feed = 2},
      {.flaw = "short_last_block",
       .tasks = {{serve("AB")}, {serve("C")}},
       .tokens_per_block = 2,
       .compression = {.buffers = 1, .block_tokens = 2}},
      {.flaw = "priority_ignored", .tasks = {{serve(high("A"))}, {serve("B"), serve("C")}}, .reserved_blocks = 1},
      {.flaw = "reserve_unbounded", .tasks = {{serve(high("A")), serve(high("B"))}, {serve("C")}}, .reserved_blocks = 1},
      {.flaw = "chain_restarts_at_window",
       .tasks = {{serve(windows("AC.")), serve(windows("B.")), lookup(windows("BC."))}},
       .capacity = 3,
       .tokens_per_block = 4'096},
      {.flaw = "bytes_decoded_by_chunk", .texts = {"\xF0\x9F\x98\x80?", "\xF0\x9F\x98\x8A?"}, .input_chunk_bytes = 3},
      {.flaw = "clusters_split_by_chunk", .texts = {"e\xCC\x81?", "e\xCC\x80?"}, .input_chunk_bytes = 1},
      {.flaw = "input_not_sanitized", .texts = {"###", "a"}},
      {.flaw = "version_before_split", .tasks = {{serve("A.")}, {roll_back(), roll_out(), lookup("A")}}, .rolls_out = true},
      {.flaw = "route_not_rechecked", .tasks = {{serve("A.")}, {roll_back(), roll_out(), lookup("A")}}, .rolls_out = true},
      {.flaw = "promise_not_pinned", .tasks = {{serve("A."), promise("A"), retrieve()}, {serve("B.")}}, .capacity = 1},
      {"pinned_after_reserving", {{serve("AB"), serve("ABC")}}},
      {"generation_read_late", {{serve("A."), lookup("A")}, {serve("C"), serve("D")}}},
      {"counted_again_on_retry", {{serve("A"), lookup("A")}, {lookup("A")}}},
      {.flaw = "given_back_before_reading", .tasks = {{serve("A")}, {serve("B")}}, .capacity = 1},
      {"references_kept_on_cancel", {{serve("A", cancel_point::after_reserve)}, {lookup("A")}}},
      {"decremented_in_two_steps", {{serve("A"), lookup("A")}, {lookup("A")}}},
      {"removed_by_key", {{serve("A"), serve("B")}, {serve("A")}}},
      {"published_before_filled", {{serve("A")}, {lookup("A")}}},
      {"published_on_cancel", {{serve("A", cancel_point::after_reserve)}, {lookup("A")}}},
      {"drop_unnoticed", {{serve("A")}, {invalidate()}}},
      {.flaw = "buffers_shared",
       .tasks = {{serve("AB")}, {serve("C")}},
       .tokens_per_block = 2,
       .compression = {.buffers = 1, .block_tokens = 2}},
      {"one_offset_for_all", {{serve("AB"), lookup("AC")}}},
  };
}
program_under_test program_of(const showcase& show, const std::string& locking, bool flawed) {
  program_under_test program{.configuration = configuration_of(locking, {}, show.capacity, show.tokens_per_block),
                             .tasks = show.tasks};
  program.configuration.hash_bits = show.hash_bits;
  program.configuration.lease = show.lease;
  program.limits = show.limits;
  program.configuration.eviction_feed = show.eviction_feed;
  program.configuration.compression = show.compression;
  program.configuration.reserved_blocks = show.reserved_blocks;
  program.rolls_out = show.rolls_out;
  if (flawed) program.configuration.flaws = {show.flaw};
  program.configuration.input_chunk_bytes = show.input_chunk_bytes;
  input_reader reader(program.configuration);
  for (const std::string& text : show.texts) {
    prompt read{.owner = model("m"), .tokens = {}};
    reader.read(text, read);
    program.tasks.push_back({serve(read), lookup(read)});
  }
  return program;
}

}  // namespace kvrace::cache::programs
