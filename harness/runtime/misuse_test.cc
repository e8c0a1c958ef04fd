// What the harness is asked for and cannot give, or what would make its answer mean nothing, is said by name.
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;

namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

struct throws_when_made {
  explicit throws_when_made(bool throws) {
    if (throws) throw std::runtime_error("no room");
  }
};

// Not a tail call, and more than any stack has room for.
[[gnu::noinline]] int recurse(volatile int* depth) {
  volatile char frame[512] = {};
  *depth = *depth + 1;
  return *depth < 0 ? 0 : recurse(depth) + frame[*depth % 512];
}

}  // namespace

// AddressSanitizer and ThreadSanitizer have words of their own for it, and end the process.
TEST_CASE("a task that recurses to the end of its stack is named, by every engine, and the process goes on") {
  if (kvrace::detail::instrumentation::checks_memory || kvrace::detail::instrumentation::on) return;
  const auto tested = [](kvrace::run& run) {
    atomic<int> value(0);
    volatile int depth = 0;
    run.spawn("counts", [&] { value.fetch_add(1); });
    run.spawn("recurses", [&] {
      if (value.load() != 0) run.require(recurse(&depth) == 0, "never reached");
    });
    run.join_all();
  };
  for (int i = 0; i < 3; ++i) {
    const kvrace::result searched = explore(tested);
    INFO(searched);
    CHECK(outcome(searched) == "stack_overflow");
    CHECK(contains(message(searched), "task 'recurses' used up its stack of 256 KiB"));
    REQUIRE(searched.findings.size() == 1);
    CHECK(outcome(kvrace::replay({}, searched.findings.front().schedule, tested)) == "stack_overflow");
    CHECK(outcome(kvrace::prove({.engine = kvrace::proof_engine::graphs}, tested)) == "stack_overflow");
    CHECK(outcome(sample(tested)) == "stack_overflow");
    CHECK(sample([](kvrace::run& run) { run.require(true, "goes on"); }, 1).passed());
  }
}

TEST_CASE("an empty range and one of all 64-bit values cannot be picked from; the largest that can is") {
  const kvrace::result empty = run_once([](kvrace::run& run) { (void)run.pick(3, 1); });
  CHECK(outcome(empty) == "harness_misuse");
  CHECK(contains(message(empty), "pick(3, 1): expected low <= high"));
  CHECK(outcome(run_once([](kvrace::run& run) { (void)run.pick(lowest, highest); })) == "harness_misuse");

  CHECK(run_once([](kvrace::run& run) {
          run.require(run.pick(lowest, highest - 1) == lowest, "the first outcome");
          run.require(run.pick(highest, highest) == highest, "the only outcome");
        }).passed());
  CHECK(sample([](kvrace::run& run) { (void)run.pick(-highest, highest); }).passed());
}

TEST_CASE("a metric that was not named is refused by its number") {
  const kvrace::result found = kvrace::check({.runs = 1, .metrics = {"one"}}, [](kvrace::run& run) { run.add(1, 5); });
  CHECK(outcome(found) == "harness_misuse");
  CHECK(contains(message(found), "metric 1"));
  CHECK(kvrace::check({.runs = 1, .metrics = {"one"}}, [](kvrace::run& run) { run.add(0, 5); }).passed());
}

TEST_CASE("a check without a strategy is refused") {
  CHECK_THROWS_AS(kvrace::check({.strategy = nullptr, .runs = 1}, [](kvrace::run&) {}), std::invalid_argument);
}

TEST_CASE("an exception that leaves an audit is a violation, at the end of an operation as at the end of the tasks") {
  const kvrace::result found = run_once([](kvrace::run& run) {
    run.at_quiescence([] { throw std::runtime_error("the audit's own"); });
    run.spawn("client", [] { const kvrace::operation operation([] { return std::string("work()"); }); });
    run.join_all();
  });
  CHECK(outcome(found) == "escaping_exception");
  CHECK(contains(message(found), "an exception left an audit: the audit's own"));
}

TEST_CASE("an object whose constructor throws was never made: no leak") {
  CHECK(run_once([](kvrace::run& run) {
          bool thrown = false;
          try {
            (void)kvrace::sync::make<throws_when_made>(true);
          } catch (const std::runtime_error&) {
            thrown = true;
          }
          run.require(thrown, "the exception comes through");
          kvrace::sync::destroy(kvrace::sync::make<throws_when_made>(false));
        }).passed());
}

TEST_CASE("on a thread of the system there is no run in progress") {
  std::string said;
  const kvrace::result found = run_once([&](kvrace::run& run) {
    atomic<int> value(0);
    const auto tried = [&](const auto& use) {
      said.clear();
      std::thread([&] {
        try {
          use();
        } catch (const std::logic_error& error) {
          said = error.what();
        }
      }).join();
      return contains(said, "outside of a run");
    };
    run.require(tried([&] { value.store(1); }), "an atomic");
    run.require(tried([&] { kvrace::yield(); }), "yield");
    run.require(tried([&] { (void)run.flip(); }), "flip");
    run.require(tried([&] { run.require(false, "no"); }), "require");
    run.require(tried([&] { run.assume(false); }), "assume");
    run.require(tried([&] { run.add(0, 1); }), "add");
    run.require(tried([&] { run.spawn("task", [] {}); }), "spawn");
    run.require(value.load() == 0, "nothing has happened");
  });
  INFO(found << said);
  CHECK(found.passed());
}

TEST_CASE("a search all of whose runs are blocked by an assumption has tested nothing, and says so") {
  const auto impossible = [](kvrace::run& run) { run.assume(false); };
  for (const kvrace::result& found : {sample(impossible, 20), explore(impossible)}) {
    CHECK(found.verdict == kvrace::verdict::incomplete);
    CHECK(contains(found.claim, "Nothing was tested: each of " + std::to_string(found.counts.runs) + " runs"));
  }
  const kvrace::result some = sample([](kvrace::run& run) { run.assume(run.flip()); }, 200);
  CHECK(some.verdict == kvrace::verdict::not_found);
  CHECK(contains(some.claim, std::to_string(some.counts.blocked) + " of them were blocked by an unmet assumption"));
}

TEST_CASE("a body that differs from run to run is UNSOUND, though no decision shows it") {
  int calls = 0;
  const auto longer_each_time = [&](kvrace::run&) {
    atomic<int> value(0);
    for (int i = 0; i < calls; ++i) value.fetch_add(1);
    ++calls;
  };
  const kvrace::result proof = explore(longer_each_time);
  CHECK(proof.verdict == kvrace::verdict::unsound);
  CHECK(contains(proof.claim, "the program is not deterministic"));
  CHECK(sample(longer_each_time, 10).verdict == kvrace::verdict::unsound);
}

TEST_CASE("a proof notices that a repeated prefix executes other operations") {
  int calls = 0;
  const kvrace::result found = explore([&](kvrace::run& run) {
    const bool other = ++calls == 2;
    atomic<int> left(0);
    atomic<int> right(0);
    both(run, [&] { left.store(1); }, [&] { (other ? right : left).store(2); });
  });
  CHECK(found.verdict == kvrace::verdict::unsound);
}
