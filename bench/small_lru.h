#pragma once

#include <kvrace/kvrace.h>

// A small LRU cache of fixed capacity whose every field is race-checked.
class small_lru {
 public:
  small_lru() {
    for (node& each : nodes_) each.key.store(-1);
  }
  int get(int key) {
    const kvrace::lock_guard guard(mutex_);
    const int at = find(key);
    if (at < 0) return -1;
    touch(at);
    return nodes_[at].value.load();
  }
  void put(int key, int value) {
    const kvrace::lock_guard guard(mutex_);
    int at = find(key);
    if (at < 0) {
      at = oldest();
      nodes_[at].key.store(key);
    }
    nodes_[at].value.store(value);
    touch(at);
  }

 private:
  struct node {
    kvrace::var<int> key;
    kvrace::var<int> value;
    kvrace::var<int> used;
  };
  static constexpr int capacity = 2;

  int find(int key) const {
    for (int i = 0; i < capacity; ++i)
      if (nodes_[i].key.load() == key) return i;
    return -1;
  }
  int oldest() const {
    int at = 0;
    for (int i = 1; i < capacity; ++i)
      if (nodes_[i].used.load() < nodes_[at].used.load()) at = i;
    return at;
  }
  void touch(int at) {
    clock_.store(clock_.load() + 1);
    nodes_[at].used.store(clock_.load());
  }

  kvrace::mutex mutex_;
  kvrace::var<int> clock_;
  node nodes_[capacity];
};
