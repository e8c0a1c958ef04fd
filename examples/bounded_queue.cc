// A bounded queue whose producers and consumers wait in one condition variable and wake one task at a time: the notification
// meant for a consumer may wake a producer, which goes back to sleep and keeps it. All tasks wait for ever.
#include <array>
#include <cstddef>

#include "tell.h"

namespace {

template <class Sync, bool Repaired>
class bounded_queue {
 public:
  bounded_queue() { Sync::name(changed_, "queue changed"); }
  void push(int value) {
    std::unique_lock<typename Sync::mutex> lock(mutex_);
    while (size_ == 1) changed_.wait(lock);
    slots_[(first_ + size_) % slots_.size()] = value;
    ++size_;
    notify();
  }
  int pop() {
    std::unique_lock<typename Sync::mutex> lock(mutex_);
    while (size_ == 0) changed_.wait(lock);
    const int value = slots_[first_ % slots_.size()];
    ++first_;
    --size_;
    notify();
    return value;
  }

 private:
  void notify() { Repaired ? changed_.notify_all() : changed_.notify_one(); }

  typename Sync::mutex mutex_;
  typename Sync::condition_variable changed_;
  std::array<int, 2> slots_{};  // guarded by mutex_, as the two below
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

template <bool Repaired>
void two_producers_and_two_consumers(kvrace::run& run) {
  bounded_queue<kvrace::sync, Repaired> queue;
  int sum = 0;
  kvrace::mutex counting;
  for (int i = 1; i <= 2; ++i) {
    run.spawn("consumer", [&] {
      const int value = queue.pop();
      const kvrace::lock_guard guard(counting);
      sum += value;
    });
    run.spawn("producer", [&, i] { queue.push(i); });
  }
  run.join_all();
  run.require(sum == 3, "what is popped is what was pushed");
}

}  // namespace

int main() {
  return kvrace::example::tell({.title = "bounded_queue",
                                .bug = "one condition variable for two kinds of waiters, woken one at a time",
                                .repair = "wake all of them",
                                .flawed = two_producers_and_two_consumers<false>,
                                .repaired = two_producers_and_two_consumers<true>,
                                .pinned = "1.2:3,3.1:2,1.3:3,2.2=1,2.4:4"});
}
