// The seams of the cache: the decisions that public bugs got wrong, one policy each. The default of every policy is the
// repaired form; a flaw replaces one of them (flaws/), whatever the locking strategy.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include <kvrace/cache/keys.h>

namespace kvrace::cache {

// The critical section a step of the cache runs in. A repaired policy never touches it.
class critical_section {
 public:
  virtual void leave() = 0;
  virtual void enter() = 0;
  // How often it was left: what was known before may be outdated.
  [[nodiscard]] unsigned times_left() const { return times_left_; }

 protected:
  ~critical_section() = default;
  unsigned times_left_ = 0;
};

// Seam "key": which bytes identify a block, and how far a run of them reaches.
class key_policy {
 public:
  virtual ~key_policy() = default;
  [[nodiscard]] virtual std::size_t bytes_max(const prompt&, std::uint32_t tokens_per_block) const;
  // `bytes` has room for bytes_max(), `blocks` for every full block.
  virtual void encode(const prompt&, std::uint32_t tokens_per_block, std::byte* bytes, key_span* blocks) const;
  // A lookup stops at the first block that is not cached.
  [[nodiscard]] virtual bool run_ends_at_gap() const { return true; }
};

// Seam "match": what makes an index entry a hit.
class match_policy {
 public:
  virtual ~match_policy() = default;
  // The key is compared in full; an equal hash is not enough.
  [[nodiscard]] virtual bool compares_keys() const { return true; }
};

// Seam "tail": what a block is to a request that has only its first tokens in common with it. Repaired: nothing.
class tail_policy {
 public:
  virtual ~tail_policy() = default;
  // It is a hit, said to be shorter; the rows behind the common tokens can be read all the same.
  [[nodiscard]] virtual bool trims_by_length() const { return false; }
  // While somebody holds it, the request writes its own tokens into it behind the common ones.
  [[nodiscard]] virtual bool shares_for_writing() const { return false; }
};

// Seam "pin": when the blocks of a hit are protected from eviction.
class pin_policy {
 public:
  virtual ~pin_policy() = default;
  // Between finding the blocks and counting the reference, in the section that found them.
  virtual void between_find_and_pin(critical_section&) const {}
  // A hit is referenced at all.
  [[nodiscard]] virtual bool counts_reference() const { return true; }
  // All hits are referenced before a block is reserved for the rest.
  [[nodiscard]] virtual bool pins_before_reserving() const { return true; }
  // The generation of a hit is that of when it was found.
  [[nodiscard]] virtual bool keeps_generation_found() const { return true; }
  // Where the count is atomic: an attempt that fails leaves nothing behind.
  [[nodiscard]] virtual bool retries_without_trace() const { return true; }
};

// Seam "recency": how updates of the eviction order stand to the critical section that decided on them.
class recency_policy {
 public:
  enum class update : std::uint8_t { pin, release, eviction };

