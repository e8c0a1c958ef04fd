// Epoch-based reclamation on its own: nothing is destroyed while somebody may hold it, and everything is at the end.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <kvrace/check.h>
#include <kvrace/sync.h>

#include "cache_model/reclamation/epoch.h"
#include "cache_model/test_support.h"

namespace kvrace::cache {
namespace {

// An object whose destruction is counted, and races with any access that does not happen before it.
template <class Sync>
struct node {
  explicit node(int it, int* destroyed_counter = nullptr) : value(it), destroyed(destroyed_counter) {}
  ~node() {
    if (destroyed != nullptr) ++*destroyed;
  }
  typename Sync::template var<int> value;
  int* destroyed;
};

// One shared pointer, read and replaced.
template <class Sync>
struct cell {
  explicit cell(epoch_rules rules = {}, std::uint32_t participants_max = 64) : domain(rules, participants_max) {}
  ~cell() { Sync::destroy(Sync::peek(current)); }

  int read(epoch_participant<Sync>*& mine) {
    typename epoch_domain<Sync>::pin pinned(domain, mine);
    const node<Sync>* found = current.load(std::memory_order_acquire);
    in_use.load(std::memory_order_relaxed);  // time passes
    return Sync::alive(found)->value.load();
  }
  void replace(epoch_participant<Sync>*& mine, int value) {
    typename epoch_domain<Sync>::pin pinned(domain, mine);
    pinned.retire(current.exchange(Sync::template make<node<Sync>>(value), std::memory_order_acq_rel));
    pinned.collect();
  }

