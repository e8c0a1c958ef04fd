// Objects from sync::make, and the allocator for containers under test.
#include <cstring>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::sync;

namespace {

struct node {
  int value = 0;
  explicit node(int initial) : value(initial) {}
};
unsigned line_here(std::source_location where = std::source_location::current()) { return where.line(); }

}  // namespace

TEST_CASE("an object is made with its arguments, used and destroyed") {
  struct counted {
    int& alive;
    int value;
    counted(int& count, int initial) : alive(count), value(initial) { ++alive; }
    ~counted() { --alive; }
  };
  CHECK(outcome(explore([](kvrace::run& run) {
          int alive = 0;
          auto* made = sync::make<counted>(alive, 7);
          run.require(alive == 1 && sync::alive(made)->value == 7, "made");
          sync::destroy(made);
          run.require(alive == 0, "destroyed");
          sync::destroy(static_cast<counted*>(nullptr));
        })) == "PROVED");
}

TEST_CASE("using an object after its destruction names both lines") {
  unsigned destroyed = 0;
  unsigned used = 0;
  const kvrace::result found = run_once([&](kvrace::run&) {
    auto* made = sync::make<node>(1);
    destroyed = line_here() + 1;
    sync::destroy(made);
    used = line_here() + 1;
    (void)sync::alive(made);
  });
  CHECK(outcome(found) == "use_after_destroy");
  CHECK(lines(found) == std::vector<unsigned>{destroyed, used});
  CHECK(contains(message(found), "lifetime_test.cc:" + std::to_string(destroyed)));
}

TEST_CASE("primitives in a destroyed object say so themselves") {
  struct locked {
    kvrace::mutex m;
    kvrace::shared_mutex s;
    kvrace::condition_variable c;
    atomic<int> a{0};
    kvrace::var<int> v;
    kvrace::shadow w;
  };
  const std::vector<std::function<void(locked&)>> uses = {
      [](locked& it) { it.m.lock(); },        [](locked& it) { (void)it.m.try_lock(); }, [](locked& it) { it.s.lock(); },
      [](locked& it) { it.s.lock_shared(); }, [](locked& it) { it.c.notify_all(); },     [](locked& it) { (void)it.a.load(); },
      [](locked& it) { it.a.store(1); },      [](locked& it) { it.a.fetch_add(1); },     [](locked& it) { (void)it.v.load(); },
      [](locked& it) { it.v.store(1); },      [](locked& it) { it.w.read(); },           [](locked& it) { it.w.write(); },
  };
  for (const auto& use : uses) {
    const kvrace::result found = run_once([&](kvrace::run&) {
      auto* made = sync::make<locked>();
      sync::destroy(made);
      use(*made);
    });
    CHECK(outcome(found) == "use_after_destroy");
  }
}

TEST_CASE("a use after destruction is found in the schedules that have it") {
  CHECK(outcome(explore([](kvrace::run& run) {
          auto* made = sync::make<node>(1);
          atomic<bool> done(false);
          both(
              run,
              [&] {
                (void)sync::alive(made)->value;
                done.store(true);
              },
              [&] {
                if (done.load()) sync::destroy(made);
              });
          if (!done.load()) sync::destroy(made);
        })) != "PROVED");  // the second may find it undone, and then nobody destroys it
  CHECK(outcome(explore([](kvrace::run& run) {
          auto* made = sync::make<node>(1);
          atomic<int> owners(2);
          const auto drop = [&] {
            (void)sync::alive(made)->value;
            if (owners.fetch_sub(1) == 1) sync::destroy(made);
          };
          both(run, drop, drop);
        })) == "PROVED");
  CHECK(outcome(explore([](kvrace::run& run) {
          auto* made = sync::make<node>(1);
          atomic<int> owners(2);
          const auto drop = [&] {
            if (owners.fetch_sub(1) == 1) sync::destroy(made);
            (void)sync::alive(made)->value;  // too late for one of them
          };
          both(run, drop, drop);
        })) == "use_after_destroy");
}

