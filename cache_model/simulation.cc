#include <kvrace/cache/simulation.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <kvrace/sync.h>

#include "cache_model/compression/stage.h"
#include "cache_model/describe.h"
#include "cache_model/histories.h"
#include "cache_model/locking/controlled.h"
#include "cache_model/oracle.h"
#include "cache_model/parameters.h"
#include "cache_model/parts/eviction_notes.h"
#include "cache_model/parts/parts.h"
#include "cache_model/rows_in_cache.h"
#include "cache_model/tally.h"

namespace kvrace::cache {

namespace {

class simulated final : public simulation {
 public:
  simulated(run& run, const simulation_options& options)
      : run_(run),
        name_(options.name.begin(), options.name.end()),
        tokens_per_block_(options.configuration.tokens_per_block),
        oracle_(run, options),
        parameters_(parameters_of(options, &oracle_)),
        cache_(make_cache(options.configuration)),
        rows_(*cache_, oracle_, tokens_per_block_, options.keeps_text),
        parts_(make_parts(run, options.parts, options.configuration.capacity_blocks, parameters_.seams, oracle_)),
        audit_interval_(options.configuration.capacity_blocks / 8) {
    // The audit outlives this object: the engine keeps it to the end of the run.
    watcher_ = allocator<simulated*>().allocate(1);
    *watcher_ = this;
    const compression_options& compression = options.configuration.compression;
    if (compression.buffers != 0) compression_.emplace(compression, tokens_per_block_, *parameters_.seams.compression, oracle_);
    if (options.linearizability) {
      const bool one_mutex = options.configuration.locking == "mutex";
      histories_.emplace(run, options.configuration.capacity_blocks, tokens_per_block_, one_mutex);
      oracle_.tell(*histories_);
    }
    run.at_quiescence([watcher = watcher_] {
      if (*watcher != nullptr) (*watcher)->quiescent();
    });
  }
  simulated(const simulated&) = delete;
  simulated& operator=(const simulated&) = delete;
  ~simulated() override { *watcher_ = nullptr; }  // the requests are the run's memory, and nothing else
  static void* operator new(std::size_t) { return allocator<simulated>().allocate(1); }
  static void operator delete(void* object) noexcept { allocator<simulated>().deallocate(static_cast<simulated*>(object), 1); }

  std::size_t lookup(const prompt& prompt) override { return *look_up(prompt, nullptr); }
  std::optional<std::size_t> lookup_by(passage& passage, const prompt& prompt) override { return look_up(prompt, &passage); }

  void expect_match(const prompt& prompt, std::size_t expected_tokens) override {
    operation operation([&] { return "expect_match(" + describe(prompt) + "; " + std::to_string(expected_tokens) + ")"; });
    const std::size_t matched =
        *look_up(prompt, nullptr, [&](std::size_t tokens) { oracle_.contract(prompt, expected_tokens, tokens); });
    operation.returns([&] { return std::to_string(matched) + " tokens"; });
  }

  std::size_t serve(const prompt& prompt, cancel_point cancel, const service_times& times) override {
    return *serve(nullptr, prompt, cancel, times);
  }
  std::optional<std::size_t> serve_by(passage& passage, const prompt& prompt, cancel_point cancel,
                                      const service_times& times) override {
    return serve(&passage, prompt, cancel, times);
  }

  void invalidate() override {
    operation operation([&] { return call_name("invalidate") + "()"; });
    std::uint32_t version = 0;
    change([&] { version = cache_->invalidate(); });
    oracle_.invalidated(version);
    operation.returns([&] { return "version " + std::to_string(version); });
  }

  std::size_t promise(const prompt& prompt) override {
    operation operation([&] { return "promise(" + describe(prompt) + ")"; });
    promise_made& mine = promises_[run::task()];
    judged_request& request = begin(mine.request, prompt);
    mine.tokens = tokens_per_block_ * acquire(request, {.blocks_max = request.slots.size()});
    count_query(run_, prompt);
    if (mine.tokens != 0) {
      if (parameters_.seams.promise->pins_promised())
        ++requests_waiting_;
      else
        cache_->release(request);
    }
    operation.returns([&] { return std::to_string(mine.tokens) + " tokens"; });
    return mine.tokens;
  }

