// Leases on virtual time: what a cache serves and publishes at the edge of a lease, and what the oracle says of it.
#include <catch2/catch.hpp>

#include <chrono>
#include <functional>
#include <string>

#include <kvrace/cache/simulation.h>
#include <kvrace/check.h>
#include <kvrace/sync.h>

#include "cache_model/test_support.h"

namespace kvrace::cache {
namespace {

using namespace std::chrono_literals;
using test::prompt_of;

// One run of one task over two blocks of one token, with leases of a millisecond. Returns the oracle that failed.
std::string oracle_after(const std::string& locking, std::vector<std::string> flaws,
                         const std::function<void(simulation&)>& calls) {
  simulation_options options;
  options.configuration = {
      .locking = locking, .capacity_blocks = 2, .tokens_per_block = 1, .hash_bits = 64, .lease = 1ms, .flaws = std::move(flaws)};
  const result found = check({.runs = 1, .metrics = metric_names()}, [&](run& run) {
    const auto simulation = make_simulation(run, options);
    run.spawn("client", [&calls, cache = simulation.get()] { calls(*cache); });
    run.join_all();
    simulation->finish();
  });
  INFO(found);
  CHECK(found.findings.size() <= 1);
  return found.findings.empty() ? "" : found.findings.front().oracle;
}

const std::vector<std::string> all_locking = {"mutex", "rwlock", "epoch"};
constexpr auto tick = 1ns;

TEST_CASE("Content is found until its lease is over, and not from then on") {
  for (const std::string& locking : all_locking) {
    INFO(locking);
    CHECK(oracle_after(locking, {}, [](simulation& cache) {
            cache.serve(prompt_of("A"));
            sync::sleep_for(1ms - tick);
            CHECK(cache.lookup(prompt_of("A")) == 1);
            sync::sleep_for(tick);
            CHECK(cache.lookup(prompt_of("A")) == 0);
          }).empty());
  }
}

TEST_CASE("A lease runs from the reservation: a fill that takes as long is not published") {
  for (const std::string& locking : all_locking) {
    INFO(locking);
    CHECK(oracle_after(locking, {}, [](simulation& cache) {
            cache.serve(prompt_of("A"), cancel_point::none, {.prefill_per_token = 1ms - tick});
            CHECK(cache.lookup(prompt_of("A")) == 1);
            sync::sleep_for(tick);
            CHECK(cache.lookup(prompt_of("A")) == 0);
            cache.serve(prompt_of("B"), cancel_point::none, {.prefill_per_token = 1ms});
            CHECK(cache.lookup(prompt_of("B")) == 0);
          }).empty());
  }
}

TEST_CASE("What has run out is computed again, beside the block that is too old, and that one is evicted in its turn") {
  for (const std::string& locking : all_locking) {
    INFO(locking);
    CHECK(oracle_after(locking, {}, [](simulation& cache) {
            cache.serve(prompt_of("A"));
            sync::sleep_for(1ms);
            cache.serve(prompt_of("A"));
            CHECK(cache.lookup(prompt_of("A")) == 1);
            cache.serve(prompt_of("B"));
            cache.serve(prompt_of("C"));
            CHECK(cache.lookup(prompt_of("C")) == 1);
          }).empty());
  }
}

TEST_CASE("A request that was served in time may go on reading after the lease is over") {
  for (const std::string& locking : all_locking) {
    INFO(locking);
    CHECK(oracle_after(locking, {}, [](simulation& cache) {
            cache.serve(prompt_of("A"));
            cache.serve(prompt_of("AB"), cancel_point::none, {.decode = 5ms});
            CHECK_FALSE(cache.outcome().stale);
          }).empty());
  }
}

TEST_CASE("A lease that is ignored, and one that begins when the fill is published, serve what is stale") {
  for (const std::string& locking : all_locking) {
    INFO(locking);
    CHECK(oracle_after(locking, {"expired_lease_served"}, [](simulation& cache) {
            cache.serve(prompt_of("A"));
            sync::sleep_for(1ms);
            CHECK(cache.lookup(prompt_of("A")) == 1);
            CHECK(cache.outcome().stale);
          }) == "stale");
    CHECK(oracle_after(locking, {"fill_on_expired_lease"}, [](simulation& cache) {
            cache.serve(prompt_of("A"), cancel_point::none, {.prefill_per_token = 1ms});
            CHECK(cache.lookup(prompt_of("A")) == 1);
            CHECK(cache.outcome().stale);
          }) == "stale");
  }
}

TEST_CASE("A fill that is given back unpublished counts as such at every quiescent point") {
  for (const std::string& locking : all_locking) {
    INFO(locking);
    for (const cancel_point given_up : {cancel_point::after_reserve, cancel_point::after_fill}) {
      const prompt a = prompt_of("A");
      const prompt b = prompt_of("B");
      simulation_options options;
      options.configuration = {
          .locking = locking, .capacity_blocks = 2, .tokens_per_block = 1, .hash_bits = 64, .lease = {}, .flaws = {}};
      const result found = check({.runs = 200, .metrics = metric_names()}, [&](run& run) {
        const auto cache = make_simulation(run, options);
        run.spawn("gives up", [&] { cache->serve(a, given_up, {.prefill_per_token = 100us}); });
        run.spawn("looks up", [&] {
          for (int times = 0; times < 2; ++times) {
            sync::sleep_for(50us);  // when a fill is half done, and when it is
            cache->lookup(b);
          }
        });
        run.join_all();
        cache->finish();
      });
      INFO(found);
      CHECK(found.passed());
    }
  }
}

}  // namespace
}  // namespace kvrace::cache