TEST_CASE("destroying twice is a violation that names both lines") {
  unsigned first = 0;
  unsigned second = 0;
  const kvrace::result found = run_once([&](kvrace::run&) {
    auto* made = sync::make<node>(1);
    first = line_here() + 1;
    sync::destroy(made);
    second = line_here() + 1;
    sync::destroy(made);
  });
  CHECK(outcome(found) == "double_destroy");
  CHECK(lines(found) == std::vector<unsigned>{first, second});
}

TEST_CASE("a made object left at the end is a leak, the first one made is named") {
  const auto leaks = [](int kept) {
    return [kept](kvrace::run& run) {
      std::array<node*, 4> made{};
      for (int i = 0; i < 4; ++i) made[static_cast<std::size_t>(i)] = sync::make<node>(i);
      run.spawn("task", [] { sync::destroy(sync::make<node>(9)); });
      run.join_all();
      for (int i = kept; i < 4; ++i) sync::destroy(made[static_cast<std::size_t>(i)]);
    };
  };
  CHECK(outcome(explore(leaks(0))) == "PROVED");
  const kvrace::result found = explore(leaks(2));
  CHECK(outcome(found) == "leak");
  CHECK(contains(message(found), "2 made object(s) outlived the run; the first, object 0.1"));
  CHECK(outcome(explore(leaks(2), {.leaks = false})) == "PROVED");
}

TEST_CASE("made objects are aligned as their type asks") {
  struct alignas(32) wide {
    char bytes[40];
  };
  struct alignas(64) line {
    char byte;
  };
  struct alignas(256) page {
    char byte;
  };
  const kvrace::result found = run_once([](kvrace::run& run) {
    const auto check = [&run]<class T>(T*) {
      for (int i = 0; i < 5; ++i) {
        T* made = sync::make<T>();
        run.require(reinterpret_cast<std::uintptr_t>(made) % alignof(T) == 0, "aligned");
        std::memset(static_cast<void*>(made), 0x5a, sizeof(T));
        (void)sync::alive(made);
        sync::destroy(made);
      }
    };
    check(static_cast<char*>(nullptr));
    check(static_cast<double*>(nullptr));
    check(static_cast<long double*>(nullptr));
    check(static_cast<wide*>(nullptr));
    check(static_cast<line*>(nullptr));
    check(static_cast<page*>(nullptr));
  });
  INFO(found);
  CHECK(found.passed());
}

TEST_CASE("addresses repeat when a run repeats") {
  std::vector<std::vector<const void*>> seen;
  (void)kvrace::check({.runs = 20}, [&](kvrace::run&) {
    std::vector<const void*> here;
    std::vector<int, kvrace::allocator<int>> data;
    for (int i = 0; i < 100; ++i) {
      data.push_back(i);
      auto* made = sync::make<node>(i);
      here.push_back(made);
      here.push_back(data.data());
      sync::destroy(made);
    }
    seen.push_back(std::move(here));
  });
  REQUIRE(seen.size() == 21);  // the first run is repeated
  for (const auto& each : seen) CHECK(each == seen.front());
}