  epoch_domain<Sync> domain;
  typename Sync::template atomic<int> in_use{0};
  typename Sync::template atomic<node<Sync>*> current{Sync::template make<node<Sync>>(0)};
};

program readers_and_writers(std::vector<std::string> tasks, epoch_rules rules = {}, std::uint32_t participants_max = 64) {
  return [=](run& run) {
    cell<sync> shared(rules, participants_max);
    for (const std::string& calls : tasks) {
      run.spawn("task", [&shared, &calls] {
        epoch_participant<sync>* mine = nullptr;
        for (const char call : calls) {
          if (call == 'r')
            shared.read(mine);
          else
            shared.replace(mine, 1);
        }
      });
    }
    run.join_all();
  };
}

TEST_CASE("Readers and writers are safe in every execution") {
  for (const std::vector<std::string>& tasks :
       std::vector<std::vector<std::string>>{{"r", "w"}, {"r", "ww"}, {"w", "w"}, {"rr", "ww"}}) {
    const result result = prove({}, readers_and_writers(tasks));
    INFO(result);
    CHECK(result.verdict == verdict::proved);
  }
}

TEST_CASE("Readers and writers are safe in every execution, three writes long", "[exhaustive]") {
  for (const std::vector<std::string>& tasks :
       std::vector<std::vector<std::string>>{{"r", "www"}, {"rw", "ww"}, {"r", "w", "w"}}) {
    const result result = prove({}, readers_and_writers(tasks));
    INFO(result);
    CHECK(result.verdict == verdict::proved);
  }
}

TEST_CASE("Many readers and writers are safe in a sample of executions") {
  for (const std::uint32_t participants_max : {64U, 2U, 1U}) {
    for (const strategy_choice& strategy : {random_walk(0.3), pct({.depth = 4, .decisions_max = 150})}) {
      const result result = check({.strategy = strategy, .runs = 5'000},
                                  readers_and_writers({"rrwr", "wrrw", "rwrw", "wwww"}, {}, participants_max));
      INFO(result);
      CHECK(result.verdict == verdict::not_found);
    }
  }
}

TEST_CASE("One epoch of grace is too little: the reader meets a destroyed object, or races with its destruction") {
  const result result = prove({}, readers_and_writers({"r", "w"}, {.grace = 1}));
  REQUIRE(result.verdict == verdict::violation);
  CHECK((result.findings.front().oracle == "use_after_destroy" || result.findings.front().oracle == "data_race"));
}

TEST_CASE("Under sequential consistency a pin without its fence is safe in every execution") {
  const result result = prove({}, readers_and_writers({"r", "ww"}, {.pins_with_fence = false}));
  INFO(result);
  CHECK(result.verdict == verdict::proved);
}

// What a single thread sees: the epoch, and which objects are gone.
struct single {
  template <class Body>
  static void run_once(Body body) {
    const result result = check({.runs = 1}, [&](run&) { body(); });
    INFO(result);
    REQUIRE(result.passed());
  }
};

TEST_CASE("A retired object is destroyed two epochs after it was sealed, in the order of retirement") {
  single::run_once([] {
    int first = 0;
    int second = 0;
    epoch_domain<sync> domain;
    epoch_participant<sync>* mine = nullptr;
    const std::uint32_t start = domain.epoch();
    {
      epoch_domain<sync>::pin pinned(domain, mine);
      pinned.retire(sync::make<node<sync>>(1, &first));
      pinned.collect(start + 100);
      CHECK(first == 0);  // not sealed yet
      CHECK(pinned.try_advance() == start + 1);
      pinned.retire(sync::make<node<sync>>(2, &second));
      CHECK(pinned.try_advance() == start + 1);  // it has pinned the epoch before
      pinned.collect(start + 1);
      CHECK(first == 0);
    }
    {
      epoch_domain<sync>::pin pinned(domain, mine);
      pinned.collect();
      CHECK(domain.epoch() == start + 2);
      CHECK(first == 1);
      CHECK(second == 0);
      CHECK(domain.retired() == 1);
    }
    {
      epoch_domain<sync>::pin pinned(domain, mine);
      pinned.collect();
      CHECK(second == 1);
      CHECK(domain.retired() == 0);
    }
    CHECK(first == 1);
  });
}

TEST_CASE("While one participant stays pinned the epoch moves once, and nothing retired since is destroyed") {
  single::run_once([] {
    int destroyed = 0;
    epoch_domain<sync> domain;
    epoch_participant<sync>* reader = nullptr;
    epoch_participant<sync>* writer = nullptr;
    const std::uint32_t start = domain.epoch();
    {
      const epoch_domain<sync>::pin reading(domain, reader);
      for (int i = 0; i < 10; ++i) {
        epoch_domain<sync>::pin pinned(domain, writer);
        pinned.retire(sync::make<node<sync>>(i, &destroyed));
        pinned.collect();
      }
      CHECK(domain.epoch() == start + 1);
      CHECK(destroyed == 0);
      CHECK(domain.retired() == 10);
    }
    for (int i = 0; i < 2; ++i) epoch_domain<sync>::pin(domain, writer).collect();
    CHECK(destroyed == 10);
  });
}

TEST_CASE("Grace is counted across the end of the epochs' range") {
  single::run_once([] {
    int destroyed = 0;
    epoch_domain<sync> domain({}, 64, {.epoch = ~std::uint32_t{0}});
    epoch_participant<sync>* mine = nullptr;
    const auto pass = [&] {
      epoch_domain<sync>::pin pinned(domain, mine);
      pinned.collect();
      return domain.epoch();
    };
    epoch_domain<sync>::pin(domain, mine).retire(sync::make<node<sync>>(1, &destroyed));
    CHECK(pass() == 0);
    CHECK(destroyed == 0);
    CHECK(pass() == 1);
    CHECK(destroyed == 1);
  });
}

TEST_CASE("A pin reads the stamp of its time, and raising it keeps the epoch") {
  single::run_once([] {
    epoch_domain<sync> domain({}, 64, {.stamp = 7});
    epoch_participant<sync>* mine = nullptr;
    const std::uint32_t epoch = domain.epoch();
    const epoch_domain<sync>::pin before(domain);
    CHECK(domain.raise_stamp() == 8);
    CHECK(before.stamp() == 7);
    CHECK(domain.stamp() == 8);
    CHECK(domain.epoch() == epoch);
    CHECK(epoch_domain<sync>::pin(domain, mine).stamp() == 8);
  });
}

TEST_CASE("Many participants are looked at once in several calls, and what waits is bounded") {
  single::run_once([] {
    int destroyed = 0;
    epoch_domain<sync> domain;
    epoch_participant<sync>* mine = nullptr;
    for (int others = 0; others < 16; ++others) {
      epoch_participant<sync>* other = nullptr;
      const epoch_domain<sync>::pin pinned(domain, other);
    }
    std::size_t most = 0;
    for (int i = 0; i < 100; ++i) {
      epoch_domain<sync>::pin pinned(domain, mine);
      pinned.retire(sync::make<node<sync>>(i, &destroyed));
      pinned.collect();
      most = std::max(most, domain.retired());
    }
    CHECK(domain.epoch() == 1 + 1 + 99 / 5);  // the first call does not know of the others
    CHECK(most == 9);                         // five sealed ones that wait, and four
  });
}

TEST_CASE("What is still retired is destroyed with the domain, once") {
  int destroyed = 0;
  single::run_once([&destroyed] {
    epoch_domain<sync> domain;
    for (int i = 0; i < 3; ++i) {
      epoch_participant<sync>* mine = nullptr;
      epoch_domain<sync>::pin(domain, mine).retire(sync::make<node<sync>>(i, &destroyed));
    }
    CHECK(destroyed == 0);
  });
  CHECK(destroyed == 3);
}

TEST_CASE("An object that nobody retires is a leak, one that is retired twice is destroyed twice") {
  const result leaking = check({.runs = 1}, [](run&) {
    const epoch_domain<sync> domain;
    (void)sync::make<node<sync>>(1);
  });
  REQUIRE(leaking.findings.size() == 1);
  CHECK(leaking.findings.front().oracle == "leak");
  const result twice = check({.runs = 1}, [](run&) {
    epoch_domain<sync> domain;
    epoch_participant<sync>* mine = nullptr;
    epoch_domain<sync>::pin pinned(domain, mine);
    const auto* object = sync::make<node<sync>>(1);
    pinned.retire(object);
    pinned.retire(object);
    for (int i = 0; i < 2; ++i) pinned.collect(pinned.try_advance() + 2);
  });
  REQUIRE(twice.findings.size() == 1);
  CHECK(twice.findings.front().oracle == "double_destroy");
}

TEST_CASE("A pin that forgets its participant takes an idle one instead of a new one") {
  single::run_once([] {
    int destroyed = 0;
    epoch_domain<sync> domain;
    {
      epoch_domain<sync>::pin(domain).retire(sync::make<node<sync>>(1, &destroyed));
    }
    for (int i = 0; i < 3; ++i) epoch_domain<sync>::pin(domain).collect();
    CHECK(destroyed == 1);  // by the participant that retired it
  });
}

TEST_CASE("Real threads never read a destroyed object") {
  cell<std_sync> shared({}, 3);  // fewer participants than threads
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back([&shared, &wrong, id] {
      epoch_participant<std_sync>* mine = nullptr;
      for (int i = 0; i < 20'000; ++i) {
        if (i % 4 == id)
          shared.replace(mine, 7);
        else if (const int value = shared.read(mine); value != 0 && value != 7)
          ++wrong;
      }
    });
  }
  for (std::thread& each : threads) each.join();
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace kvrace::cache
