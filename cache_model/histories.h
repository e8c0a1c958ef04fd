// The calls on the blocks of a simulated cache, compared with sequential specifications (oracle "linearizability").
//
// Content: under each full key, a request finds a copy that was published under that key and has neither been evicted nor
// forgotten since, or nothing if there is none: nothing stale, nothing foreign, and a miss is final until the next publication.
// Evictions and invalidations are calls of the history, which makes the specification deterministic but for the choice among
// copies.
//
// Order, where a strategy is one mutex around everything: the block that is taken is exactly the one whose last reference was
// given back first, after those that are not indexed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <kvrace/cache/prefix_cache.h>
#include <kvrace/history.h>

#include "cache_model/fixed_array.h"

namespace kvrace::cache {

struct judged_request;

// The full key of a block, by the digest of its last token.
struct block_key {
  std::uint64_t digest = 0;
  std::string words = {};  // while recording
  void add_to(fingerprint& into) const { into.add(digest); }
  [[nodiscard]] std::string describe() const { return words; }
};

struct block_copy {
  std::uint32_t block = 0;
  std::uint32_t generation = 0;
  friend auto operator<=>(const block_copy&, const block_copy&) = default;
  [[nodiscard]] std::string describe() const;
};

struct content_spec {
  struct find {
    block_key key;
  };
  struct publish {
    block_key key;
    block_copy copy;
  };
  struct drop {  // evicted or forgotten
    block_key key;
    block_copy copy;
  };
  using calls = std::variant<find, publish, drop>;
  static block_key partition(const auto& call) { return call.key; }

  std::vector<block_copy> copies;  // sorted
  std::vector<outcome<std::optional<block_copy>, content_spec>> apply(const find&) const;
  void apply(const publish& call);
  void apply(const drop& call);
  bool operator==(const content_spec&) const = default;
};

struct order_spec {
  struct pin {
    std::uint32_t block;
  };
  struct unpin {
    std::uint32_t block;
    bool indexed;
  };
  struct forget {
    std::uint32_t block;
  };
  struct take {};
  using calls = std::variant<pin, unpin, forget, take>;

  std::vector<std::uint32_t> order = {};       // the next to be taken is the first
  std::vector<std::uint32_t> references = {};  // by block
  void apply(const pin& call);
  void apply(const unpin& call);
  void apply(const forget& call);
  std::optional<std::uint32_t> apply(const take&);
  bool operator==(const order_spec&) const = default;
};

class block_histories {
 public:
  block_histories(run& run, std::uint32_t capacity_blocks, std::uint32_t tokens_per_block, bool one_mutex);

  // Each performs its call on the cache, during which the cache tells its events.
  template <class Call>
  std::size_t acquire(const judged_request& request, std::size_t blocks_max, Call call) {
    auto first = content_.call(content_spec::find{key_of(request, 0)});
    const std::size_t hits = call();
    record_events(first);
    record_finds(request, blocks_max, first);
    return hits;
  }
  template <class Call>
  void change(Call call) {
    auto whole = content_.call(content_spec::find{});
    call();
    record_events(whole);
    whole.withdraw();
  }
  void on_outdated(std::uint32_t version);
  void on_event(const block_event& event);

 private:
  using open_find = history<content_spec>::open_call<content_spec::find>;
  // In the run's memory: this object is not destroyed when the run is cut short.
  struct kept_key {
    std::uint64_t digest = 0;
    std::basic_string<char, std::char_traits<char>, kvrace::allocator<char>> words;
    explicit kept_key(const block_key& key) : digest(key.digest), words(key.words.begin(), key.words.end()) {}
    operator block_key() const { return {.digest = digest, .words = std::string(words)}; }
  };
  struct change_of_content {
    bool published;
    block_copy copy;
    kept_key key;
  };
  using changes = std::vector<change_of_content, kvrace::allocator<change_of_content>>;

  [[nodiscard]] block_key key_of(const judged_request& request, std::size_t slot) const;
  void record_finds(const judged_request& request, std::size_t blocks_max, open_find& first);
  void record_events(open_find& whole);
  void record_order(const block_event& event);

  std::uint32_t tokens_per_block_;
  bool one_mutex_;
  history<content_spec> content_;
  history<order_spec> order_;
  fixed_array<sync, std::optional<kept_key>> published_;  // by block
  fixed_array<sync, std::uint32_t> published_generation_;
  std::uint32_t version_ = 0;  // entries of older ones are outdated
  std::array<changes, tasks_max + 1> changes_;             // by task: told in its present call
};

}  // namespace kvrace::cache