TEST_CASE("a destroyed object's memory is not handed out again while it matters") {
  const kvrace::result found = run_once([](kvrace::run&) {
    auto* made = sync::make<node>(1);
    sync::destroy(made);
    for (int i = 0; i < 1'000; ++i) sync::destroy(sync::make<node>(i));
    (void)sync::alive(made);
  });
  CHECK(outcome(found) == "use_after_destroy");
}

TEST_CASE("an allocation in a run of millions does not grow the process") {
  const kvrace::result found = run_once(
      [](kvrace::run& run) {
        std::set<const void*> addresses;
        for (int i = 0; i < 200'000; ++i) {
          auto* made = sync::make<std::array<char, 100>>();
          addresses.insert(made);
          sync::destroy(made);
        }
        run.require(addresses.size() < 20'000, "memory is recycled in the end");
      },
      {.steps_max = 10'000'000});
  INFO(found);
  CHECK(found.passed());
}

TEST_CASE("standard containers work with the allocator") {
  const kvrace::result found = kvrace::check({.strategy = kvrace::random_walk(0.5), .runs = 300}, [](kvrace::run& run) {
    using text = std::basic_string<char, std::char_traits<char>, kvrace::allocator<char>>;
    std::vector<int, kvrace::allocator<int>> vector;
    std::list<int, kvrace::allocator<int>> list;
    std::map<int, text, std::less<>, kvrace::allocator<std::pair<const int, text>>> map;
    std::unordered_map<int, int, std::hash<int>, std::equal_to<>, kvrace::allocator<std::pair<const int, int>>> hash;
    kvrace::mutex m;
    const auto work = [&](int base) {
      for (int i = 0; i < 20; ++i) {
        kvrace::lock_guard lock(m);
        vector.push_back(base + i);
        list.push_front(base + i);
        map.emplace(base + i, text(static_cast<std::size_t>(i) * 7, 'x'));
        hash[base + i] = i;
        if (i % 3 == 0) {
          map.erase(base + i / 2);
          hash.erase(base + i / 2);
          list.pop_back();
        }
      }
    };
    both(run, [&] { work(0); }, [&] { work(100); });
    run.require(vector.size() == 40 && list.size() == 26, "sizes");
    run.require(map.size() == hash.size(), "the same erased");
    for (const auto& [key, value] : map) {
      run.require(value.size() == static_cast<std::size_t>(key % 100) * 7, "contents");
      for (const char each : value) run.require(each == 'x', "contents");
      run.require(hash.at(key) == key % 100, "contents");
    }
    int sum = 0;
    for (const int each : vector) sum += each;
    run.require(sum == 2 * 190 + 20 * 100, "contents");
    std::vector<int, kvrace::allocator<int>> copy = vector;
    std::vector<int, kvrace::allocator<int>> moved = std::move(vector);
    run.require(copy == moved, "copied and moved");
  });
  INFO(found);
  CHECK(found.passed());
}

TEST_CASE("allocations of every size keep apart") {
  const kvrace::result found = run_once([](kvrace::run& run) {
    kvrace::allocator<unsigned char> bytes;
    std::vector<std::pair<unsigned char*, std::size_t>> blocks;
    for (int round = 0; round < 3; ++round) {
      for (std::size_t size = 1; size < 5'000; size = size * 5 / 4 + 1) {
        unsigned char* block = bytes.allocate(size);
        run.require(reinterpret_cast<std::uintptr_t>(block) % 16 == 0, "aligned");
        std::memset(block, static_cast<int>(blocks.size()), size);
        blocks.emplace_back(block, size);
      }
      for (std::size_t i = 0; i < blocks.size(); ++i)
        for (std::size_t at = 0; at < blocks[i].second; ++at)
          run.require(blocks[i].first[at] == static_cast<unsigned char>(i), "untouched");
      for (std::size_t i = 0; i < blocks.size(); i += 2) bytes.deallocate(blocks[i].first, blocks[i].second);
      for (std::size_t i = 0; i < blocks.size(); i += 2) {
        blocks[i].first = bytes.allocate(blocks[i].second);
        std::memset(blocks[i].first, static_cast<int>(i), blocks[i].second);
      }
    }
    unsigned char* huge = bytes.allocate(std::size_t{5} << 20U);  // more than one chunk
    std::memset(huge, 1, std::size_t{5} << 20U);
    for (std::size_t i = 0; i < blocks.size(); ++i)
      for (std::size_t at = 0; at < blocks[i].second; ++at)
        run.require(blocks[i].first[at] == static_cast<unsigned char>(i), "untouched");
  });
  INFO(found);
  CHECK(found.passed());
}

TEST_CASE("making and allocating outside of a run throw std::logic_error") {
  CHECK_THROWS_AS((void)sync::make<node>(1), std::logic_error);
  kvrace::allocator<int> ints;
  CHECK_THROWS_AS((void)ints.allocate(1), std::logic_error);
}

TEST_CASE("a container that outlives its run can be destroyed") {
  std::optional<std::vector<int, kvrace::allocator<int>>> late;
  CHECK(run_once([&](kvrace::run&) { late.emplace(100, 1); }).passed());
  late.reset();
  CHECK_FALSE(late);
}
