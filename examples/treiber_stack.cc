// A stack of recycled nodes whose head is a plain index: between a pop's reading of the head and its exchange, others pop two
// nodes and push the first again. The head is the same number, its successor is not, and a node that is in use is on the stack
// (ABA).
#include <array>
#include <cstdint>
#include <optional>

#include "tell.h"

namespace {

template <class Sync, bool Repaired>
class stack {
 public:
  static constexpr std::size_t nodes = 3;
  stack() {
    for (std::uint32_t node = 1; node <= nodes; ++node) push(node);
  }
  void push(std::uint32_t node) {
    std::uint64_t top = head_.load();
    do next_[node].store(index(top));
    while (!head_.compare_exchange_strong(top, with_tag(node, top)));
  }
  std::optional<std::uint32_t> pop() {
    std::uint64_t top = head_.load();
    while (index(top) != 0) {
      const std::uint32_t next = next_[index(top)].load();
      if (head_.compare_exchange_strong(top, with_tag(next, top))) return index(top);
    }
    return std::nullopt;
  }

 private:
  static std::uint32_t index(std::uint64_t head) { return static_cast<std::uint32_t>(head); }
  // The upper half counts changes, so that a head is never the same again.
  static std::uint64_t with_tag(std::uint32_t node, std::uint64_t former) {
    return Repaired ? (((former >> 32U) + 1) << 32U) | node : node;
  }

  typename Sync::template atomic<std::uint64_t> head_{0};
  std::array<typename Sync::template atomic<std::uint32_t>, nodes + 1> next_{};
};

template <bool Repaired>
void two_tasks_take_nodes(kvrace::run& run) {
  stack<kvrace::sync, Repaired> free_nodes;
  std::array<kvrace::atomic<int>, decltype(free_nodes)::nodes + 1> holders{};
  const auto take = [&] {
    const auto node = free_nodes.pop();
    if (node) run.require(holders[*node].fetch_add(1) == 0, "a node is held by one task");
    return node;
  };
  const auto give_back = [&](std::uint32_t node) {
    holders[node].fetch_sub(1);
    free_nodes.push(node);
  };
  run.spawn("slow", [&] { (void)take(); });
  run.spawn("fast", [&] {
    const auto first = take();
    const auto second = take();
    if (first) give_back(*first);
    (void)take();
    (void)take();
    (void)second;
  });
  run.join_all();
}

}  // namespace

int main() {
  return kvrace::example::tell({.title = "treiber_stack",
                                .bug = "a head that has been somewhere else in between is taken for unchanged",
                                .repair = "the head counts its changes",
                                .flawed = two_tasks_take_nodes<false>,
                                .repaired = two_tasks_take_nodes<true>,
                                .pinned = "1.3:2,2.13:1"});
}
