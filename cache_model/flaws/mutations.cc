#include "cache_model/flaws/mutations.h"

#include <initializer_list>
#include <string_view>

#include <kvrace/cache/prompt.h>

namespace kvrace::cache {

namespace {

struct pinned_after_reserving final : pin_policy {
  bool pins_before_reserving() const override { return false; }
};
struct generation_read_late final : pin_policy {
  void between_find_and_pin(critical_section& section) const override {
    section.leave();
    section.enter();
  }
  bool keeps_generation_found() const override { return false; }
};
struct counted_again_on_retry final : pin_policy {
  bool retries_without_trace() const override { return false; }
};
struct given_back_before_reading final : reference_policy {
  bool given_back_after_reading() const override { return false; }
};
struct references_kept_on_cancel final : reference_policy {
  unsigned times_given_back(bool abandoned) const override { return abandoned ? 0 : 1; }
};
struct decremented_in_two_steps final : reference_policy {
  bool decrements_at_once() const override { return false; }
};
struct removed_by_key final : eviction_policy {
  bool removes_by_instance() const override { return false; }
};
struct published_before_filled final : publish_policy {
  bool awaits_fill() const override { return false; }
};
struct published_on_cancel final : publish_policy {
  bool gives_up_unfilled() const override { return false; }
};
struct drop_unnoticed final : publish_policy {
  bool notices_drop() const override { return false; }
};
struct buffers_shared final : compression_policy {
  bool owns_buffers() const override { return false; }
};
// Every block of a prompt is written with the tokens of the first.
struct one_offset_for_all final : key_policy {
  void encode(const prompt& prompt, std::uint32_t tokens_per_block, std::byte* bytes, key_span* blocks) const override {
    cache::prompt same = prompt;
    for (std::size_t i = tokens_per_block; i < same.tokens.size(); ++i) same.tokens[i] = same.tokens[i % tokens_per_block];
    key_policy::encode(same, tokens_per_block, bytes, blocks);
  }
};

template <class Policy, auto Seam>
flaw mutation(std::string_view name, std::string_view seam, std::string_view summary, std::string_view source,
              std::vector<std::string_view> locking) {
  static const Policy policy;
  return {{.name = name, .seam = seam, .summary = summary, .source = source, .oracle = {}, .locking = std::move(locking)},
          [](seams& seams) { seams.*Seam = &policy; }};
}

}  // namespace

const std::vector<flaw>& further_mutations() {
  static const std::vector<std::string_view> any = {"mutex", "rwlock", "epoch"};
  static const std::vector<std::string_view> locks = {"mutex", "rwlock"};
  static const std::vector<std::string_view> atomics = {"rwlock", "epoch"};
  static const std::vector<flaw> all = {
      mutation<pinned_after_reserving, &seams::pin>(
          "pinned_after_reserving", "pin", "hits are referenced after blocks have been reserved for the rest", "B03", locks),
      mutation<generation_read_late, &seams::pin>(
          "generation_read_late", "pin", "the generation that is to show a reuse is read after it may have happened", "B83", any),
      mutation<counted_again_on_retry, &seams::pin>("counted_again_on_retry", "pin",
                                                    "a failed attempt to count a reference has counted it", "B66", atomics),
      mutation<given_back_before_reading, &seams::reference>(
          "given_back_before_reading", "reference", "references are given back while the reads are still to come", "B18", any),
      mutation<references_kept_on_cancel, &seams::reference>("references_kept_on_cancel", "reference",
                                                             "a request that gives up keeps its references", "B24", any),
      mutation<decremented_in_two_steps, &seams::reference>("decremented_in_two_steps", "reference",
                                                            "a count is decremented by a load and a store", "B68", atomics),
      mutation<removed_by_key, &seams::eviction>("removed_by_key", "eviction",
                                                 "an eviction removes some entry under the key, not the block's own", "B64", any),
      mutation<published_before_filled, &seams::publish>("published_before_filled", "publish",
                                                         "a block is published, then filled", "B51", any),
      mutation<published_on_cancel, &seams::publish>(
          "published_on_cancel", "publish", "a request that gives up publishes what it has reserved, counted as computed", "B05",
          any),
      mutation<drop_unnoticed, &seams::publish>("drop_unnoticed", "publish", "a block that the index refused counts as published",
                                                "B61", any),
      mutation<buffers_shared, &seams::compression>("buffers_shared", "compression", "requests share their buffers", "B08", any),
      mutation<one_offset_for_all, &seams::key>("one_offset_for_all", "key",
                                                "every block's key is written from the offset of the first", "B84", any),
  };
  return all;
}

}  // namespace kvrace::cache