  std::size_t retrieve() override {
    operation operation([] { return std::string("retrieve()"); });
    sync::yield();  // others go on between a promise and its retrieval
    promise_made& mine = promises_[run::task()];
    const std::size_t promised = std::exchange(mine.tokens, 0);
    std::size_t delivered = 0;
    if (promised != 0) {
      const bool pinned = parameters_.seams.promise->pins_promised();
      judged_request& request = pinned ? *mine.request : begin(mine.request, *mine.request->prompt);
      if (!pinned) (void)acquire(request, {.blocks_max = promised / tokens_per_block_});
      delivered = tokens_per_block_ * oracle_.deliverable(request);
      oracle_.delivers(request, promised, delivered);
      rows_.read(request);
      cache_->release(request);
      if (pinned) --requests_waiting_;
      add(metric::tokens_hit, delivered);
      complete(run_, request);
    }
    operation.returns([&] { return std::to_string(delivered) + " tokens"; });
    return delivered;
  }

  void follow_evictions(std::uint32_t count) override {
    for (; count > 0; --count) {
      operation operation([] { return std::string("follow_eviction()"); });
      bool cached = false;
      evictions_->feed().follow([&](const evicted_content& what) {
        judged_request& request = begin(*what.prompt);
        cached = acquire(request, {.blocks_max = std::size_t{what.slot} + 1}) > what.slot;
        cache_->release(request);
      });
      operation.returns([&] { return std::string(cached ? "cached again" : "gone"); });
    }
  }

  cache::parts& parts() override { return *parts_; }

  request_outcome outcome() const override {
    const judged_request& request = *requests_[run::task()];
    return {.polluted = request.polluted,
            .stale = request.stale,
            .starved = request.starved,
            .broke_isolation = request.broke_isolation};
  }

  text_read text() const override {
    const judged_request& request = *requests_[run::task()];
    if (request.read.size() == 0) return {};
    return {.meant = {request.digests.data(), request.digests.size()}, .read = {request.read.data(), request.read.size()}};
  }

  std::optional<audit_counts> audit() override {
    if (!run::is_quiescent()) return std::nullopt;
    const bookkeeping scope;
    return count(oracle_.audit(*cache_, requests_waiting_ != 0));
  }

  audit_counts finish() override {
    if (parts_) parts_->finish();
    return count(oracle_.audit(*cache_));
  }

 private:
  using slot_type = judged_request::slot;
  using kept_text = std::basic_string<char, std::char_traits<char>, kvrace::allocator<char>>;
  struct promise_made {
    judged_request* request = nullptr;
    std::size_t tokens = 0;
  };

  // "serve", or "candidate: serve".
  [[nodiscard]] std::string call_name(const char* call) const { return name_.empty() ? call : std::string(name_) + ": " + call; }

  void add(metric which, std::uint64_t amount) { run_.add(static_cast<std::size_t>(which), amount); }

  const audit_counts& count(const audit_counts& counts) {
    add(metric::blocks_audited, counts.blocks);
    add(metric::blocks_ghost, counts.ghosts);
    return counts;
  }

  // With a feed of evictions, if it is asked for.
  std::unique_ptr<prefix_cache<sync>> make_cache(const configuration& asked) {
    if (asked.eviction_feed != 0) {
      evictions_.emplace(asked.capacity_blocks, asked.eviction_feed, *parameters_.seams.notification);
      parameters_.evictions = &*evictions_;
    }
    return make_controlled_cache(asked.locking, parameters_);
  }

  judged_request& begin(const prompt& prompt, const passage* by = nullptr) {
    judged_request& request = begin(requests_[run::task()], prompt);
    request.rollbacks_before = by == nullptr ? 0 : by->rollbacks_before;
    return request;
  }
  judged_request& begin(judged_request*& request, const prompt& prompt) {
    if (request == nullptr) request = std::construct_at(allocator<judged_request>().allocate(1));
    request->begin(*parameters_.seams.key, prompt, tokens_per_block_);
    if (parameters_.seams.key == full_key_policy_ && !prompt.meant) {
      request->full_keys = &request->keys;
    } else {
      request->own_full_keys.assign(*full_key_policy_, meaning_of(prompt), tokens_per_block_);
      request->full_keys = &request->own_full_keys;
    }
    oracle_.begins(*request, prompt);
    return *request;
  }

