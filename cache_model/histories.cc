#include "cache_model/histories.h"

#include <algorithm>
#include <numeric>

#include "cache_model/describe.h"
#include "cache_model/oracle.h"

namespace kvrace::cache {

namespace {

const judged_request& judged(const request_base* request) { return static_cast<const judged_request&>(*request); }

order_spec all_free(std::uint32_t blocks) {
  order_spec made{.order = std::vector<std::uint32_t>(blocks), .references = std::vector<std::uint32_t>(blocks)};
  std::iota(made.order.begin(), made.order.end(), 0U);
  return made;
}

}  // namespace

std::string block_copy::describe() const { return block_name(block) + " of generation " + std::to_string(generation); }

std::vector<outcome<std::optional<block_copy>, content_spec>> content_spec::apply(const find&) const {
  std::vector<outcome<std::optional<block_copy>, content_spec>> allowed;
  if (copies.empty()) allowed.push_back({std::nullopt, *this});
  for (const block_copy& each : copies) allowed.push_back({each, *this});
  return allowed;
}
void content_spec::apply(const publish& call) {
  copies.insert(std::lower_bound(copies.begin(), copies.end(), call.copy), call.copy);
}
void content_spec::apply(const drop& call) { std::erase(copies, call.copy); }

void order_spec::apply(const pin& call) {
  if (++references[call.block] == 1) std::erase(order, call.block);
}
void order_spec::apply(const unpin& call) {
  if (references[call.block] == 0 || --references[call.block] != 0) return;
  order.insert(call.indexed ? order.end() : order.begin(), call.block);
}
void order_spec::apply(const forget& call) {
  if (references[call.block] != 0) return;
  std::erase(order, call.block);
  order.insert(order.begin(), call.block);
}
std::optional<std::uint32_t> order_spec::apply(const take&) {
  if (order.empty()) return std::nullopt;
  const std::uint32_t first = order.front();
  order.erase(order.begin());
  references[first] = 1;
  return first;
}

block_histories::block_histories(run& run, std::uint32_t capacity_blocks, std::uint32_t tokens_per_block, bool one_mutex)
    : tokens_per_block_(tokens_per_block),
      one_mutex_(one_mutex),
      content_(run, {}, {.operations = false}),
      order_(run, all_free(capacity_blocks), {.operations = false}),
      published_(capacity_blocks),
      published_generation_(capacity_blocks) {}

block_key block_histories::key_of(const judged_request& request, std::size_t slot) const {
  const std::size_t tokens = (slot + 1) * tokens_per_block_;
  if (tokens > request.digests.size()) return {};
  return {.digest = request.digests[tokens - 1],
          .words = run::recording() ? cache::describe(*request.prompt, tokens) : std::string()};
}

void block_histories::record_finds(const judged_request& request, std::size_t blocks_max, open_find& first) {
  const std::size_t asked = std::min(blocks_max, request.slots.size());
  if (asked == 0) return first.withdraw();
  bool hit = true;
  for (std::size_t slot = 0; slot < asked && hit; ++slot) {
    hit = request.slots[slot].what == judged_request::slot::kind::hit;
    const handle where = request.slots[slot].where;
    const auto found = hit ? std::optional(block_copy{where.block, where.generation}) : std::nullopt;
    if (slot == 0)
      first.returns(found);
    else
      first.alongside(content_spec::find{key_of(request, slot)}).returns(found);
  }
}

void block_histories::record_events(open_find& whole) {
  for (const change_of_content& each : changes_[run::task()]) {
    if (each.published)
      whole.alongside(content_spec::publish{each.key, each.copy}).returns();
    else
      whole.alongside(content_spec::drop{each.key, each.copy}).returns();
  }
  changes_[run::task()].clear();
}

void block_histories::on_event(const block_event& event) {
  if (one_mutex_) record_order(event);
  std::optional<kept_key>& key = published_[event.where.block];
  const block_copy copy{event.where.block, event.where.generation};
  if (event.what == block_event::kind::publish) {
    key.emplace(key_of(judged(event.request), event.slot));
    published_generation_[event.where.block] = event.where.generation;
    changes_[run::task()].push_back({true, copy, *key});
    if (event.version < version_) {
      changes_[run::task()].push_back({false, copy, *key});
      key.reset();
    }
  } else if ((event.what == block_event::kind::evict || event.what == block_event::kind::forget) && key) {
    changes_[run::task()].push_back({false, copy, *key});
    key.reset();
  }
}

// The invalidation drops it all; where the blocks go later says nothing more.
void block_histories::on_outdated(std::uint32_t version) {
  version_ = std::max(version_, version);
  for (std::uint32_t block = 0; block < published_.size(); ++block) {
    std::optional<kept_key>& key = published_[block];
    if (!key) continue;
    changes_[run::task()].push_back({false, {block, published_generation_[block]}, *key});
    key.reset();
  }
}

// Told in the one critical section in which it happens: a point in time.
void block_histories::record_order(const block_event& event) {
  const std::uint32_t block = event.where.block;
  switch (event.what) {
    case block_event::kind::pin: return order_.call(order_spec::pin{block}).returns();
    case block_event::kind::unpin: return order_.call(order_spec::unpin{block, published_[block].has_value()}).returns();
    case block_event::kind::forget: return order_.call(order_spec::forget{block}).returns();
    case block_event::kind::allocate: return order_.call(order_spec::take{}).returns(block);
    default: return;
  }
}

}  // namespace kvrace::cache
