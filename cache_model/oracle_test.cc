// Each oracle, told a history that breaks its rule and one next to it that does not.
#include <catch2/catch.hpp>

#include <functional>
#include <string>

#include <kvrace/check.h>

#include "cache_model/oracle.h"
#include "cache_model/test_support.h"

namespace kvrace::cache {
namespace {

using kind = block_event::kind;

// An oracle over two blocks of one token, and two requests.
struct bench {
  explicit bench(run& run, const std::vector<std::string>& off)
      : oracle(run, {.configuration = configuration_of(), .oracles_off = off}) {
    begin(a, prompt_a);
    begin(b, prompt_b);
  }
  static configuration configuration_of() { return {.capacity_blocks = 2, .tokens_per_block = 1, .flaws = {}}; }
  void begin(judged_request& request, const prompt& prompt) {
    request.begin(*seams().key, prompt, 1);
    request.full_keys = &request.keys;
    oracle.begins(request, prompt);
  }
  void tell(kind what, judged_request& request, std::uint32_t block, std::uint32_t generation, bool denied = false) {
    request.slots[0].where = {block, generation};
    oracle.on_event({what, &request, {block, generation}, 0, denied});
  }
  // A whole life up to IDLE.
  void serve(judged_request& request, std::uint32_t block, std::uint32_t generation) {
    tell(kind::allocate, request, block, generation);
    oracle.fills(request, 0);
    tell(kind::publish, request, block, generation);
    tell(kind::unpin, request, block, generation);
  }

