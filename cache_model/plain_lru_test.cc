#include <kvrace/cache/plain_lru.h>

#include <algorithm>
#include <deque>

#include <catch2/catch.hpp>

#include "cache_model/test_support.h"

using namespace kvrace::cache;

TEST_CASE("what was used least recently makes room") {
  plain_lru lru(2);
  CHECK_FALSE(lru.touch(1));
  CHECK_FALSE(lru.touch(2));
  CHECK(lru.touch(1));
  CHECK_FALSE(lru.touch(3));
  CHECK(lru.touch(1));
  CHECK_FALSE(lru.touch(2));
  CHECK_FALSE(lru.touch(3));
}

TEST_CASE("without a bound everything stays") {
  plain_lru lru(plain_lru::unbounded);
  for (std::uint32_t name = 0; name < 1'000; ++name) CHECK_FALSE(lru.touch(name * 4'294'967));
  for (std::uint32_t name = 0; name < 1'000; ++name) CHECK(lru.touch(name * 4'294'967));
}

TEST_CASE("a plain LRU hits where a list that is searched does") {
  for (const std::size_t capacity : {1u, 2u, 5u, 17u}) {
    test::random_numbers random(capacity);
    plain_lru lru(capacity);
    std::deque<std::uint32_t> list;
    for (int step = 0; step < 20'000; ++step) {
      const std::uint32_t name = random.below(20);
      const auto found = std::find(list.begin(), list.end(), name);
      const bool hit = found != list.end();
      if (hit) list.erase(found);
      if (list.size() == capacity) list.pop_front();
      list.push_back(name);
      REQUIRE(lru.touch(name) == hit);
    }
  }
}

TEST_CASE("a block whose parent changes is in no chain") {
  chain_check chains;
  CHECK(chains.follows(chain_check::no_parent, 0));
  CHECK(chains.follows(0, 1));
  CHECK(chains.follows(0, 2));
  CHECK(chains.follows(0, 1));
  CHECK_FALSE(chains.follows(2, 1));
  CHECK_FALSE(chains.follows(1, 0));
  CHECK(chains.follows(0, 1));
}
