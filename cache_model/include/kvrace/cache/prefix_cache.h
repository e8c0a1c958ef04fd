// The interface behind which every locking strategy stands, and what a request carries through it.
//
// A request goes: acquire, fill what it reserved, publish, read, release. It may be released after any of these steps: what it
// has not published is abandoned. A block is
//   FREE  not indexed, unreferenced;
//   IDLE  indexed, unreferenced, evictable;
//   USED  referenced, indexed or not;
// and the eviction order holds the FREE and the IDLE ones.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <kvrace/cache/audit.h>
#include <kvrace/cache/keys.h>
#include <kvrace/cache/reused_array.h>
#include <kvrace/cache/seams.h>

namespace kvrace::cache {

inline constexpr std::uint32_t no_block = ~0U;

// A block as it was when it was handed out: each new owner of the block gets another generation.
struct handle {
  std::uint32_t block = no_block;
  std::uint32_t generation = 0;
};

// When the lease on a block's content is over; no_end in a cache without leases.
using lease_end = std::chrono::nanoseconds;
inline constexpr lease_end no_end = lease_end::max();

// What a block holds in place of the K and V rows of one token.
struct tag {
  std::uint64_t digest = 0;   // of the token's own full key: identity and all tokens up to it
  std::uint32_t position = 0; // in the writer's prompt
  std::uint32_t request = 0;  // the writer
  std::uint32_t write = 0;    // numbers the fills of a run, from 1; 0: never written
  std::uint32_t version = 0;  // of the cache when the block was reserved
};

// What a listener knows a request by.
struct request_base {
  std::uint32_t id = 0;
};

template <class Sync>
struct epoch_participant;

// One request to one cache. Reused from call to call, so that its vectors keep their memory.
template <class Sync>
struct basic_request : request_base {
  struct slot {
    enum class kind : std::uint8_t { none, hit, reserved };
    handle where;
    kind what = kind::none;
    bool held = false;       // a reference has been counted for it
    bool filled = false;     // set by the owner once the payload is complete
    bool published = false;
    bool entry_denied = false;  // hit: see block_event
    std::uint32_t version = 0;
    lease_end expires = no_end;  // reserved: of the content
  };
  // What an eviction knew of its victim when it chose it.
  struct victim_record {
    std::uint32_t block = no_block;
    bool indexed = false;
    std::uint64_t hash = 0;
    key_bytes<Sync> key;
  };

  key_list<Sync> keys;
  reused_array<slot, typename Sync::template allocator<slot>> slots;  // one a full block of the prompt
  victim_record victim;        // scratch of an eviction
  epoch_participant<Sync>* participant = nullptr;  // scratch of the epoch strategy: the one it has pinned last
  priority_class priority = priority_class::low;
  bool starved = false;  // no block was free or evictable for some of the slots

  basic_request() = default;
  basic_request(const key_policy& policy, const prompt& prompt, std::uint32_t tokens_per_block) {
    begin(policy, prompt, tokens_per_block);
  }
  void begin(const key_policy& policy, const prompt& prompt, std::uint32_t tokens_per_block) {
    keys.assign(policy, prompt, tokens_per_block);
    slots.assign(keys.size(), slot{});
    priority = prompt.priority;
    starved = false;
  }
  // Releasing it now gives up blocks it has reserved.
  [[nodiscard]] bool abandons() const {
    for (const slot& each : slots)
      if (each.what == slot::kind::reserved && !each.published) return true;
    return false;
  }
};

struct acquire_options {
  std::size_t blocks_max = 0;  // at most so many blocks are hits, counted from the start of the prompt
  bool reserve = false;        // take blocks for the slots that are no hits
};

// What happened to a block, told in the critical section in which it happened.
struct block_event {
  enum class kind : std::uint8_t {
    pin,       // a hit was found and its reference counted
    evict,     // the content of the block is given up for `request`
    allocate,  // the block belongs to `request`, for slot `slot`
    publish,   // the block is indexed
    drop,      // the fill was of an older version, or its lease is over: not published
    unpin,     // `request` gave its reference back
    foreign_unpin,  // `request` gave back a reference that another request had taken
    share,     // `request` takes a reference to a block that belongs to another, for slot `slot`, to write into it
    free,      // the last reference to a block that is not indexed has gone
    forget,    // un-indexed by an invalidation
    unbalanced,  // a reference was given back that nobody held
  };
  kind what;
  const request_base* request;  // null for forget
  handle where;
  std::uint32_t slot = 0;       // the request's slot, where there is one
  bool entry_denied = false;    // pin: the block's key or state is not that of the index entry that led to it
  std::uint32_t version = 0;    // publish: of the entry, where on_outdated() is told
};

class cache_listener {
 public:
  virtual void on_event(const block_event&) = 0;
  // From this step on, no request that begins finds an entry of an older version. For strategies that forget them in later steps.
  virtual void on_outdated(std::uint32_t version) = 0;