  prompt prompt_a = test::prompt_of("A");
  prompt prompt_b = test::prompt_of("B");
  judged_request a;
  judged_request b;
  cache_oracle oracle;
};

// The name of the oracle that fails, empty if none does.
std::string failing(const std::function<void(bench&)>& history, const std::vector<std::string>& off = {}) {
  const result result = check({.runs = 1, .metrics = metric_names()}, [&](run& run) {
    bench bench(run, off);
    history(bench);
  });
  return result.findings.empty() ? "" : result.findings.front().oracle;
}

TEST_CASE("A hit on what the index rightly leads to is legal, also by another request than the writer") {
  CHECK(failing([](bench& t) {
          t.serve(t.a, 0, 1);
          t.begin(t.b, t.prompt_a);
          t.tell(kind::pin, t.b, 0, 1);
          t.oracle.served(t.b, 0, {});
          t.tell(kind::unpin, t.b, 0, 1);
        }).empty());
}

TEST_CASE("A hit through an entry that its block denies is a ghost entry") {
  CHECK(failing([](bench& t) { t.tell(kind::pin, t.a, 0, 1, true); }) == "ghost_entry");
}

TEST_CASE("A referenced block that is handed out is a ghost entry of the eviction order") {
  CHECK(failing([](bench& t) {
          t.tell(kind::allocate, t.a, 0, 1);
          t.tell(kind::allocate, t.b, 0, 2);
        }) == "ghost_entry");
}

TEST_CASE("A block that is handed out while the index leads to it is a ghost entry") {
  CHECK(failing([](bench& t) {
          t.serve(t.a, 0, 1);
          t.tell(kind::allocate, t.b, 0, 2);
        }) == "ghost_entry");
}

TEST_CASE("A block that is refilled after it was found pollutes the request that found it") {
  const auto history = [](bench& t) {
    t.serve(t.a, 0, 1);
    t.tell(kind::evict, t.b, 0, 1);
    t.tell(kind::allocate, t.b, 0, 2);
    t.begin(t.a, t.prompt_a);
    t.a.slots[0].where = {0, 1};
    CHECK_FALSE(t.oracle.may_touch(t.a, 0));
    t.oracle.served(t.a, 0, {});
    CHECK(t.a.polluted);
  };
  CHECK(failing(history) == "pollution");
  CHECK(failing(history, {"pollution"}).empty());
}

TEST_CASE("A block that is recomputed for the same key after it was found is a ghost entry, and no pollution") {
  CHECK(failing([](bench& t) {
          t.serve(t.a, 0, 1);
          t.begin(t.b, t.prompt_a);
          t.tell(kind::evict, t.b, 0, 1);
          t.tell(kind::allocate, t.b, 0, 2);
          t.begin(t.a, t.prompt_a);
          t.a.slots[0].where = {0, 1};
          t.oracle.served(t.a, 0, {});
          CHECK_FALSE(t.a.polluted);
        }) == "ghost_entry");
}

TEST_CASE("A request that gets no block while nobody has held one all the time is starved without need") {
  const auto starved = [](std::uint64_t began_before, bool held) {
    return failing([=](bench& t) {
      t.tell(kind::allocate, t.a, 0, 1);
      t.tell(kind::allocate, t.b, 1, 1);
      if (!held) t.tell(kind::unpin, t.b, 1, 1);
      kvrace::yield();
      t.oracle.starved(t.b, run::step() - began_before);
    });
  };
  CHECK(starved(0, false) == "liveness");
  CHECK(starved(1, false) == "liveness");
  CHECK(starved(0, true).empty());
}

TEST_CASE("A block that was given back during the call does not count") {
  CHECK(failing([](bench& t) {
          const std::uint64_t began = run::step();
          kvrace::yield();
          t.tell(kind::allocate, t.a, 0, 1);
          t.tell(kind::allocate, t.b, 1, 1);
          t.tell(kind::unpin, t.b, 1, 1);
          t.oracle.starved(t.b, began);
        }).empty());
}

TEST_CASE("Whoever retrieves less than was promised was promised too much") {
  const auto delivers = [](std::size_t delivered) { return failing([=](bench& t) { t.oracle.delivers(t.a, 2, delivered); }); };
  CHECK(delivers(1) == "promise");
  CHECK(delivers(2).empty());
  CHECK(delivers(3).empty());
}

TEST_CASE("A foreign tag is pollution") {
  CHECK(failing([](bench& t) {
          t.serve(t.a, 0, 1);
          t.tell(kind::pin, t.a, 0, 1);
          t.oracle.served(t.a, 0, {.foreign = true, .old = false, .unwritten = false});
        }) == "pollution");
}

TEST_CASE("Content of another key in full is pollution, whatever the digests say") {
  CHECK(failing([](bench& t) {
          t.serve(t.a, 0, 1);
          t.tell(kind::pin, t.b, 0, 1);
          t.oracle.served(t.b, 0, {});
        }) == "pollution");
}

TEST_CASE("An unpublished block that is found breaks publication") {
  CHECK(failing([](bench& t) {
          t.tell(kind::allocate, t.a, 0, 1);
          t.begin(t.b, t.prompt_a);
          t.tell(kind::pin, t.b, 0, 1);
        }) == "publication");
}

TEST_CASE("A block that is read before its fill breaks publication") {
  CHECK(failing([](bench& t) {
          t.serve(t.a, 0, 1);
          t.tell(kind::pin, t.a, 0, 1);
          t.oracle.served(t.a, 0, {.foreign = false, .old = false, .unwritten = true});
        }) == "publication");
}

TEST_CASE("Publishing and releasing through a handle of a former owner are stale handles") {
  CHECK(failing([](bench& t) {
          t.tell(kind::allocate, t.a, 0, 1);
          t.tell(kind::unpin, t.a, 0, 1);
          t.tell(kind::allocate, t.b, 0, 2);
          t.tell(kind::publish, t.a, 0, 1);
        }) == "stale_handle");
  CHECK(failing([](bench& t) {
          t.serve(t.a, 0, 1);
          t.tell(kind::evict, t.b, 0, 1);
          t.tell(kind::allocate, t.b, 0, 2);
          t.tell(kind::unpin, t.a, 0, 1);
        }) == "stale_handle");
}

TEST_CASE("A reference given back that nobody held is unbalanced") {
  CHECK(failing([](bench& t) { t.tell(kind::unbalanced, t.a, 0, 1); }) == "reference_balance");
}

TEST_CASE("A reference given back by a request that does not hold it is unbalanced, also while others hold the block") {
  CHECK(failing([](bench& t) {
          t.serve(t.a, 0, 1);
          t.begin(t.b, t.prompt_a);
          t.tell(kind::pin, t.b, 0, 1);
          t.begin(t.a, t.prompt_a);
          t.tell(kind::pin, t.a, 0, 1);
          t.tell(kind::unpin, t.a, 0, 1);
          t.tell(kind::unpin, t.a, 0, 1);
        }) == "reference_balance");
}

TEST_CASE("The content of a published block is given up exactly once") {
  const auto given_up = [](std::vector<kind> endings) {
    return failing([&endings](bench& t) {
      t.serve(t.a, 0, 1);
      for (const kind each : endings) t.tell(each, t.b, 0, 1);
      t.oracle.on_block(0, 0, false);
    });
  };
  CHECK(given_up({kind::evict}).empty());
  CHECK(given_up({kind::forget}).empty());
  CHECK(given_up({}) == "exactly_once");
  CHECK(given_up({kind::evict, kind::evict}) == "exactly_once");
  CHECK(given_up({kind::forget, kind::evict}) == "exactly_once");
}

TEST_CASE("References at a quiescent point are unbalanced, whether the block counts them or a request took them") {
  CHECK(failing([](bench& t) { t.oracle.on_block(0, 1, true); }) == "reference_balance");
  CHECK(failing([](bench& t) {
          t.tell(kind::allocate, t.a, 0, 1);
          t.oracle.on_block(0, 0, false);
        }) == "reference_balance");
  CHECK(failing([](bench& t) {
          t.serve(t.a, 0, 1);
          t.oracle.on_block(0, 0, true);
        }).empty());
}

TEST_CASE("An unreferenced block outside the eviction order shrinks the capacity") {
  CHECK(failing([](bench& t) { t.oracle.on_lost(1); }) == "capacity");
}

TEST_CASE("Content older than an invalidation before the request is stale; older than one during it is not") {
  CHECK(failing([](bench& t) {
          t.serve(t.a, 0, 1);
          t.oracle.invalidated(2);
          t.begin(t.a, t.prompt_a);
          CHECK(t.a.version_min == 2);
          t.a.slots[0].where = {0, 1};
          t.oracle.served(t.a, 0, {.foreign = false, .old = true, .unwritten = false});
        }) == "stale");
  CHECK(failing([](bench& t) {
          t.serve(t.a, 0, 1);
          t.begin(t.a, t.prompt_a);
          t.oracle.invalidated(2);
          CHECK(t.a.version_min == 0);
        }).empty());
}

TEST_CASE("A match of another length breaks the namespace contract") {
  CHECK(failing([](bench& t) { t.oracle.contract(t.prompt_a, 1, 0); }) == "namespace_contract");
  CHECK(failing([](bench& t) { t.oracle.contract(t.prompt_a, 1, 1); }).empty());
}

TEST_CASE("A reference that another request gives back is out of balance") {
  const auto history = [](bool foreign) {
    return [foreign](bench& t) {
      t.serve(t.a, 0, 1);
      t.begin(t.b, t.prompt_a);
      t.tell(kind::pin, t.b, 0, 1);
      t.tell(foreign ? kind::foreign_unpin : kind::unpin, foreign ? t.a : t.b, 0, 1);
    };
  };
  CHECK(failing(history(true)) == "reference_balance");
  CHECK(failing(history(false)).empty());
}

TEST_CASE("Only the owner of a block may write into it") {
  const auto history = [](bool shares) {
    return [shares](bench& t) {
      t.tell(kind::allocate, t.a, 0, 1);
      t.oracle.fills(t.a, 0);
      t.tell(kind::publish, t.a, 0, 1);
      t.tell(shares ? kind::share : kind::allocate, t.b, shares ? 0 : 1, 1);
      for (judged_request* each : {&t.a, &t.b}) each->slots[0].held = true;
      CHECK(t.oracle.may_write(t.a, 0));
      CHECK(t.oracle.may_write(t.b, 0) == !shares);
    };
  };
  CHECK(failing(history(true)) == "stale_handle");
  CHECK(failing(history(false)).empty());
}

}  // namespace
}  // namespace kvrace::cache
