// Evictions on their way to somebody who mirrors the index, such as a router: at most so many are announced and not yet followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include <kvrace/cache/prompt.h>
#include <kvrace/cache/seams.h>

namespace kvrace::cache {

// What was evicted: the content of a block.
struct evicted_content {
  const cache::prompt* prompt = nullptr;  // of the request that had filled the block
  std::uint32_t slot = 0;  // which of its blocks it was
};

template <class Sync>
class eviction_feed {
 public:
  // `policy` outlives it.
  eviction_feed(std::uint32_t in_flight_max, const notification_policy& policy) : policy_(policy), in_flight_max_(in_flight_max) {
    Sync::name(mutex_, "feed");
    Sync::name(announced_, "announced");
    Sync::name(room_, "room");
  }

  // Waits while there is no room.
  void announce(const evicted_content& what) {
    guard lock(mutex_);
    while (in_flight_ == in_flight_max_) room_.wait(lock);
    state_.write();
    ++in_flight_;
    waiting_.push_back(what);
    announced_.notify_one();
  }

  // Waits for an eviction and calls `follow_up` with it. It is in flight until that has returned.
  template <class FollowUp>
  void follow(FollowUp follow_up) {
    guard lock(mutex_);
    while (waiting_.empty()) announced_.wait(lock);
    state_.write();
    const evicted_content next = waiting_.front();
    waiting_.pop_front();
    if (policy_.follows_without_lock()) lock.unlock();
    follow_up(next);
    if (policy_.follows_without_lock()) lock.lock();
    state_.write();
    --in_flight_;
    room_.notify_one();
  }

 private:
  using guard = typename Sync::template unique_lock<typename Sync::mutex>;

  const notification_policy& policy_;
  std::uint32_t in_flight_max_;
  typename Sync::mutex mutex_;
  typename Sync::condition_variable announced_;
  typename Sync::condition_variable room_;
  typename Sync::shadow state_;  // over what follows
  std::uint32_t in_flight_ = 0;
  std::deque<evicted_content, typename Sync::template allocator<evicted_content>> waiting_;
};

}  // namespace kvrace::cache