  std::size_t acquire(judged_request& request, const acquire_options& options) {
    const auto call = [&] { return cache_->acquire(request, options); };
    return histories_ ? histories_->acquire(request, options.blocks_max, call) : call();
  }
  template <class Call>
  void change(Call call) {
    if (histories_)
      histories_->change(call);
    else
      call();
  }

  // Of a request that is served. Returns the tokens from the cache; nullopt if it has given everything back and goes elsewhere.
  std::optional<std::size_t> acquire(judged_request& request, cancel_point cancel, passage* by) {
    const std::size_t tokens = request.prompt->tokens.size();
    const std::size_t reusable = tokens == 0 ? 0 : (tokens - 1) / tokens_per_block_;
    const std::uint64_t began = run::step();
    const std::size_t hits =
        tokens_per_block_ * acquire(request, {.blocks_max = reusable, .reserve = cancel != cancel_point::after_lookup});
    if (by != nullptr && !by->holds()) {
      cache_->release(request);
      return std::nullopt;
    }
    count_query(run_, *request.prompt);
    add(metric::tokens_hit, hits);
    if (request.starved) {
      add(metric::requests_starved, 1);
      oracle_.starved(request, began);
    }
    return hits;
  }

  void fill_and_publish(judged_request& request, cancel_point cancel) {
    const bool publishes_first = cancel == cancel_point::none            ? !parameters_.seams.publish->awaits_fill()
                                 : cancel == cancel_point::after_reserve ? !parameters_.seams.publish->gives_up_unfilled()
                                                                         : false;
    if (publishes_first) [[unlikely]]
      publish_unfilled(request);
    if (cancel == cancel_point::none || cancel == cancel_point::after_fill) {
      rows_.fill(request, evictions_ ? &*evictions_ : nullptr);
      if (compression_) compression_->compress(request);
    }
    if (cancel == cancel_point::none && !publishes_first && reserved_any(request)) change([&] { cache_->publish(request); });
  }

  // Flawed.
  void publish_unfilled(judged_request& request) {
    for (slot_type& slot : request.slots) slot.filled |= slot.what == slot_type::kind::reserved;
    change([&] { cache_->publish(request); });
  }

  void read_and_release(judged_request& request, cancel_point cancel) {
    if (cancel == cancel_point::none && !parameters_.seams.reference->given_back_after_reading()) [[unlikely]]
      return release_and_read(request);
    if (cancel == cancel_point::none) {
      rows_.read(request);
      if (compression_) compression_->decode(request, rows_.keeps_text());
    }
    if (compression_) compression_->give_back();
    cache_->release(request);
    if (cancel == cancel_point::none)
      complete(run_, request);
    else
      add(metric::requests_cancelled, 1);
  }
  // Flawed. What is read is known to the oracle; the access itself, a race beside the point, is left out.
  void release_and_read(judged_request& request) {
    std::vector<slot_type, kvrace::allocator<slot_type>> slots(request.slots.begin(), request.slots.end());
    cache_->release(request);
    sync::yield();  // others go on before it reads
    for (slot_type& slot : slots) slot.held = false;
    std::copy(slots.begin(), slots.end(), request.slots.begin());
    rows_.read(request);
    request.slots.assign(slots.size(), slot_type{});
    complete(run_, request);
  }

  std::optional<std::size_t> serve(passage* by, const prompt& prompt, cancel_point cancel, const service_times& times) {
    if (!times.none()) return serve_in_time(by, prompt, cancel, times);
    operation operation([&] { return call_name("serve(") + describe(prompt) + ")"; });
    judged_request& request = begin(prompt, by);
    const std::optional<std::size_t> hits = acquire(request, cancel, by);
    if (!hits) {
      operation.returns(overtaken);
      return std::nullopt;
    }
    fill_and_publish(request, cancel);
    read_and_release(request, cancel);
    operation.returns([&] {
      return cancel == cancel_point::none ? std::to_string(*hits) + " tokens from the cache" : std::string("cancelled");
    });
    return hits;
  }
  static std::string overtaken() { return "goes elsewhere"; }