  virtual ~recency_policy() = default;
  virtual void before_update(update, critical_section&) const {}
  virtual void after_update(update, critical_section&) const {}
  // Where recency is a number, it is an atomic one.
  [[nodiscard]] virtual bool atomic_ticks() const { return true; }
  // Under a shared lock, a hit moves the block within the eviction order at once.
  [[nodiscard]] virtual bool moves_under_shared_lock() const { return false; }
};

// Seam "reference": how a reference is given back. `abandoned`: by a request that gives up blocks it has reserved.
class reference_policy {
 public:
  virtual ~reference_policy() = default;
  // How often it is given back.
  [[nodiscard]] virtual unsigned times_given_back(bool /*abandoned*/) const { return 1; }
  // A count of zero is set to zero again, and the block given up once more. Repaired: nobody gives back what nobody holds.
  [[nodiscard]] virtual bool clamps_at_zero() const { return false; }
  // A request gives back its own references, and not all that were taken lately.
  [[nodiscard]] virtual bool gives_back_own() const { return true; }
  // The index holds a block that was hit until its entry goes.
  [[nodiscard]] virtual bool index_keeps_hold(bool /*abandoned*/) const { return true; }
  // Where the count is atomic: what the holder has read happens before the block's next use.
  [[nodiscard]] virtual std::memory_order decrement_order() const { return std::memory_order_release; }
  // Where the count is atomic: it is decremented in one step.
  [[nodiscard]] virtual bool decrements_at_once() const { return true; }
  // A request reads before it gives its references back.
  [[nodiscard]] virtual bool given_back_after_reading() const { return true; }
};

// Seam "free_list": how the head of a lock-free list of free blocks is told from an earlier one.
class free_list_policy {
 public:
  virtual ~free_list_policy() = default;
  // The head carries a number that every removal raises.
  [[nodiscard]] virtual bool tags_head() const { return true; }
};

// Seam "reclamation": when memory that others may still read is given back.
class reclamation_policy {
 public:
  virtual ~reclamation_policy() = default;
  // Epochs between retiring and destroying.
  [[nodiscard]] virtual std::uint32_t grace_epochs() const { return 2; }
  // A pin is announced, then fenced, before anything is read.
  [[nodiscard]] virtual bool fences_pin() const { return true; }
};

// Seam "eviction": what happens to the index entry of a block that is handed to another request.
class eviction_policy {
 public:
  virtual ~eviction_policy() = default;
  [[nodiscard]] virtual bool removes_index_entry() const { return true; }
  // Of several entries under one key, the one that leads to the block goes.
  [[nodiscard]] virtual bool removes_by_instance() const { return true; }
  // After the block has been taken, before its entry goes.
  virtual void before_index_removal(critical_section&) const {}
};

// Seam "publish": whether a filled block may enter the index.
class publish_policy {
 public:
  virtual ~publish_policy() = default;
  [[nodiscard]] virtual bool publishes(std::uint32_t version_reserved, std::uint32_t version_now) const {
    return version_reserved == version_now;
  }
  // A block is filled before it is published.
  [[nodiscard]] virtual bool awaits_fill() const { return true; }
  // A request that gives up before it has filled its blocks publishes none of them.
  [[nodiscard]] virtual bool gives_up_unfilled() const { return true; }
  // A block that may not enter the index does not count as published.
  [[nodiscard]] virtual bool notices_drop() const { return true; }
};

// Seam "lease": how long the content of a block may be served. Only in a cache that gives leases.
class lease_policy {
 public:
  virtual ~lease_policy() = default;
  // A lookup passes over a block whose lease is over.
  [[nodiscard]] virtual bool ends_hits() const { return true; }
  // The lease runs from when the block was reserved, which is when its content begins to be computed; a fill that takes longer is
  // not published.
  [[nodiscard]] virtual bool runs_from_reservation() const { return true; }
};

// Seam "invalidation": how the content of the whole cache is given up.
class invalidation_policy {
 public:
  virtual ~invalidation_policy() = default;
  // Raising the version, removing the index entries and giving up their blocks is one critical section.
  [[nodiscard]] virtual bool in_one_section() const { return true; }
  // A request that is released puts the index entries of its hits back if the version is still the one they were found under.
  [[nodiscard]] virtual bool hits_revive_entries() const { return false; }
};

// Seam "statistics": where a plain counter is kept up to date.
class statistics_policy {
 public:
  virtual ~statistics_policy() = default;
  // In the critical section of what it counts.
  [[nodiscard]] virtual bool counts_under_lock() const { return true; }
};

// Seam "waiter": how a value that is computed once is computed by one caller while the others wait for it.
class waiter_policy {
 public:
  virtual ~waiter_policy() = default;
  // Those who wait are let go when the value has been written.
  [[nodiscard]] virtual bool released_after_write() const { return true; }
  // Who becomes the one that computes looks again whether the value is there.
  [[nodiscard]] virtual bool looks_again() const { return true; }
};

// Seam "connection": what becomes of a pooled connection whose borrower gives up.
class connection_policy {
 public:
  virtual ~connection_policy() = default;
  // It is closed while an answer is outstanding, so that nobody reads it in place of his own.
  [[nodiscard]] virtual bool closes_unanswered() const { return true; }
};

// Seam "record": how the eviction order follows a map that is ahead of it.
class record_policy {
 public:
  virtual ~record_policy() = default;
  // What has been evicted since is passed over: a record of a write to it, and a node of the order that stands for it.
  [[nodiscard]] virtual bool skips_dead() const { return true; }
};

// Seam "preemption": how many running requests are sent away for another.
class preemption_policy {
 public:
  virtual ~preemption_policy() = default;
  // A block that is parked behind a step of the device counts: it is waited for.
  [[nodiscard]] virtual bool counts_parked() const { return true; }
};

// Seam "notification": what is locked while others are told of evictions, and while they follow them.
class notification_policy {
 public:
  virtual ~notification_policy() = default;
  // Whoever evicts tells of it when it has left the critical section.
  [[nodiscard]] virtual bool tells_after_unlock() const { return true; }
  // Whoever follows an eviction does not hold the lock of the feed meanwhile.
  [[nodiscard]] virtual bool follows_without_lock() const { return true; }
};

// Seam "promise": what a request is told before it comes to retrieve it.
class promise_policy {
 public:
  virtual ~promise_policy() = default;
  // What is promised is referenced until it is retrieved.
  [[nodiscard]] virtual bool pins_promised() const { return true; }
};

// Seam "compression": what is behind the last row in the last block.
class compression_policy {
 public:
  virtual ~compression_policy() = default;
  // Zero rows, so that every block is full. Flawed: whatever the buffer held before.
  [[nodiscard]] virtual bool pads_last_block() const { return true; }
  // A buffer is one request's at a time.
  [[nodiscard]] virtual bool owns_buffers() const { return true; }
};

// Seam "isolation": which blocks a request may take for what it computes, in a cache that reserves a share for high priority.
// Repaired: each class takes its own share's blocks and no others, so that the low one never evicts what the high one has
// computed, and neither can use up the share of the other.
class isolation_policy {
 public:
  virtual ~isolation_policy() = default;
  // `content`: of the class that computed what the block holds; low if it holds nothing.
  [[nodiscard]] virtual bool may_take(priority_class request, bool block_is_reserved, priority_class /*content*/) const {
    return block_is_reserved == (request == priority_class::high);
  }
};

// Seam "input": how a prompt that comes in chunks of bytes is put together.
class input_policy {
 public:
  virtual ~input_policy() = default;
  // A character whose bytes lie in two chunks is decoded from both.
  [[nodiscard]] virtual bool decodes_across_chunks() const { return true; }
  // A grapheme cluster whose code points lie in two chunks is one token.
  [[nodiscard]] virtual bool joins_clusters_across_chunks() const { return true; }
};

// Seam "sanitation": what becomes of text that matches the sanitiser's patterns.
class sanitation_policy {
 public:
  virtual ~sanitation_policy() = default;
  // It is replaced by a space.
  [[nodiscard]] virtual bool replaces() const { return true; }
};

// Seam "rollback": how requests in flight are kept from what a candidate has cached, when it is rolled back.
class rollback_policy {
 public:
  virtual ~rollback_policy() = default;
  // Requests are routed elsewhere before the version of its cache is raised.
  [[nodiscard]] virtual bool closes_split_first() const { return true; }
  // A request that has taken its blocks looks whether it would still be routed there, and goes elsewhere if not.
  [[nodiscard]] virtual bool looks_again() const { return true; }
};

// One policy a seam. The objects outlive the cache.
struct seams {
  const key_policy* key;
  const match_policy* match;
  const tail_policy* tail;
  const pin_policy* pin;
  const recency_policy* recency;
  const eviction_policy* eviction;
  const publish_policy* publish;
  const reference_policy* reference;
  const free_list_policy* free_list;
  const reclamation_policy* reclamation;
  const lease_policy* lease;
  const invalidation_policy* invalidation;
  const statistics_policy* statistics;
  const waiter_policy* waiter;
  const connection_policy* connection;
  const record_policy* record;
  const preemption_policy* preemption;
  const notification_policy* notification;
  const promise_policy* promise;
  const compression_policy* compression;
  const isolation_policy* isolation;
  const input_policy* input;
  const sanitation_policy* sanitation;
  const rollback_policy* rollback;
  // Virtual time for which a flawed policy stays outside of a critical section it has left.
  std::chrono::nanoseconds deferral = {};

  seams();  // all repaired
};

}  // namespace kvrace::cache
