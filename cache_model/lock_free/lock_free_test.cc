// The two lock-free structures of the epoch cache on their own.
#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <vector>

#include <kvrace/check.h>
#include <kvrace/sync.h>

#include "cache_model/lock_free/free_list.h"
#include "cache_model/lock_free/index.h"
#include "cache_model/test_support.h"

namespace kvrace::cache {
namespace {

const free_list_policy tagged;
const struct untagged_policy : free_list_policy {
  bool tags_head() const override { return false; }
} untagged;

TEST_CASE("The free list starts with every block, 0 first, and gives back last what came first") {
  free_list<std_sync> list(3, tagged);
  CHECK(list.pop().block == 0);
  CHECK(list.pop().block == 1);
  list.push({0, 5});
  const handle again = list.pop();
  CHECK(again.block == 0);
  CHECK(again.generation == 5);
  CHECK(list.pop().block == 2);
  CHECK(list.pop().block == no_block);
  list.push({1, 1});
  list.push({2, 1});
  std::vector<std::uint32_t> order;
  list.for_each([&](std::uint32_t id) { order.push_back(id); });
  CHECK(order == std::vector<std::uint32_t>{2, 1});
}

TEST_CASE("A free list that was made a cycle is walked to an end") {
  free_list<std_sync> list(2, tagged);
  list.push({0, 1});
  int steps = 0;
  list.for_each([&](std::uint32_t) { ++steps; });
  CHECK(steps == 3);
}

// Each task takes two blocks and gives one back, again and again; a block has one owner at a time.
program takers(const free_list_policy& policy) {
  return [&policy](run& run) {
    free_list<sync> list(3, policy);
    std::vector<int> owners(3, 0);
    for (int task = 0; task < 2; ++task) {
      run.spawn("taker", [&] {
        const auto take = [&] {
          const handle taken = list.pop();
          if (taken.block != no_block) run.require(++owners[taken.block] == 1, "a block has two owners");
          return taken;
        };
        const auto give_back = [&](handle taken) {
          if (taken.block == no_block) return;
          --owners[taken.block];
          list.push(taken);
        };
        const handle first = take();
        const handle second = take();
        give_back(first);
        give_back(take());
        give_back(second);
      });
    }
    run.join_all();
    std::set<std::uint32_t> free;
    list.for_each([&](std::uint32_t id) { free.insert(id); });
    run.require(free.size() == 3, "a block is lost");
  };
}

TEST_CASE("A free block has one taker in every execution with two preemptions") {
  const result result = prove({.preemptions_max = 2}, takers(tagged));
  INFO(result);
  CHECK(result.passed());
}

TEST_CASE("Without the number at its head the free list hands out a block twice") {
  const result result = prove({.preemptions_max = 2}, takers(untagged));
  REQUIRE(result.verdict == verdict::violation);
  CHECK(result.findings.front().oracle == "requirement");
}

template <class Sync>
key_bytes<Sync> key_of(char name) {
  return key_bytes<Sync>(1, static_cast<std::byte>(name));
}
template <class Sync>
std::string content(const lock_free_index<Sync>& index) {
  std::string names;
  index.for_each([&](const auto& entry) { names += static_cast<char>(entry.key.front()); });
  return names;
}

TEST_CASE("An entry is removed from anywhere in its bucket, and the others keep their order") {
  for (const std::uint32_t removed : {0U, 1U, 2U, 3U, 4U}) {
    epoch_domain<std_sync> domain;
    lock_free_index<std_sync> index(1, 64);
    for (std::uint32_t id = 0; id < 4; ++id) index.insert(id, {id, 1}, 1, key_of<std_sync>(static_cast<char>('a' + id)));
    REQUIRE(content(index) == "dcba");
    {
      epoch_domain<std_sync>::pin pinned(domain);
      index.remove(0, index.chain(0), {removed, 1}, pinned);
      index.remove(0, index.chain(0), {removed, 1}, pinned);
      index.remove(0, index.chain(0), {0, 2}, pinned);
    }
    std::string expected = "dcba";
    if (removed < 4) expected.erase(3 - removed, 1);
    CHECK(content(index) == expected);
    CHECK(domain.retired() == (removed < 4 ? 4 - removed : 0));
  }
}

TEST_CASE("Entries inserted and removed at once are all there, and no more, in every execution") {
  const result result = prove({.preemptions_max = 3}, [](run& run) {
    epoch_domain<sync> domain;
    lock_free_index<sync> index(1, 64);
    for (std::uint32_t id = 0; id < 2; ++id) index.insert(id, {id, 1}, 1, key_of<sync>(static_cast<char>('a' + id)));
    for (std::uint32_t id = 0; id < 2; ++id) {
      run.spawn("task", [&, id] {
        epoch_participant<sync>* mine = nullptr;
        epoch_domain<sync>::pin pinned(domain, mine);
        index.remove(0, index.chain(0), {id, 1}, pinned);
        pinned.collect();
        index.insert(id, {id, 2}, 1, key_of<sync>(static_cast<char>('c' + id)));
      });
    }
    run.join_all();
    const std::string found = content(index);
    run.require(found == "cd" || found == "dc", "the index holds something else");
  });
  INFO(result);
  CHECK(result.passed());
}

}  // namespace
}  // namespace kvrace::cache
