// B76, ABA on a lock-free free list.
// A pop reads the head and its successor; others pop both and push the first again. The head is the same, its successor is in
// use, and is given out once more.
#include <array>

#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

template <bool Repaired>
class free_list {
 public:
  void push(int node) {
    int top = head_.load();
    do next_[index(node)].store(top % tag);
    while (!head_.compare_exchange_strong(top, changed(node, top)));
  }
  int pop() {
    int top = head_.load();
    while (top % tag != 0)
      if (const int next = next_[index(top % tag)].load(); head_.compare_exchange_strong(top, changed(next, top)))
        return top % tag;
    return 0;
  }

 private:
  static constexpr int tag = 16;  // above it, how often the head has changed
  static std::size_t index(int node) { return static_cast<std::size_t>(node); }
  static int changed(int node, int former) { return Repaired ? (former / tag + 1) * tag + node : node; }
  atomic<int> head_{0};
  std::array<atomic<int>, 3> next_{};
};

template <bool Repaired>
void body(run& run) {
  free_list<Repaired> list;
  list.push(2);
  list.push(1);
  std::array<atomic<int>, 3> users{};
  const auto take = [&] {
    const int node = list.pop();
    if (node != 0) hold(run, users[static_cast<std::size_t>(node)].fetch_add(1) == 0, "double_free", "two tasks hold one block");
    return node;
  };
  run.spawn("slow", [&] {
    (void)take();
    (void)take();
  });
  run.spawn("fast", [&] {
    const int first = take();
    (void)take();
    if (first == 0) return;
    users[static_cast<std::size_t>(first)].fetch_sub(1);
    list.push(first);
  });
  run.join_all();
}

}  // namespace

const bug b76{.id = "B76",
              .title = "ABA on a lock-free free list",
              .reports = "argobots #178, parsec #21",
              .oracle = "double_free",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
