// Two classes of requests, a share of the blocks for each: by each locking strategy the same.
#include <catch2/catch.hpp>

#include "cache_model/test_programs.h"
#include "cache_model/test_support.h"

namespace kvrace::cache {
namespace {

using namespace test;

configuration with_reserve(std::string_view locking, std::uint32_t capacity, std::uint32_t reserved) {
  configuration made = configuration_of(std::string(locking), {}, capacity);
  made.tokens_per_block = 2;
  made.reserved_blocks = reserved;
  return made;
}

std::unique_ptr<simulation> simulation_of(run& run, const configuration& configuration) {
  simulation_options options;
  options.configuration = configuration;
  return make_simulation(run, options);
}

TEST_CASE("Each class keeps what it has computed, however much the other computes") {
  for (const locking_description& locking : locking_strategies()) {
    const result found = check({.runs = 1, .metrics = metric_names()}, [&](run& run) {
      const auto cache = simulation_of(run, with_reserve(locking.name, 4, 2));
      run.spawn("a", [&] {
        cache->serve(high("AA."));
        cache->serve(high("BB."));
        for (const char* other : {"CC.", "DD.", "EE.", "FF."}) cache->serve(prompt_of(other));
        run.require(cache->lookup(high("AA")) == 2, "the other class has evicted it");
        run.require(cache->lookup(high("BB")) == 2, "the other class has evicted it");
        const auto cached = [&] {
          std::size_t tokens = 0;
          for (const char* other : {"CC", "DD", "EE", "FF"}) tokens += cache->lookup(prompt_of(other));
          return tokens;
        };
        run.require(cached() == 4, "the low class has not all of its share");
        for (const char* other : {"GG.", "HH.", "II."}) cache->serve(high(other));
        run.require(cached() == 4, "the high class has taken from the others' share");
      });
      run.join_all();
      cache->finish();
    });
    INFO(locking.name << ": " << found);
    CHECK(found.passed());
  }
}

TEST_CASE("A class that has filled its share evicts from it, and content is shared between the classes") {
  for (const locking_description& locking : locking_strategies()) {
    const result found = check({.runs = 1, .metrics = metric_names()}, [&](run& run) {
      const auto cache = simulation_of(run, with_reserve(locking.name, 2, 1));
      run.spawn("a", [&] {
        cache->serve(high("AA."));
        run.require(cache->serve(prompt_of("AA.")) == 2, "low priority does not find what high priority has computed");
        cache->serve(high("BB."));
        run.require(cache->lookup(high("AA")) == 0, "the reserve holds more than one block");
        run.require(cache->lookup(prompt_of("BB")) == 2, "the class has not evicted from its share");
      });
      run.join_all();
      cache->finish();
    });
    INFO(locking.name << ": " << found);
    CHECK(found.passed());
  }
}

TEST_CASE("A class whose blocks are all held goes on without, and that is no violation") {
  for (const locking_description& locking : locking_strategies()) {
    program_under_test program{.configuration = with_reserve(locking.name, 2, 1),
                               .tasks = {{serve(high("A."))}, {serve(high("B."))}, {serve("C.")}}};
    program.configuration.tokens_per_block = 1;
    const result found = check({.runs = 2'000, .metrics = metric_names()}, program);
    INFO(locking.name << ": " << found);
    CHECK(found.passed());
  }
}

TEST_CASE("A reserve leaves a block for low priority") {
  CHECK_FALSE(validate(with_reserve("mutex", 2, 1)));
  CHECK(validate(with_reserve("mutex", 2, 2))->field == "reserved_blocks");
}

}  // namespace
}  // namespace kvrace::cache
