// A read-through cache of single values, as the loading caches of the Java and Rust worlds are: the first who asks for a value
// computes it, the others wait. An update is a read-modify-write that excludes others of its key in the same way.
//
// Values are numbers: a load computes 0, an update adds 1.
#pragma once

#include <cstddef>
#include <cstdint>

#include <kvrace/cache/seams.h>

#include "cache_model/fixed_array.h"

namespace kvrace::cache {

// Told in the critical section in which it happened.
class read_through_listener {
 public:
  virtual void load_begins(std::uint32_t key, std::uint32_t request) = 0;
  virtual void load_ends(std::uint32_t key, std::uint32_t request) = 0;  // the value can be seen from now on
  virtual void update_reads(std::uint32_t key, std::uint32_t request, std::uint64_t value) = 0;
  virtual void update_writes(std::uint32_t key, std::uint32_t request, std::uint64_t value) = 0;

 protected:
  ~read_through_listener() = default;
};

template <class Sync>
class read_through {
 public:
  // `policy` and `listener` outlive it.
  read_through(std::size_t keys, const waiter_policy& policy, read_through_listener& listener)
      : policy_(policy), listener_(listener), entries_(keys) {
    Sync::name(mutex_, "values");
    Sync::name(written_, "written");
  }

  std::uint64_t load(std::uint32_t key, std::uint32_t request) {
    guard lock(mutex_);
    entry& wanted = entries_[key];
    bool looked = false;
    for (;;) {
      wanted.guard.read();
      if (wanted.present && (!looked || policy_.looks_again())) return wanted.value;
      looked = true;
      if (!wanted.being_computed) break;
      written_.wait(lock);
    }
    wanted.guard.write();
    wanted.being_computed = true;
    listener_.load_begins(key, request);
    lock.unlock();
    const std::uint64_t computed = 0;
    lock.lock();
    write(wanted, computed, lock);
    listener_.load_ends(key, request);
    return computed;
  }

  // Returns the new value.
  std::uint64_t update(std::uint32_t key, std::uint32_t request) {
    guard lock(mutex_);
    entry& wanted = entries_[key];
    while (wanted.being_computed) written_.wait(lock);
    wanted.guard.write();
    wanted.being_computed = true;
    const std::uint64_t before = wanted.present ? wanted.value : 0;
    listener_.update_reads(key, request, before);
    lock.unlock();
    const std::uint64_t after = before + 1;
    lock.lock();
    write(wanted, after, lock);
    listener_.update_writes(key, request, after);
    return after;
  }

 private:
  using guard = typename Sync::template unique_lock<typename Sync::mutex>;
  struct entry {
    typename Sync::shadow guard;
    bool present = false;
    bool being_computed = false;
    std::uint64_t value = 0;
  };

  void write(entry& computed, std::uint64_t value, guard& lock) {
    if (!policy_.released_after_write()) {
      release_waiters(computed);
      lock.unlock();
      lock.lock();
    }
    computed.guard.write();
    computed.present = true;
    computed.value = value;
    if (policy_.released_after_write()) release_waiters(computed);
  }
  void release_waiters(entry& computed) {
    computed.guard.write();
    computed.being_computed = false;
    written_.notify_all();
  }

  const waiter_policy& policy_;
  read_through_listener& listener_;
  typename Sync::mutex mutex_;
  typename Sync::condition_variable written_;
  fixed_array<Sync, entry> entries_;
};

}  // namespace kvrace::cache
