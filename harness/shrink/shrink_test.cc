#include <functional>

#include <catch2/catch.hpp>

#include <kvrace/kvrace.h>

namespace {

// Two increments of each of three tasks, none of them atomic: many schedules lose one, a single preemption suffices.
void lost_update(kvrace::run& run) {
  kvrace::atomic<int> counter{0};
  for (int task = 0; task < 3; ++task)
    run.spawn("task", [&counter] {
      for (int i = 0; i < 2; ++i) counter.store(counter.load() + 1);
    });
  run.join_all();
  run.require(counter.load() == 6, "an update was lost");
}

// Fails only if b runs between a's two stores and a runs between b's two: two preemptions at least.
void nested(kvrace::run& run) {
  kvrace::atomic<int> x{0};
  kvrace::atomic<int> y{0};
  bool a_saw = false;
  bool b_saw = false;
  run.spawn("a", [&] {
    x.store(1);
    a_saw = y.load() == 1;
    x.store(2);
  });
  run.spawn("b", [&] {
    const bool first = x.load() == 1;
    y.store(1);
    b_saw = first && x.load() == 2;
  });
  run.join_all();
  run.require(!(a_saw && b_saw), "nested");
}

kvrace::finding first_finding(const kvrace::strategy_choice& strategy, std::uint64_t seed, const kvrace::program& program) {
  const kvrace::result found = kvrace::check({.strategy = strategy, .seed = seed, .runs = 100'000}, program);
  REQUIRE(found.verdict == kvrace::verdict::violation);
  return found.findings.front();
}

}  // namespace

TEST_CASE("a lost update shrinks to one preemption from every seed, certified") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const kvrace::finding from = first_finding(kvrace::random_walk(0.9), seed, lost_update);
    const kvrace::shrunk small = kvrace::shrink({}, from, lost_update);
    INFO("seed " << seed << ", from " << from.schedule.to_string() << " to " << small.minimal.schedule.to_string());
    CHECK(small.preemptions == 1);
    CHECK(small.certified);
    CHECK(small.minimal.signature() == from.signature());
    CHECK(small.minimal.schedule.deviations.size() <= from.schedule.deviations.size());
  }
}

TEST_CASE("without the search nothing is certified but that there are no preemptions") {
  const kvrace::finding from = first_finding(kvrace::random_walk(0.9), 1, lost_update);
  const kvrace::shrunk small = kvrace::shrink({.search = false}, from, lost_update);
  REQUIRE(small.preemptions > 0);
  CHECK_FALSE(small.certified);
}

TEST_CASE("a shrunk schedule replays, and its passing neighbour passes") {
  const kvrace::finding from = first_finding(kvrace::random_walk(0.5), 3, lost_update);
  const kvrace::shrunk small = kvrace::shrink({}, from, lost_update);
  CHECK(kvrace::replay({}, small.minimal.schedule, lost_update).verdict == kvrace::verdict::violation);
  REQUIRE(small.passing);
  CHECK(kvrace::replay({}, *small.passing, lost_update).verdict == kvrace::verdict::not_found);
}

TEST_CASE("the decisive pair is a pair of conflicting steps of different tasks") {
  const kvrace::finding from = first_finding(kvrace::random_walk(0.5), 3, lost_update);
  const kvrace::shrunk small = kvrace::shrink({}, from, lost_update);
  REQUIRE(small.decisive);
  const auto at = [&small](std::uint64_t number) {
    for (const kvrace::trace_step& step : small.minimal.trace)
      if (step.step == number) return step;
    FAIL("no such step");
    return kvrace::trace_step{};
  };
  const kvrace::trace_step earlier = at(small.decisive->first);
  const kvrace::trace_step later = at(small.decisive->second);
  CHECK(earlier.task != later.task);
  CHECK(earlier.object == later.object);
  CHECK(earlier.step < later.step);
}

TEST_CASE("the least number of preemptions is what an exhaustive search says") {
  kvrace::prove_options below;
  below.preemptions_max = 1;
  REQUIRE(kvrace::prove(below, nested).verdict == kvrace::verdict::exhausted);
  const kvrace::shrunk small = kvrace::shrink({}, first_finding(kvrace::random_walk(0.5), 5, nested), nested);
  CHECK(small.preemptions == 2);
  CHECK(small.certified);
}

TEST_CASE("a spent budget leaves a finding that replays, and certifies nothing") {
  const kvrace::finding from = first_finding(kvrace::random_walk(0.9), 7, lost_update);
  kvrace::shrink_options options;
  options.runs = 1;
  const kvrace::shrunk small = kvrace::shrink(options, from, lost_update);
  CHECK(small.runs <= 2);
  CHECK(kvrace::replay({}, small.minimal.schedule, lost_update).verdict == kvrace::verdict::violation);
  if (small.preemptions > 0) CHECK_FALSE(small.certified);
}

TEST_CASE("an observer or a time budget ends shrinking with the best so far, and the result says so") {
  struct impatient : kvrace::search_observer {
    bool on_progress(const kvrace::search_progress&) override { return false; }
  } observer;
  const kvrace::finding from = first_finding(kvrace::random_walk(0.9), 7, lost_update);
  REQUIRE(kvrace::preemptions_of(from) > 1);
  for (const kvrace::shrink_options& options :
       {kvrace::shrink_options{.observer = &observer}, kvrace::shrink_options{.time_s = 1e-9}}) {
    const kvrace::shrunk small = kvrace::shrink(options, from, lost_update);
    CHECK(small.interrupted);
    CHECK_FALSE(small.certified);
    CHECK(small.minimal.signature() == from.signature());
    CHECK(kvrace::replay({}, small.minimal.schedule, lost_update).verdict == kvrace::verdict::violation);
  }
  CHECK_FALSE(kvrace::shrink({}, from, lost_update).interrupted);
}

TEST_CASE("shrinking is deterministic") {
  const kvrace::finding from = first_finding(kvrace::random_walk(0.9), 9, lost_update);
  const kvrace::shrunk one = kvrace::shrink({}, from, lost_update);
  const kvrace::shrunk two = kvrace::shrink({}, from, lost_update);
  CHECK(one.minimal.schedule == two.minimal.schedule);
  CHECK(one.runs == two.runs);
}
