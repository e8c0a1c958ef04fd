// Round robin and the portfolio: whose turn it is.
#include <algorithm>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;

namespace {

// The order in which three tasks of four steps carry them out, of each run.
std::vector<std::string> orders(const kvrace::strategy_choice& strategy, std::uint64_t runs, std::uint64_t seed = 1) {
  std::vector<std::string> all;
  const kvrace::result found = kvrace::check({.strategy = strategy, .seed = seed, .runs = runs}, [&](kvrace::run& run) {
    atomic<int> step(0);
    std::string order;
    for (const char name : {'a', 'b', 'c'})
      run.spawn(std::string(1, name), [&step, &order, name] {
        for (int i = 0; i < 4; ++i) {
          step.fetch_add(1);
          order += name;
        }
      });
    run.join_all();
    all.push_back(order);
  });
  INFO(found);
  REQUIRE(found.passed());
  if (runs > 1) all.pop_back();  // the first run, repeated
  return all;
}

}  // namespace

TEST_CASE("round robin gives every task its quantum in turn, and starts elsewhere from run to run") {
  CHECK(orders(kvrace::round_robin(1), 3) == std::vector<std::string>{"abcabcabcabc", "bcabcabcabca", "cabcabcabcab"});
  // Starting takes one decision of the first turn.
  CHECK(orders(kvrace::round_robin(5), 1) == std::vector<std::string>{"aaaabbbbcccc"});
  std::vector<std::string> all = orders(kvrace::round_robin(2), 12);
  std::sort(all.begin(), all.end());
  CHECK(std::unique(all.begin(), all.end()) - all.begin() == 6);
}

TEST_CASE("round robin passes the turn on where a task yields or blocks") {
  std::string order;
  const kvrace::result found = kvrace::check({.strategy = kvrace::round_robin(100), .runs = 1}, [&](kvrace::run& run) {
    order.clear();
    atomic<int> step(0);
    const auto act = [&](char what) { step.fetch_add(1), order += what; };
    run.spawn("a", [&] { act('a'), kvrace::yield(), act('a'); });
    run.spawn("b", [&] { act('b'), kvrace::yield(), act('b'); });
    run.spawn("c", [&] { act('c'), act('c'); });
    run.join_all();
  });
  CHECK(found.passed());
  CHECK(order == "abccab");
}

TEST_CASE("a portfolio's runs are those of its members in turn") {
  const auto member = [](unsigned index) -> kvrace::strategy_choice {
    return index == 0 ? kvrace::random_walk() : index == 1 ? kvrace::pct({.depth = 3, .decisions_max = 12}) : kvrace::pos();
  };
  const std::vector<std::string> mixed = orders(kvrace::portfolio({member(0), member(1), member(2)}), 30);
  for (unsigned index = 0; index < 3; ++index) {
    const std::vector<std::string> alone = orders(member(index), 10, 1 + index);
    for (std::size_t run = 0; run < 10; ++run) CHECK(mixed[run * 3 + index] == alone[run]);
  }
}

TEST_CASE("a quantum of 0 and an empty portfolio are refused") {
  CHECK_THROWS_WITH(kvrace::round_robin(0), "round_robin: the quantum must be at least 1");
  CHECK_THROWS_WITH(kvrace::portfolio(std::vector<kvrace::strategy_choice>{}), "portfolio: expected at least one strategy");
}
