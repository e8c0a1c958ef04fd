// The requests that a device runs together, one block each. Where no block is free for another request, running ones are sent
// away. A block that is given up while a step of the device is in flight is parked until the step has ended: the device may still
// read it.
#pragma once

#include <cstdint>
#include <vector>

#include <kvrace/cache/seams.h>

namespace kvrace::cache {

// Told in the critical section in which it happened.
class batch_listener {
 public:
  virtual void admitted(std::uint32_t request) = 0;
  // `request` was sent away for `other`; its block is free, or parked.
  virtual void preempted(std::uint32_t request, std::uint32_t other, bool parked) = 0;
  virtual void step_begins() = 0;
  virtual void step_ends() = 0;  // what was parked is free

 protected:
  ~batch_listener() = default;
};

template <class Sync>
class preempting_batch {
 public:
  // `policy` and `listener` outlive it.
  preempting_batch(std::uint32_t blocks, const preemption_policy& policy, batch_listener& listener)
      : policy_(policy), listener_(listener), free_(blocks) {
    Sync::name(mutex_, "batch");
    Sync::name(step_ended_, "step ended");
  }

  // Returns when the request has a block and runs.
  void admit(std::uint32_t request) {
    guard lock(mutex_);
    state_.write();
    while (free_ == 0) {
      const bool is_coming = parked_ != 0 && policy_.counts_parked();
      if (is_coming || running_.empty())
        step_ended_.wait(lock);
      else
        preempt_last(request);
      state_.write();
    }
    --free_;
    running_.push_back(request);
    listener_.admitted(request);
  }

  // One step of the device.
  void step() {
    {
      guard lock(mutex_);
      while (in_flight_) step_ended_.wait(lock);
      state_.write();
      in_flight_ = true;
      listener_.step_begins();
    }
    const guard lock(mutex_);
    state_.write();
    in_flight_ = false;
    free_ += parked_;
    parked_ = 0;
    listener_.step_ends();
    step_ended_.notify_all();
  }

 private:
  using guard = typename Sync::template unique_lock<typename Sync::mutex>;

  void preempt_last(std::uint32_t other) {
    const std::uint32_t victim = running_.back();
    running_.pop_back();
    ++(in_flight_ ? parked_ : free_);
    listener_.preempted(victim, other, in_flight_);
  }

  const preemption_policy& policy_;
  batch_listener& listener_;
  typename Sync::mutex mutex_;
  typename Sync::condition_variable step_ended_;
  typename Sync::shadow state_;  // over what follows
  std::uint32_t free_;
  std::uint32_t parked_ = 0;
  bool in_flight_ = false;
  std::vector<std::uint32_t, typename Sync::template allocator<std::uint32_t>> running_;  // requests, in order of admission
};

}  // namespace kvrace::cache