  std::optional<std::size_t> serve_in_time(passage* by, const prompt& prompt, cancel_point cancel, const service_times& times) {
    judged_request* request = nullptr;
    std::size_t hits = 0;
    {
      operation operation([&] { return call_name("serve: reserve(") + describe(prompt) + ")"; });
      request = &begin(prompt, by);
      const std::optional<std::size_t> taken = acquire(*request, cancel, by);
      if (!taken) {
        operation.returns(overtaken);
        return std::nullopt;
      }
      hits = *taken;
      operation.returns([&] { return std::to_string(hits) + " tokens from the cache"; });
      ++requests_waiting_;
    }
    if (cancel != cancel_point::after_lookup) {
      const auto prefill =
          times.prefill_per_token * static_cast<std::int64_t>(prompt.tokens.size() - hits) + times.prefill_correction;
      wait(cancel == cancel_point::after_reserve ? prefill / 2 : prefill, times.tick);
      if (cancel != cancel_point::after_reserve) {
        const operation operation([&] { return call_name("serve: publish(") + describe(prompt) + ")"; });
        fill_and_publish(*request, cancel);
      }
    }
    if (cancel == cancel_point::none) wait(times.decode, times.tick);
    operation operation([&] { return call_name("serve: release(") + describe(prompt) + ")"; });
    read_and_release(*request, cancel);
    --requests_waiting_;  // its references are gone: a call that has not taken a step counts as not begun
    operation.returns([&] { return std::string(cancel == cancel_point::none ? "" : "cancelled"); });
    return hits;
  }

  static void wait(std::chrono::nanoseconds duration, std::chrono::nanoseconds tick) {
    if (tick.count() != 0) {
      const std::int64_t end = (run::now() + duration).count();
      duration += std::chrono::nanoseconds((tick.count() - end % tick.count()) % tick.count());
    }
    if (duration.count() != 0) sync::sleep_for(duration);
  }

  std::optional<std::size_t> look_up(const prompt& prompt, passage* by) {
    operation operation([&] { return call_name("lookup(") + describe(prompt) + ")"; });
    const std::optional<std::size_t> matched = look_up(prompt, by, [](std::size_t) {});
    operation.returns([&] { return matched ? std::to_string(*matched) + " tokens" : overtaken(); });
    return matched;
  }

  template <class Matched>
  std::optional<std::size_t> look_up(const prompt& prompt, passage* by, Matched matched) {
    judged_request& request = begin(prompt, by);
    const std::size_t tokens = tokens_per_block_ * acquire(request, {.blocks_max = request.slots.size()});
    if (by != nullptr && !by->holds()) {
      cache_->release(request);
      return std::nullopt;
    }
    count_query(run_, prompt);
    add(metric::tokens_hit, tokens);
    matched(tokens);
    if (tokens != 0) {
      rows_.read(request);
      cache_->release(request);
    }
    complete(run_, request);
    return tokens;
  }

  static bool reserved_any(const judged_request& request) {
    for (const slot_type& each : request.slots)
      if (each.what == slot_type::kind::reserved) return true;
    return false;
  }

  // An audit costs as much as the pool is large, so a large pool is not audited at every quiescent point.
  void quiescent() {
    if (!oracle_.judges_anything()) return;
    if (parts_ && !oracle_.failed()) parts_->audit();
    const std::uint64_t interval = requests_waiting_ == 0 ? audit_interval_ : audit_interval_ * 4;  // a request has more of them
    if (oracle_.failed() || ++quiescent_points_ < interval) return;
    quiescent_points_ = 0;
    oracle_.audit(*cache_, requests_waiting_ != 0);
  }

  run& run_;
  kept_text name_;
  std::uint32_t tokens_per_block_;
  cache_oracle oracle_;
  cache_parameters parameters_;
  const key_policy* full_key_policy_ = seams().key;
  std::optional<eviction_notes> evictions_;
  std::unique_ptr<prefix_cache<sync>> cache_;
  rows_in_cache rows_;
  std::unique_ptr<cache::parts> parts_;
  std::optional<block_histories> histories_;
  std::optional<compression_stage> compression_;
  std::array<judged_request*, tasks_max + 1> requests_{};  // by task; 0 is the body
  std::array<promise_made, tasks_max + 1> promises_{};  // the same
  std::uint64_t requests_waiting_ = 0;  // between two of their operations
  std::uint64_t quiescent_points_ = 0;
  std::uint64_t audit_interval_;
  simulated** watcher_ = nullptr;
};

}  // namespace

std::unique_ptr<simulation> make_simulation(run& run, const simulation_options& options) {
  return std::unique_ptr<simulation>(new simulated(run, options));
}

}  // namespace kvrace::cache
