// The least number of preemptions by enumeration, and what findings of samples shrink to.
#include <kvrace/kvrace.h>

#include "proof/small_program_interpreter.h"
#include "test_support.h"

using namespace kvrace::testing;

TEST_CASE("findings of random programs shrink to as few preemptions as enumeration knows, certified") {
  constexpr vocabulary words{.statements_max = 3, .locks = true, .choices = true, .yields = true};
  unsigned compared = 0;
  unsigned with_preemptions = 0;
  for (std::uint64_t seed = 1; seed <= 90; ++seed) {
    const small_program program = random_program(words, seed);
    const all_behaviours all = interpret(program, 5'000);
    if (all.cut || all.deadlocks) continue;
    unsigned of_this_one = 0;
    for (const auto& [forbidden, least] : all.observations) {
      if (++of_this_one > 6) break;
      const kvrace::program tested = [&program, &forbidden](kvrace::run& run) {
        run.require(execute(program, run) != forbidden, "forbidden");
      };
      const kvrace::result found = kvrace::check({.strategy = kvrace::random_walk(0.7), .seed = seed, .runs = 3'000}, tested);
      if (found.verdict != kvrace::verdict::violation) continue;  // too rare for so small a sample
      const kvrace::shrunk small = kvrace::shrink({}, found.findings.front(), tested);
      INFO(to_string(program) << forbidden << '\n' << found);
      CHECK(small.preemptions == least);
      CHECK(small.certified);
      ++compared;
      with_preemptions += least > 0 ? 1 : 0;
    }
  }
  CHECK(compared > 60);
  CHECK(with_preemptions > 20);
}