 protected:
  ~cache_listener() = default;
};

// Who is told of evictions, beside what oracles are told.
class eviction_sink {
 public:
  // In the critical section of the eviction, before the block has another content. Takes no lock.
  virtual void note(const request_base&, handle) = 0;
  // Tells of what was noted for the request. May wait.
  virtual void deliver(const request_base&) = 0;

 protected:
  ~eviction_sink() = default;
};

struct cache_parameters {
  std::uint32_t capacity_blocks = 0;
  std::uint32_t tokens_per_block = 0;
  std::uint32_t hash_bits = 64;
  std::uint32_t reserved_blocks = 0;  // see configuration::reserved_blocks
  std::chrono::nanoseconds lease = {};  // how long content may be served; 0: for ever
  cache::seams seams;
  cache_listener* listener = nullptr;  // null in production
  eviction_sink* evictions = nullptr;  // null: nobody
};

// The leases that a cache gives.
template <class Sync>
class lease_clock {
 public:
  explicit lease_clock(const cache_parameters& parameters)
      : duration_(parameters.lease),
        ends_hits_(parameters.seams.lease->ends_hits()),
        runs_from_reservation_(parameters.seams.lease->runs_from_reservation()) {}
  // Of content that begins to be computed now.
  [[nodiscard]] lease_end begin() const { return duration_.count() == 0 ? no_end : now() + duration_; }
  // Whether a fill may be published; its lease as it is then.
  [[nodiscard]] bool publishes(lease_end& expires) const {
    if (expires == no_end) return true;
    if (!runs_from_reservation_) expires = begin();
    return now() < expires;
  }
  [[nodiscard]] bool serves(lease_end expires) const { return expires == no_end || !ends_hits_ || now() < expires; }

 private:
  static lease_end now() { return Sync::clock::now().time_since_epoch(); }

  std::chrono::nanoseconds duration_;
  bool ends_hits_;
  bool runs_from_reservation_;
};

template <class Sync>
class prefix_cache {
 public:
  using request_type = basic_request<Sync>;

  virtual ~prefix_cache() = default;

  // Finds the longest cached run of the request's blocks and pins it in the same critical section; then, if asked, reserves
  // blocks for the rest, evicting as needed, until one cannot be had. Returns the number of hits.
  virtual std::size_t acquire(request_type&, const acquire_options&) = 0;
  // Indexes the reserved blocks that are filled, unless the cache has been invalidated since they were reserved or their lease is
  // over.
  virtual void publish(request_type&) = 0;
  // Gives all references back, the tail of the prompt first, and leaves the slots empty.
  virtual void release(request_type&) = 0;
  // Nothing indexed or being filled now is found afterwards. Returns the new version.
  virtual std::uint32_t invalidate() = 0;

  // The rows of a block the caller holds a reference to.
  [[nodiscard]] virtual typename Sync::template var<tag>* payload(std::uint32_t block) = 0;

  // How many blocks have been published so far; 0 from a strategy that does not count. No task may be inside a call.
  [[nodiscard]] virtual std::uint64_t published() const { return 0; }

  // Walks every structure. No task may be inside a call; no visible operation is executed.
  virtual void audit(audit_listener&) const = 0;

  // The run's memory, so that a cache whose run is cut short needs no destructor.
  static void* operator new(std::size_t bytes) { return memory().allocate(units(bytes)); }
  static void operator delete(void* object, std::size_t bytes) noexcept {
    memory().deallocate(static_cast<std::max_align_t*>(object), units(bytes));
  }

 private:
  static typename Sync::template allocator<std::max_align_t> memory() { return {}; }
  static constexpr std::size_t units(std::size_t bytes) {
    return (bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t);
  }
};

}  // namespace kvrace::cache
