// The sets of objects whose operations a selectively uniform walk interleaves uniformly.
#include <array>
#include <stdexcept>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;

namespace {

constexpr std::uint64_t runs = 4'004;  // 4 of them only count

// One task adds to two counters three times, far apart in its operations on something else; where among these is the other task's
// addition? Every run adds to the metric of that place.
void far_apart(kvrace::run& run) {
  atomic<int> first(0);
  atomic<int> second(0);
  atomic<int> noise(0);
  kvrace::sync::name(first, "count ", 0);
  kvrace::sync::name(second, "count ", 1);
  kvrace::sync::name(noise, "noise");
  int seen = 0;
  both(
      run,
      [&] {
        for (int i = 0; i < 3; ++i) {
          (i == 1 ? second : first).fetch_add(1);
          for (int times = 0; times < 10 * i; ++times) noise.fetch_add(1);
        }
      },
      [&] {
        noise.fetch_add(1);
        seen = first.fetch_add(1) + second.load();
      });
  run.add(static_cast<std::size_t>(seen), 1);
}

kvrace::result walk(std::vector<std::string> sets) {
  return kvrace::check(
      {.strategy = kvrace::surw({.sets = std::move(sets)}), .seed = 3, .runs = runs, .metrics = {"0", "1", "2", "3"}}, far_apart);
}

}  // namespace

TEST_CASE("the operations on a named set are interleaved uniformly, however many others lie between them") {
  // Five operations of the set, two of them the second task's: 10 orders. Its addition has i of the first task's before it, its
  // load j.
  std::array<double, 4> expected{};
  for (int i = 0; i <= 3; ++i)
    for (int j = i; j <= 3; ++j) {
      const int first_seen = i < 1 ? 0 : i < 3 ? 1 : 2;
      const int second_seen = j < 2 ? 0 : 1;
      expected[static_cast<std::size_t>(first_seen + second_seen)] += 0.1;
    }
  const kvrace::result found = walk({"count *"});
  INFO(found);
  for (std::size_t seen = 0; seen < 4; ++seen) {
    INFO("seen " << seen << ": " << found.metrics[seen].second << " of " << runs << ", expected " << expected[seen]);
    const double measured = static_cast<double>(found.metrics[seen].second) / static_cast<double>(runs);
    CHECK(measured > expected[seen] - 0.04);  // five standard deviations
    CHECK(measured < expected[seen] + 0.04);
  }
}

TEST_CASE("an object belongs to the first set that its name fits, and a set that nobody met at is named") {
  CHECK(walk({"count 0", "count *"}).strategy == "selectively uniform random walk of 'count 0', 'count *'");
  CHECK(walk({"count *", "count 0", "coun"}).strategy ==
        "selectively uniform random walk of 'count *', 'count 0', 'coun' (no two tasks met at any of 'count 0', 'coun')");
  CHECK(walk({}).strategy == "selectively uniform random walk");
}

TEST_CASE("a walk over named sets is the same for any number of processes, and its findings replay") {
  const auto lost = [](kvrace::run& run) {
    atomic<int> count(0);
    kvrace::sync::name(count, "count");
    for (int i = 0; i < 3; ++i) run.spawn("adder", [&] { count.store(count.load() + 1); });
    run.join_all();
    run.require(count.load() != 1, "two updates are lost");
  };
  kvrace::check_options options{.strategy = kvrace::surw({.sets = {"count"}}), .seed = 2, .runs = 2'000};
  options.stop_at_violation = false;
  const kvrace::result alone = kvrace::check(options, lost);
  REQUIRE(alone.counts.violations > 10);
  options.jobs = 2;
  CHECK(kvrace::check(options, lost).claim == alone.claim);
  CHECK(outcome(kvrace::replay({}, alone.findings.front().schedule, lost)) == "requirement");
}

TEST_CASE("a set without a name is refused") { CHECK_THROWS_AS(kvrace::surw({.sets = {""}}), std::invalid_argument); }
