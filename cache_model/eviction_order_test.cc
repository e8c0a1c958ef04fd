#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

#include "cache_model/eviction_list.h"
#include "cache_model/eviction_queue.h"
#include "cache_model/test_support.h"

namespace kvrace::cache {
namespace {

std::vector<std::uint32_t> order_of(const eviction_list<std_sync>& list) {
  std::vector<std::uint32_t> blocks;
  list.for_each([&](std::uint32_t id) { blocks.push_back(id); });
  return blocks;
}

constexpr auto any = [](std::uint32_t) { return true; };

TEST_CASE("The eviction list starts with every block, and moves one at a time") {
  eviction_list<std_sync> list(3);
  CHECK(order_of(list) == std::vector<std::uint32_t>{0, 1, 2});
  list.push_back(0);
  CHECK(order_of(list) == std::vector<std::uint32_t>{1, 2, 0});
  list.push_front(0);
  CHECK(order_of(list) == std::vector<std::uint32_t>{0, 1, 2});
  list.remove(1);
  list.remove(1);
  CHECK(order_of(list) == std::vector<std::uint32_t>{0, 2});
  list.push_front(0);
  list.push_back(2);
  CHECK(order_of(list) == std::vector<std::uint32_t>{0, 2});
}

TEST_CASE("The first block that is wanted is found behind those that are not") {
  const eviction_list<std_sync> list(4);
  CHECK(list.first([](std::uint32_t id) { return id >= 2; }) == 2);
  CHECK(list.first([](std::uint32_t id) { return id > 3; }) == no_block);
}

TEST_CASE("The eviction list of no blocks has no front") {
  eviction_list<std_sync> list(1);
  list.remove(0);
  CHECK(list.first(any) == no_block);
  list.push_back(0);
  CHECK(list.first(any) == 0);
}

TEST_CASE("The eviction queue gives the block with the lowest tick, whatever was put and removed before") {
  constexpr std::uint32_t capacity = 7;
  constexpr std::uint64_t absent = ~std::uint64_t{0};
  eviction_queue<std_sync> queue(capacity);
  std::vector<std::uint64_t> ticks(capacity, 0);
  test::random_numbers random(1);
  for (int step = 0; step < 20'000; ++step) {
    const std::uint32_t id = random.below(capacity);
    if (random.below(3) == 0) {
      queue.remove(id);
      ticks[id] = absent;
    } else {
      ticks[id] = random.below(50);
      queue.put(id, ticks[id]);
    }
    const auto lowest = static_cast<std::uint32_t>(std::min_element(ticks.begin(), ticks.end()) - ticks.begin());
    const auto front = queue.front();
    if (ticks[lowest] == absent) {
      REQUIRE(front.block == no_block);
    } else {
      REQUIRE(front.block == lowest);
      REQUIRE(front.tick == ticks[lowest]);
    }
    std::vector<int> places(capacity, 0);
    queue.for_each([&](std::uint32_t block) { ++places[block]; });
    for (std::uint32_t block = 0; block < capacity; ++block) REQUIRE(places[block] == (ticks[block] == absent ? 0 : 1));
  }
}

}  // namespace
}  // namespace kvrace::cache
