#include "scenarios/trace_hits.h"

#include <memory>
#include <span>

#include <kvrace/cache/production.h>

#include "scenarios/trace_prompt.h"

namespace kvrace::scenarios {
namespace {

class lru_replay {
 public:
  lru_replay(hit_count::policy by, std::uint64_t capacity) : count_{.by = by, .capacity = capacity}, lru_(capacity) {}

  void serve(const trace_request& request, std::uint32_t tokens_per_block) {
    const bool all = count_.by == hit_count::policy::plain_lru_all;
    const std::size_t blocks = all ? request.blocks.size() : request.input_tokens / tokens_per_block;
    bool prefix = true;
    for (const std::uint32_t block : std::span(request.blocks).first(blocks)) {
      const bool hit = lru_.touch(block);
      prefix = prefix && hit;
      count_.hits += hit ? 1 : 0;
      count_.prefix_hits += prefix ? 1 : 0;
    }
    count_.references += blocks;
  }
  [[nodiscard]] const hit_count& count() const { return count_; }

 private:
  hit_count count_;
  cache::plain_lru lru_;
};

// The code under test, over the primitives of std.
class cache_replay {
 public:
  cache_replay(const std::string& locking, std::uint64_t capacity, std::uint32_t tokens_per_block)
      : scale_{.trace_tokens = tokens_per_block, .cache_tokens = tokens_per_block < 2 ? 1U : 2U},
        parameters_{
            .capacity_blocks = static_cast<std::uint32_t>(capacity), .tokens_per_block = scale_.cache_tokens, .seams = {}},
        count_{.by = hit_count::policy::cache, .capacity = capacity},
        cache_(cache::make_production_cache(locking, parameters_)) {
    prompt_.owner.model = "m";
  }

  void serve(const trace_request& request) {
    write_trace_prompt(request.blocks, request.input_tokens, scale_, prompt_.tokens);
    serving_.begin(*parameters_.seams.key, prompt_, scale_.cache_tokens);
    const std::size_t reusable = request.input_tokens == 0 ? 0 : (request.input_tokens - 1) / scale_.trace_tokens;
    const std::size_t hits = cache_->acquire(serving_, {.blocks_max = reusable, .reserve = true});
    for (auto& slot : serving_.slots) slot.filled = slot.what == cache_request::slot::kind::reserved;
    cache_->publish(serving_);
    cache_->release(serving_);
    count_.references += serving_.slots.size();
    count_.hits += hits;
    count_.prefix_hits += hits;
    count_.requests_starved += serving_.starved ? 1 : 0;
  }
  [[nodiscard]] const hit_count& count() const { return count_; }

 private:
  using cache_request = cache::basic_request<std_sync>;

  block_scale scale_;
  cache::cache_parameters parameters_;
  hit_count count_;
  std::unique_ptr<cache::prefix_cache<std_sync>> cache_;
  cache::prompt prompt_;
  cache_request serving_;
};

}  // namespace

trace_answer count_hits(trace_reader& trace, const trace_question& question) {
  std::vector<lru_replay> plain;
  std::vector<std::unique_ptr<cache_replay>> caches;
  for (const std::uint64_t capacity : question.capacities) {
    for (const auto by : {hit_count::policy::plain_lru_all, hit_count::policy::plain_lru_full}) plain.emplace_back(by, capacity);
    if (!question.locking.empty() && capacity != cache::plain_lru::unbounded)
      caches.push_back(std::make_unique<cache_replay>(question.locking, capacity, question.tokens_per_block));
  }
  trace_answer answer;
  cache::chain_check chains;
  trace_request request;
  while (answer.facts.requests < question.requests_max.value_or(~std::uint64_t{0}) && trace.next(request)) {
    answer.facts = trace.facts();
    if (answer.facts.format == trace_format::csv) continue;
    for (lru_replay& each : plain) each.serve(request, question.tokens_per_block);
    for (const std::unique_ptr<cache_replay>& each : caches) each->serve(request);
    std::uint64_t parent = cache::chain_check::no_parent;
    for (const std::uint32_t block : request.blocks) {
      answer.unchained += chains.follows(parent, block) ? 0 : 1;
      parent = block;
    }
  }
  answer.facts = trace.facts();
  if (answer.facts.format == trace_format::csv) return answer;
  for (const lru_replay& each : plain) answer.hits.push_back(each.count());
  for (const std::unique_ptr<cache_replay>& each : caches) answer.hits.push_back(each->count());
  return answer;
}

}  // namespace kvrace::scenarios
