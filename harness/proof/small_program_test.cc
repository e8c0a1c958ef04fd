// The bounded search against plain enumeration: thousands of random programs, explored by both.
#include <bit>
#include <memory>

#include <kvrace/kvrace.h>

#include "proof/small_program_interpreter.h"
#include "test_support.h"

using namespace kvrace::testing;

namespace {

constexpr std::uint64_t interleavings_max = 200'000;

struct tally {
  unsigned compared = 0;
  unsigned proved = 0;
  unsigned deadlocks = 0;
  unsigned races = 0;
  std::uint64_t interleavings = 0;
  std::uint64_t classes = 0;
};

std::set<observation> within(const all_behaviours& all, unsigned preemptions) {
  std::set<observation> reached;
  for (const auto& [seen, least] : all.observations)
    if (least <= preemptions) reached.insert(seen);
  return reached;
}
std::vector<std::uint64_t> by_bound(const all_behaviours& all, std::size_t bounds) {
  std::vector<std::uint64_t> counts(bounds);
  for (std::size_t bound = 0; bound < bounds; ++bound)
    for (const auto& [key, least] : all.classes) counts[bound] += least <= bound ? 1 : 0;
  return counts;
}

// Explores `program` with at most `preemptions` and collects what complete runs observed.
kvrace::result explore_observing(const small_program& program, std::set<observation>& seen, unsigned preemptions = 1'000) {
  return kvrace::prove({.preemptions_max = preemptions}, [&](kvrace::run& run) { seen.insert(execute(program, run)); });
}

void compare(const small_program& program, tally& so_far) {
  const all_behaviours all = interpret(program, interleavings_max);
  if (all.cut) return;  // too many to enumerate
  ++so_far.compared;
  so_far.interleavings += all.interleavings;
  INFO(to_string(program));
  std::set<observation> seen;
  const kvrace::result found = explore_observing(program, seen);
  INFO(found);
  if (all.deadlocks || all.races) {
    so_far.deadlocks += all.deadlocks ? 1 : 0;
    so_far.races += all.races ? 1 : 0;
    REQUIRE(found.verdict == kvrace::verdict::violation);
    const std::string oracle = outcome(found);
    REQUIRE(((oracle == "deadlock" && all.deadlocks) || (oracle == "data_race" && all.races)));
    return;
  }
  ++so_far.proved;
  so_far.classes += all.classes.size();
  REQUIRE(found.verdict == kvrace::verdict::proved);
  REQUIRE(seen == within(all, 1'000));
  REQUIRE(found.counts.executions_distinct == all.classes.size());
  REQUIRE(found.executions_by_bound == by_bound(all, found.executions_by_bound.size()));
}

tally compare_many(const vocabulary& words, std::uint64_t seeds) {
  tally so_far;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) compare(random_program(words, seed), so_far);
  return so_far;
}

constexpr vocabulary atomics{.statements_max = 3};
constexpr vocabulary everything_small{.statements_max = 3, .locks = true, .choices = true, .yields = true};
constexpr vocabulary only_locks{.atomics = false, .locks = true};
constexpr vocabulary conditions{.statements_max = 4, .locks = true, .condition = true};
constexpr vocabulary racy{.statements_max = 4, .orders = true, .plain = true};
constexpr vocabulary racy_locks{.statements_max = 5, .atomics = false, .locks = true, .plain = true};

}  // namespace

TEST_CASE("the interpreter itself counts what is known") {
  const auto store = [](unsigned object, int value) { return statement{action::store, object, value}; };
  const auto load = [](unsigned object) { return statement{action::load, object}; };
  const auto locked = [](statement inner) { return std::vector<statement>{{action::lock}, inner, {action::unlock}}; };
  // Store buffering: 6 interleavings, 3 traces, 3 outcomes; one trace needs a preemption.
  const all_behaviours buffering = interpret({{{store(0, 1), load(1)}, {store(1, 1), load(0)}}}, 1'000);
  CHECK(buffering.interleavings == 6);
  CHECK(buffering.classes.size() == 3);
  CHECK(buffering.observations.size() == 3);
  CHECK(by_bound(buffering, 2) == std::vector<std::uint64_t>{2, 3});
  // 2+2W: three traces although only two final memories are new.
  const all_behaviours writes = interpret({{{store(0, 1), store(1, 2)}, {store(1, 1), store(0, 2)}}}, 1'000);
  CHECK(writes.classes.size() == 3);
  // Three locked increments: 3! orders, without a preemption.
  const all_behaviours increments =
      interpret({{locked({action::add, 0, 1}), locked({action::add, 0, 1}), locked({action::add, 0, 1})}}, 10'000);
  CHECK(by_bound(increments, 1) == std::vector<std::uint64_t>{6});
  CHECK_FALSE(increments.deadlocks);
  // Readers commute, a writer with neither: 4 traces.
  const std::vector<statement> reader{{action::lock_shared}, {action::release}};
  const std::vector<statement> writer{{action::lock_exclusive}, {action::release}};
  CHECK(interpret({{reader, reader}}, 1'000).classes.size() == 1);
  CHECK(interpret({{reader, reader, writer}}, 10'000).classes.size() == 4);
  // A cycle of two locks.
  const std::vector<statement> up{{action::lock}, {action::lock_exclusive}};
  const std::vector<statement> down{{action::lock_exclusive}, {action::lock}};
  CHECK(interpret({{up, down}}, 1'000).deadlocks);
  CHECK_FALSE(interpret({{up, up}}, 1'000).deadlocks);
  // A lost notification.
  CHECK(interpret({{{{action::lock}, {action::wait}}, {{action::notify_one}}}}, 1'000).deadlocks);
  CHECK_FALSE(interpret({{{{action::lock}, {action::wait_for}}, {{action::notify_one}}}}, 1'000).deadlocks);
}

TEST_CASE("the interpreter's races are those of C++20") {
  const auto with = [](statement send, statement receive) {
    return interpret({{{{action::write_plain}, send}, {receive, {action::read_plain}}}}, 1'000).races;
  };
  const statement release{action::store, 0, 1, 0, std::memory_order_release};
  const statement relaxed{action::store, 0, 1, 0, std::memory_order_relaxed};
  const statement acquire{action::load, 0, 0, 0, std::memory_order_acquire};
  CHECK(with(release, acquire));  // the receiver may come first: it reads whatever it saw
  CHECK(with(relaxed, acquire));
  const std::vector<statement> guarded{{action::lock}, {action::write_plain}, {action::unlock}};
  CHECK_FALSE(interpret({{guarded, guarded}}, 1'000).races);
  const std::vector<statement> shared{{action::lock_shared}, {action::write_plain}, {action::release}};
  CHECK(interpret({{shared, shared}}, 1'000).races);
}

TEST_CASE("search and enumeration agree on programs of atomics: observations, traces, bounds") {
  const tally done = compare_many(atomics, 400);
  CHECK(done.compared > 350);
  CHECK(done.proved == done.compared);
  CHECK(done.classes > 2'000);
}

TEST_CASE("search and enumeration agree on programs of atomics, locks, choices and yields") {
  const tally done = compare_many(everything_small, 500);
  CHECK(done.compared > 400);
  CHECK(done.proved > 300);
  const tally deadlocking = compare_many(only_locks, 500);
  CHECK(deadlocking.deadlocks >= 10);
}

TEST_CASE("search and enumeration agree on programs with a condition variable") {
  const tally done = compare_many(conditions, 500);
  CHECK(done.compared > 300);
  CHECK(done.deadlocks > 20);
  CHECK(done.proved > 100);
}

TEST_CASE("search and definition agree on data races under all memory orders and locks") {
  const tally ordered = compare_many(racy, 400);
  CHECK(ordered.races > 100);
  CHECK(ordered.proved > 50);
  const tally locked = compare_many(racy_locks, 400);
  CHECK(locked.races > 100);
  CHECK(locked.proved > 50);
}

TEST_CASE("what is exhausted with few preemptions is what few preemptions reach") {
  unsigned exhausted = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const small_program program = random_program(atomics, seed);
    const all_behaviours all = interpret(program, interleavings_max);
    if (all.cut) continue;
    for (unsigned bound = 0; bound < 3; ++bound) {
      std::set<observation> seen;
      const kvrace::result found = explore_observing(program, seen, bound);
      INFO(to_string(program) << '\n' << found);
      REQUIRE((found.verdict == kvrace::verdict::proved || found.verdict == kvrace::verdict::exhausted));
      if (found.verdict == kvrace::verdict::exhausted) {
        ++exhausted;
        REQUIRE(found.preemptions_bound == bound);
        REQUIRE(found.counts.states_open > 0);
        REQUIRE(seen == within(all, bound));
        REQUIRE(found.executions_by_bound == by_bound(all, bound + 1));
      } else {
        REQUIRE(seen == within(all, 1'000));
      }
    }
  }
  CHECK(exhausted > 50);
}

namespace {

// Every sequence of answers there is, one after the other: no states, no equivalence, no bound.
class every_schedule final : public kvrace::strategy {
 public:
  bool begin_run(std::uint64_t index, const kvrace::execution_view&) override {
    asked_ = 0;
    if (index == 0) return true;
    while (!path_.empty() && path_.back().left == 0) path_.pop_back();
    if (path_.empty()) return false;
    --path_.back().left;
    ++path_.back().chosen;
    return true;
  }
  kvrace::task_answer choose_task(const kvrace::decision& now) override {
    kvrace::task_set rest = now.enabled;
    for (std::uint64_t skipped = next(static_cast<std::uint64_t>(std::popcount(now.enabled))); skipped > 0; --skipped)
      rest &= rest - 1;
    return {static_cast<unsigned>(std::countr_zero(rest)), 1};
  }
  std::uint64_t choose_value(unsigned, std::uint64_t outcomes) override { return next(outcomes); }
  [[nodiscard]] std::string describe() const override { return "every schedule"; }

 private:
  std::uint64_t next(std::uint64_t outcomes) {
    if (asked_ == path_.size()) path_.push_back({0, outcomes - 1});
    return path_[asked_++].chosen;
  }
  struct answer {
    std::uint64_t chosen;
    std::uint64_t left;
  };
  std::vector<answer> path_;
  std::size_t asked_ = 0;
};
struct every_schedule_factory final : kvrace::strategy_factory {
  [[nodiscard]] std::unique_ptr<kvrace::strategy> make(std::uint64_t) const override {
    return std::make_unique<every_schedule>();
  }
};

}  // namespace

TEST_CASE("bounded search, plain depth-first search and enumeration agree on what random programs observe") {
  constexpr std::uint64_t schedules_max = 20'000;
  unsigned compared = 0;
  std::uint64_t schedules = 0;
  for (const vocabulary& words : {atomics, everything_small})
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      const small_program program = random_program(words, seed);
      const all_behaviours all = interpret(program, 2'000);
      if (all.cut || all.deadlocks) continue;
      std::set<observation> plain;
      const kvrace::result every = kvrace::check({.strategy = std::make_shared<every_schedule_factory>(), .runs = schedules_max},
                                                 [&](kvrace::run& run) { plain.insert(execute(program, run)); });
      INFO(to_string(program) << '\n' << every);
      REQUIRE(every.findings.empty());
      if (every.counts.runs == schedules_max) continue;
      std::set<observation> bounded;
      (void)explore_observing(program, bounded);
      CHECK(plain == within(all, 1'000));
      CHECK(bounded == plain);
      ++compared;
      schedules += every.counts.runs;
    }
  CHECK(compared > 100);
  CHECK(schedules > 10'000);
}

TEST_CASE("every observation that enumeration reaches is a violation the search finds and replays") {
  unsigned found_count = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const small_program program = random_program(everything_small, seed);
    const all_behaviours all = interpret(program, 20'000);
    if (all.cut || all.deadlocks) continue;
    for (const auto& reached : all.observations) {
      const observation& forbidden = reached.first;
      const kvrace::program checked = [&program, &forbidden](kvrace::run& run) {
        run.require(execute(program, run) != forbidden, "forbidden");
      };
      const kvrace::result found = explore(checked);
      INFO(to_string(program) << forbidden << '\n' << found);
      REQUIRE(outcome(found) == "requirement");
      const auto schedule = kvrace::schedule::parse(found.findings.front().schedule.to_string());
      REQUIRE(schedule);
      const kvrace::result again = kvrace::replay({}, *schedule, checked);
      REQUIRE(outcome(again) == "requirement");
      REQUIRE(again.findings.front().trace_digest == found.findings.front().trace_digest);
      if (++found_count % 8 == 0) break;  // some programs have very many
    }
  }
  CHECK(found_count > 100);
}

TEST_CASE("search and enumeration agree on thousands of programs", "[exhaustive]") {
  const vocabulary larger{.statements_max = 4, .locks = true, .choices = true, .yields = true};
  const vocabulary racy_mixed{.statements_max = 5, .orders = true, .locks = true, .plain = true};
  tally sum;
  const auto add = [&sum](const tally& more) {
    sum.compared += more.compared;
    sum.proved += more.proved;
    sum.deadlocks += more.deadlocks;
    sum.races += more.races;
    sum.interleavings += more.interleavings;
    sum.classes += more.classes;
  };
  add(compare_many(larger, 4'000));
  add(compare_many(atomics, 4'000));
  add(compare_many(conditions, 4'000));
  add(compare_many(racy, 4'000));
  add(compare_many(racy_locks, 4'000));
  add(compare_many(racy_mixed, 4'000));
  WARN(sum.compared << " programs compared, " << sum.proved << " proved, " << sum.deadlocks << " with deadlocks, " << sum.races
                    << " with races, " << sum.interleavings << " interleavings, " << sum.classes << " traces");
  CHECK(sum.compared > 15'000);
}
