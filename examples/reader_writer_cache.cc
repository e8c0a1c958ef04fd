// A cache behind a reader-writer lock whose lookups move the entry they hit to the front of the recency list while they hold the
// lock shared with other readers: two lookups splice the list at once.
#include <list>
#include <unordered_map>
#include <utility>

#include "tell.h"

namespace {

template <class Sync, bool Repaired>
class reader_writer_cache {
 public:
  explicit reader_writer_cache(std::size_t capacity) : capacity_(capacity) { Sync::name(recency_access_, "recency list"); }

  void put(int key, int value) {
    const std::lock_guard<typename Sync::shared_mutex> exclusive(mutex_);
    recency_access_.write();
    if (entries_.size() == capacity_ && !entries_.contains(key)) {
      entries_.erase(recency_.back().first);
      recency_.pop_back();
    }
    recency_.emplace_front(key, value);
    entries_[key] = recency_.begin();
  }
  int get(int key) {
    if constexpr (Repaired) {
      const std::lock_guard<typename Sync::shared_mutex> exclusive(mutex_);
      return hit(key);
    } else {
      const std::shared_lock<typename Sync::shared_mutex> shared(mutex_);
      return hit(key);
    }
  }

 private:
  using list = std::list<std::pair<int, int>>;

  int hit(int key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return -1;
    recency_access_.write();
    recency_.splice(recency_.begin(), recency_, found->second);
    return found->second->second;
  }

  std::size_t capacity_;
  typename Sync::shared_mutex mutex_;
  typename Sync::shadow recency_access_;  // stands for the accesses to recency_, which is a list of std
  list recency_;
  std::unordered_map<int, list::iterator> entries_;
};

template <bool Repaired>
void two_lookups(kvrace::run& run) {
  reader_writer_cache<kvrace::sync, Repaired> cache(2);
  cache.put(1, 10);
  cache.put(2, 20);
  for (const int key : {1, 2})
    run.spawn("request", [&cache, &run, key] {
      const int value = cache.get(key);
      run.require(value == key * 10, "a hit is the value that was put");
    });
  run.join_all();
}

}  // namespace

int main() {
  return kvrace::example::tell({.title = "reader_writer_cache",
                                .bug = "the recency list is spliced under a lock that readers share",
                                .repair = "a hit takes the lock exclusively",
                                .flawed = two_lookups<false>,
                                .repaired = two_lookups<true>,
                                .pinned = "0.5:2"});
}
