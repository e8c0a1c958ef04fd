#include "corpus/classics/classics.h"

#include <algorithm>
#include <cstddef>

namespace kvrace::corpus {

namespace {

// One task looks at two values that others set together, but not at once.
template <int Tasks, bool Repaired>
void reorder(run& run) {
  atomic<int> a{0};
  atomic<int> b{0};
  mutex both;
  for (int task = 1; task < Tasks; ++task)
    run.spawn("set", [&] {
      if (Repaired) both.lock();
      a = 1;
      b = -1;
      if (Repaired) both.unlock();
    });
  run.spawn("check", [&] {
    if (Repaired) both.lock();
    const int first = a;
    const int second = b;
    if (Repaired) both.unlock();
    run.require((first == 0 && second == 0) || (first == 1 && second == -1), "half of what was set");
  });
  run.join_all();
}

// The second value follows the first under a lock of its own: in between they do not fit.
template <int Tasks, bool Repaired>
void twostage(run& run) {
  mutex first_lock;
  mutex second_lock;
  atomic<int> first{0};
  atomic<int> second{0};
  for (int task = 1; task < Tasks; ++task)
    run.spawn("write", [&] {
      first_lock.lock();
      first = 1;
      if (!Repaired) first_lock.unlock();
      second_lock.lock();
      second = first + 1;
      second_lock.unlock();
      if (Repaired) first_lock.unlock();
    });
  run.spawn("read", [&] {
    first_lock.lock();
    const int seen = first;
    first_lock.unlock();
    if (seen == 0) return;
    second_lock.lock();
    const int follows = second;
    second_lock.unlock();
    run.require(follows == seen + 1, "the second stage is missing");
  });
  run.join_all();
}

// A pop is tried once something has been pushed; there may be nothing left.
template <bool Repaired>
void stack(run& run) {
  constexpr int size = 10;
  mutex lock;
  atomic<int> top{0};
  atomic<bool> pushed{false};
  run.spawn("push", [&] {
    for (int i = 0; i < size; ++i) {
      const lock_guard guard(lock);
      top.fetch_add(1);
      pushed = true;
    }
  });
  run.spawn("pop", [&] {
    for (int i = 0; i < size; ++i) {
      const lock_guard guard(lock);
      if (!pushed || (Repaired && top == 0)) continue;
      run.require(top.fetch_sub(1) > 0, "a pop from an empty stack");
    }
  });
  run.join_all();
}

// What is checked of the balance once both are done is wrong.
template <bool Repaired>
void account(run& run) {
  constexpr int before = 1;
  constexpr int in = 2;
  constexpr int out = 4;
  mutex lock;
  atomic<int> balance{before};
  atomic<int> done{0};
  run.spawn("check", [&] {
    const lock_guard guard(lock);
    if (done == 2) run.require(balance == (Repaired ? before + in : before - in) - out, "the balance is off");
  });
  for (const int amount : {in, -out})
    run.spawn("book", [&, amount] {
      const lock_guard guard(lock);
      balance.fetch_add(amount);
      done.fetch_add(1);
    });
  run.join_all();
}

// A driver is stopped between the look at its stopping flag and the count of the new request.
template <bool Repaired>
void bluetooth(run& run) {
  atomic<int> pending{1};
  atomic<bool> stopping{false};
  atomic<bool> drained{false};
  atomic<bool> stopped{false};
  const auto leave = [&] {
    if (pending.fetch_sub(1) == 1) drained = true;
  };
  run.spawn("stop", [&] {
    stopping = true;
    leave();
    if (drained) stopped = true;
  });
  run.spawn("add", [&] {
    if (Repaired) pending.fetch_add(1);
    if (stopping) {
      if (Repaired) leave();
      return;
    }
    if (!Repaired) pending.fetch_add(1);
    run.require(!stopped, "a request to a driver that has stopped");
    leave();
  });
  run.join_all();
}

// The same data under two locks.
template <bool Repaired>
void wronglock(run& run) {
  mutex lock;
  mutex other;
  atomic<int> value{0};
  run.spawn("first", [&] {
    const lock_guard guard(lock);
    const int before = value;
    value = value + 1;
    run.require(value == before + 1, "somebody else has changed it");
  });
  for (int task = 0; task < 7; ++task)
    run.spawn("other", [&] {
      const lock_guard guard(Repaired ? lock : other);
      value = value + 1;
    });
  run.join_all();
}

// Three values go around. Whether they are equal at the end depends on the order.
template <bool Repaired>
void token_ring(run& run) {
  std::array<atomic<int>, 3> tokens{atomic<int>(1), atomic<int>(2), atomic<int>(1)};
  mutex lock;
  atomic<int> done{0};
  for (std::size_t i = 0; i < tokens.size(); ++i)
    run.spawn("pass", [&, i] {
      if (Repaired)
        while (done != static_cast<int>(i)) yield();
      const lock_guard guard(lock);
      tokens[i] = i == 0 ? (tokens[2] + 1) % 4 : tokens[i - 1].load();
      done.fetch_add(1);
    });
  run.spawn("check", [&] {
    const lock_guard guard(lock);
    if (done == 3) run.require(tokens[0] == tokens[1] && tokens[1] == tokens[2], "the values differ");
  });
  run.join_all();
}

// The length of a buffer is read in one critical section, its characters in another; in between it has shrunk.
template <bool Repaired>
void stringbuffer(run& run) {
  recursive_mutex lock;
  atomic<int> length{3};
  run.spawn("erase", [&] {
    {
      const lock_guard guard(lock);
      length = 0;
    }
    const lock_guard guard(lock);
    length = 3;
  });
  run.spawn("append", [&] {
    if (Repaired) lock.lock();
    lock.lock();
    const int characters = length;
    lock.unlock();
    lock.lock();
    const int there = length;
    lock.unlock();
    if (Repaired) lock.unlock();
    run.require(characters <= there, "characters behind the end");
  });
  run.join_all();
}

// The owner takes from the tail without a lock unless few items are left. Flawed: it looks at the head before it has lowered the
// tail.
template <bool Repaired>
void work_stealing(run& run) {
  constexpr int items = 3;
  mutex lock;
  atomic<int> head{0};
  atomic<int> tail{items};
  std::array<atomic<int>, items> taken{};
  const auto take = [&](int item) {
    run.require(taken[static_cast<std::size_t>(item)].fetch_add(1) == 0, "an item is taken twice");
  };
  run.spawn("owner", [&] {
    for (int i = 0; i < items; ++i) {
      const int last = tail - 1;
      const int seen_before = Repaired ? 0 : head.load();
      tail = last;
      if ((Repaired ? head.load() : seen_before) <= last) {
        take(last);
        continue;
      }
      tail = last + 1;
      const lock_guard guard(lock);
      if (head > last) return;
      tail = last;
      take(last);
    }
  });
  run.spawn("thief", [&] {
    for (int i = 0; i < items; ++i) {
      const lock_guard guard(lock);
      const int first = head;
      head = first + 1;
      if (first < tail)
        take(first);
      else
        head = first;
    }
  });
  run.join_all();
}

// A lock-free stack whose ABA needs three tasks, each of which takes and gives back twice (posted by D. Vyukov to the CHESS
// forum).
// A task that gets no item gives up after some tries, so that no schedule starves for ever.
void safestack(run& run) {
  constexpr int size = 3;
  struct item {
    atomic<int> value{0};
    atomic<int> next{-1};
  };
  std::array<item, size> items;
  const auto at = [&](int index) -> item& { return items[static_cast<std::size_t>(index)]; };
  for (int i = 0; i + 1 < size; ++i) at(i).next = i + 1;
  atomic<int> head{0};
  atomic<int> count{size};
  const auto pop = [&] {
    for (int tries = 0; tries < 4 && count > 1; ++tries) {
      const int first = head;
      const int next = at(first).next.exchange(-1);
      if (next < 0) continue;
      int expected = first;
      if (head.compare_exchange_strong(expected, next)) {
        count.fetch_sub(1);
        return first;
      }
      at(first).next.exchange(next);
    }
    return -1;
  };
  const auto push = [&](int index) {
    int first = head;
    do at(index).next = first;
    while (!head.compare_exchange_strong(first, index));
    count.fetch_add(1);
  };
  for (int task = 0; task < 3; ++task)
    run.spawn("client", [&, task] {
      for (int i = 0; i < 2; ++i) {
        const int mine = pop();
        if (mine < 0) return;
        at(mine).value = task;
        run.require(at(mine).value == task, "two tasks have one item");
        push(mine);
      }
    });
  run.join_all();
}

}  // namespace

std::span<const classic> classics() {
  static const std::array all{
      classic{"reorder_3", reorder<3, false>, reorder<3, true>, {"7", "185", "86", ""}},
      classic{"reorder_10", reorder<10, false>, reorder<10, true>, {"17", "", "", ""}},
      classic{"twostage_2", twostage<2, false>, twostage<2, true>, {"8", "13", "15", "464"}},
      classic{"twostage_20", twostage<20, false>, twostage<20, true>},
      classic{"stack", stack<false>, stack<true>},
      classic{"account", account<false>, account<true>},
      classic{"bluetooth", bluetooth<false>, bluetooth<true>},
      classic{"wronglock", wronglock<false>, wronglock<true>},
      classic{"token_ring", token_ring<false>, token_ring<true>},
      classic{"stringbuffer", stringbuffer<false>, stringbuffer<true>, {"8", "281", "23", "2,243"}},
      classic{"work_stealing", work_stealing<false>, work_stealing<true>, {"6", "48", "14", ""}},
      classic{"SafeStack", safestack, nullptr},
  };
  return all;
}

}  // namespace kvrace::corpus
