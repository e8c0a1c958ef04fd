// A Treiber stack with epoch-based reclamation in its smallest form: pinned tasks announce the epoch they read, what is popped is
// retired with the epoch of its removal, and whoever finds nobody pinned in an older epoch raises it. Freeing is a write to the
// node, so that a use after it is a data race.
#pragma once

#include <array>
#include <cstddef>

#include <kvrace/kvrace.h>

namespace kvrace::bench {

class epoch_stack {
 public:
  struct node {
    var<bool> freed{false};
    var<node*> next{nullptr};
  };

  void push(node& pushed) {
    node* top = head_.load(std::memory_order_relaxed);
    do pushed.next = top;
    while (!head_.compare_exchange_strong(top, &pushed, std::memory_order_release, std::memory_order_relaxed));
  }
  // True if the node that was popped had not been freed.
  bool pop(std::size_t task) {
    bool intact = true;
    pin(task);
    node* top = head_.load(std::memory_order_acquire);
    while (top != nullptr && intact) {
      intact = !top->freed;
      node* const next = top->next;
      if (!head_.compare_exchange_strong(top, next, std::memory_order_acquire, std::memory_order_acquire)) continue;
      retire(task, top);
      break;
    }
    announced_[task].store(0, std::memory_order_release);
    return intact;
  }
  // Raises the epoch if it can, and frees what the task retired two epochs ago.
  void collect(std::size_t task) {
    const int now = epoch_.load(std::memory_order_relaxed);
    kvrace::atomic_thread_fence(std::memory_order_seq_cst);
    for (const auto& announced : announced_) {
      const int seen = announced.load(std::memory_order_relaxed);
      if (seen % 2 == 1 && seen / 2 != now) return;
    }
    kvrace::atomic_thread_fence(std::memory_order_acquire);
    epoch_.store(now + 1, std::memory_order_release);
    retired_list& list = retired_[task];
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list.size; ++i) {
      if (now + 1 - list.all[i].epoch >= 2)
        list.all[i].what->freed = true;
      else
        list.all[kept++] = list.all[i];
    }
    list.size = kept;
  }

 private:
  static constexpr std::size_t tasks = 2;
  struct retired {
    node* what;
    int epoch;
  };
  struct retired_list {
    std::array<retired, 4> all{};
    std::size_t size = 0;
  };

  void pin(std::size_t task) {
    announced_[task].store(epoch_.load(std::memory_order_relaxed) * 2 + 1, std::memory_order_relaxed);
    kvrace::atomic_thread_fence(std::memory_order_seq_cst);
  }
  void retire(std::size_t task, node* what) {
    kvrace::atomic_thread_fence(std::memory_order_seq_cst);
    retired_list& list = retired_[task];
    list.all[list.size++] = {what, epoch_.load(std::memory_order_relaxed)};
  }

  atomic<node*> head_{nullptr};
  atomic<int> epoch_{0};
  std::array<atomic<int>, tasks> announced_{};
  std::array<retired_list, tasks> retired_{};
};

}  // namespace kvrace::bench
