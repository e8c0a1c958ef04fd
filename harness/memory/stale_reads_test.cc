// Stale reads: which outcomes of the litmus tests are reached by sampling under memory_model::rc11, and which never. "Forbidden"
// is meant by RC11; each such outcome has a neighbour above it in which one memory order less allows it.
#include <kvrace/kvrace.h>

#include "proof/small_program.h"
#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::memory_model;
using kvrace::var;

namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto acq_rel = std::memory_order_acq_rel;
constexpr auto seq_cst = std::memory_order_seq_cst;

constexpr unsigned x = 0;
constexpr unsigned y = 1;
using task = std::vector<statement>;

statement store(unsigned at, int value, std::memory_order order) { return {action::store, at, value, 0, order}; }
statement load(unsigned at, std::memory_order order) { return {action::load, at, 0, 0, order}; }
statement add(unsigned at, int value, std::memory_order order) { return {action::add, at, value, 0, order}; }
statement exchange_if(unsigned at, int expected, int desired, std::memory_order order) {
  return {action::exchange_if, at, desired, expected, order};
}
statement fence(std::memory_order order) { return {action::fence, 0, 0, 0, order}; }

constexpr std::uint64_t runs = 4'000;
using outcomes = std::set<std::string>;

// Every outcome met in a sample: by task what its operations read, as execute() tells it ("l1l0|l2": the first task loaded 1 and
// then 0, the second 2), or the final memory ("1 2 ").
outcomes sampled(const std::vector<task>& tasks, bool final_memory) {
  outcomes seen;
  for (const auto& strategy : {kvrace::random_walk(), kvrace::pos()}) {
    const kvrace::result found =
        kvrace::check({.strategy = strategy, .runs = runs, .memory_model = memory_model::rc11}, [&](kvrace::run& run) {
          const observation all = execute({tasks}, run);
          seen.insert(final_memory ? all.substr(all.rfind('|') + 1) : all.substr(0, all.rfind('|')));
        });
    INFO(found);
    CHECK(found.passed());
  }
  return seen;
}
outcomes reads(const std::vector<task>& tasks) { return sampled(tasks, false); }
outcomes memories(const std::vector<task>& tasks) { return sampled(tasks, true); }
bool reads(const std::vector<task>& tasks, const char* outcome) { return reads(tasks).count(outcome) == 1; }

outcomes with(outcomes some, const char* another) {
  some.insert(another);
  return some;
}

}  // namespace

TEST_CASE("stale reads: store buffering takes two fences, or four sequentially consistent accesses, to be forbidden") {
  const outcomes ordered = {"l0|l1", "l1|l0", "l1|l1"};
  const outcomes all = with(ordered, "l0|l0");
  const auto accesses = [](std::memory_order write, std::memory_order read) {
    return reads({{store(x, 1, write), load(y, read)}, {store(y, 1, write), load(x, read)}});
  };
  CHECK(accesses(relaxed, relaxed) == all);
  CHECK(accesses(release, acquire) == all);
  CHECK(accesses(seq_cst, acquire) == all);
  CHECK(accesses(release, seq_cst) == all);
  CHECK(accesses(seq_cst, seq_cst) == ordered);
  const auto fences = [](std::memory_order first, std::memory_order second) {
    return reads(
        {{store(x, 1, relaxed), fence(first), load(y, relaxed)}, {store(y, 1, relaxed), fence(second), load(x, relaxed)}});
  };
  CHECK(fences(seq_cst, seq_cst) == ordered);
  CHECK(fences(seq_cst, acq_rel) == all);
  CHECK(fences(acq_rel, seq_cst) == all);
  // A fence on one side, accesses on the other.
  const auto mixed = [](std::memory_order write, std::memory_order read) {
    return reads({{store(x, 1, relaxed), fence(seq_cst), load(y, relaxed)}, {store(y, 1, write), load(x, read)}});
  };
  CHECK(mixed(seq_cst, seq_cst) == ordered);
  CHECK(mixed(relaxed, seq_cst) == all);
  CHECK(mixed(seq_cst, relaxed) == all);
}

TEST_CASE("stale reads: what precedes a fence is not missed by who has heard of the fence") {
  // The fence of the second task is known to the third by a message.
  const auto missed = [](std::memory_order read) {
    return reads({{store(x, 1, relaxed), fence(seq_cst), load(y, relaxed)},
                  {store(y, 1, relaxed), fence(seq_cst), store(y, 2, relaxed)},
                  {load(y, read), load(x, relaxed)}},
                 "l0||l2l0");
  };
  CHECK_FALSE(missed(acquire));
  CHECK(missed(relaxed));
  // What a task has read before its fence counts like what it has written.
  const auto read_before = [](std::memory_order order) {
    return reads({{store(x, 1, relaxed)},
                  {load(x, relaxed), fence(order), load(y, relaxed)},
                  {store(y, 1, relaxed), fence(order), load(x, relaxed)}},
                 "|l1l0|l0");
  };
  CHECK_FALSE(read_before(seq_cst));
  CHECK(read_before(acq_rel));
}

TEST_CASE("stale reads: a message passes with release and acquire, by accesses or by fences, and not without one of them") {
  const outcomes ordered = {"|l0l0", "|l0l1", "|l1l1"};
  const outcomes all = with(ordered, "|l1l0");
  const auto accesses = [](std::memory_order write, std::memory_order read) {
    return reads({{store(x, 1, relaxed), store(y, 1, write)}, {load(y, read), load(x, relaxed)}});
  };
  CHECK(accesses(relaxed, relaxed) == all);
  CHECK(accesses(release, relaxed) == all);
  CHECK(accesses(relaxed, acquire) == all);
  CHECK(accesses(relaxed, seq_cst) == all);
  CHECK(accesses(release, acquire) == ordered);
  CHECK(accesses(seq_cst, seq_cst) == ordered);
  const auto fences = [](std::memory_order out, std::memory_order in) {
    return reads({{store(x, 1, relaxed), fence(out), store(y, 1, relaxed)}, {load(y, relaxed), fence(in), load(x, relaxed)}});
  };
  CHECK(fences(release, acquire) == ordered);
  CHECK(fences(seq_cst, seq_cst) == ordered);
  CHECK(fences(acquire, acquire) == all);
  CHECK(fences(release, release) == all);
}

TEST_CASE("stale reads: an update in between keeps a message, a store in between does not") {
  const auto lost_through = [](const statement& between, const char* outcome) {
    return reads({{store(x, 1, relaxed), store(y, 1, release)}, {between}, {load(y, acquire), load(x, relaxed)}}, outcome);
  };
  CHECK_FALSE(lost_through(add(y, 1, relaxed), "|a1|l2l0"));
  CHECK(lost_through(store(y, 2, relaxed), "||l2l0"));
}

TEST_CASE("stale reads: all tasks see the stores to one object in one order") {
  CHECK(reads({{store(x, 1, relaxed), store(x, 2, relaxed)}, {load(x, relaxed), load(x, relaxed)}}) ==
        outcomes{"|l0l0", "|l0l1", "|l0l2", "|l1l1", "|l1l2", "|l2l2"});
  const task reader = {load(x, relaxed), load(x, relaxed)};
  const outcomes seen = reads({{store(x, 1, relaxed)}, {store(x, 2, relaxed)}, reader, reader});
  for (const char* agreed : {"||l1l2|l1l2", "||l2l1|l2l1"}) CHECK(seen.count(agreed) == 1);
  for (const char* split : {"||l1l2|l2l1", "||l2l1|l1l2"}) CHECK(seen.count(split) == 0);
}

TEST_CASE("stale reads: what one task has read, a task that synchronises with it does not miss") {
  const auto missed = [](std::memory_order write, std::memory_order read) {
    return reads({{store(x, 1, relaxed)}, {load(x, relaxed), store(y, 1, write)}, {load(y, read), load(x, relaxed)}}, "|l1|l1l0");
  };
  CHECK(missed(relaxed, relaxed));
  CHECK(missed(release, relaxed));
  CHECK_FALSE(missed(release, acquire));
}

TEST_CASE("stale reads: a task sees its own stores and updates") {
  CHECK(reads({{store(x, 1, relaxed), load(x, relaxed)}, {load(y, relaxed)}}) == outcomes{"l1|l0"});
  CHECK(reads({{add(x, 1, relaxed), load(x, relaxed)}, {add(x, 1, relaxed)}}) == outcomes{"a0l1|a1", "a0l2|a1", "a1l2|a0"});
}

TEST_CASE("stale reads: an update reads the newest store, a compare_exchange that fails need not") {
  CHECK(reads({{add(x, 1, relaxed)}, {add(x, 1, relaxed)}}) == outcomes{"a0|a1", "a1|a0"});
  CHECK(reads({{store(x, 1, relaxed)}, {exchange_if(x, 1, 2, relaxed), load(x, relaxed)}}) ==
        outcomes{"|f0l0", "|f0l1", "|x1l2"});
  // It does not fail on the value it expects: 1 is read, or exchanged while it is the newest.
  CHECK(reads({{store(x, 1, relaxed), store(x, 2, relaxed)}, {exchange_if(x, 1, 3, relaxed)}}) == outcomes{"|f0", "|f2", "|x1"});
}

TEST_CASE("stale reads: independent reads of independent writes agree only where all is sequentially consistent") {
  const auto disagree = [](std::memory_order write, std::memory_order read) {
    return reads({{store(x, 1, write)}, {store(y, 1, write)}, {load(x, read), load(y, read)}, {load(y, read), load(x, read)}},
                 "||l1l0|l1l0");
  };
  CHECK(disagree(release, acquire));
  CHECK(disagree(release, seq_cst));
  CHECK_FALSE(disagree(seq_cst, seq_cst));
  const auto fenced = [](std::memory_order order) {
    return reads({{store(x, 1, relaxed)},
                  {store(y, 1, relaxed)},
                  {load(x, relaxed), fence(order), load(y, relaxed)},
                  {load(y, relaxed), fence(order), load(x, relaxed)}},
                 "||l1l0|l1l0");
  };
  CHECK(fenced(acq_rel));
  CHECK_FALSE(fenced(seq_cst));
}

TEST_CASE(
    "stale reads: what no run shows: a load never reads what is stored later, and stores take effect in order of execution") {
  // Load buffering: RC11 forbids it.
  CHECK(reads({{load(x, relaxed), store(y, 1, relaxed)}, {load(y, relaxed), store(x, 1, relaxed)}}) ==
        outcomes{"l0|l0", "l0|l1", "l1|l0"});
  // 2+2W: RC11 allows that both first stores are the last ones in memory ("1 1 "), which is out of reach.
  const std::vector<task> writes = {{store(x, 1, relaxed), store(y, 2, relaxed)}, {store(y, 1, relaxed), store(x, 2, relaxed)}};
  CHECK(memories(writes) == outcomes{"2 1 ", "1 2 ", "2 2 "});
}

TEST_CASE("stale reads: at most the last stores can be read") {
  task writer;
  for (int value = 1; value <= 12; ++value) writer.push_back(store(x, value, relaxed));
  writer.push_back(store(y, 1, relaxed));
  outcomes late;
  for (const std::string& seen : reads({writer, {load(y, relaxed), load(x, relaxed)}}))
    if (seen.starts_with("|l1")) late.insert(seen.substr(3));
  CHECK(late == outcomes{"l5", "l6", "l7", "l8", "l9", "l10", "l11", "l12"});
}

TEST_CASE("stale reads: a lock passes on what was known, and its absence does not") {
  const task locked = {{action::lock}, add(x, 1, relaxed), {action::unlock}};
  CHECK(reads({locked, {{action::lock}, load(x, relaxed), load(x, relaxed), {action::unlock}}}) ==
        outcomes{"a0|l0l0", "a0|l1l1"});
  CHECK(reads({locked, {load(x, relaxed), load(x, relaxed)}}) == outcomes{"a0|l0l0", "a0|l0l1", "a0|l1l1"});
}

TEST_CASE("stale reads: without them values are sequentially consistent, as they are unless asked for") {
  const auto buffering = [](kvrace::run& run) {
    atomic<int> left(0);
    atomic<int> right(0);
    int first = 0;
    int second = 0;
    both(
        run, [&] { left.store(1, relaxed), first = right.load(relaxed); },
        [&] { right.store(1, relaxed), second = left.load(relaxed); });
    run.require(first + second != 0, "both have missed the other's store");
  };
  CHECK(outcome(kvrace::check({.runs = 20'000}, buffering)) == "NOT_FOUND");
  const kvrace::result found = kvrace::check({.memory_model = memory_model::rc11}, buffering);
  REQUIRE(outcome(found) == "requirement");
  CHECK(found.memory_model == memory_model::rc11);
  CHECK(contains(found.claim, "values under rc11"));

  // The finding tells the stale read, prints, parses and replays; in its schedule the read is an answer.
  const kvrace::finding& first = found.findings.front();
  const std::string text = first.schedule.to_string();
  CHECK(text.starts_with("rc11/"));
  CHECK(contains(text, "="));
  const auto told = [](const kvrace::finding& each) {
    return std::count_if(each.trace.begin(), each.trace.end(), [](const kvrace::trace_step& step) {
      return step.value == "stale 0 (1 store behind)" && step.behind == 1;
    });
  };
  CHECK(told(first) >= 1);
  const kvrace::result again = kvrace::replay({}, *kvrace::schedule::parse(text), buffering);
  REQUIRE(outcome(again) == "requirement");
  CHECK(again.memory_model == memory_model::rc11);
  CHECK(again.findings.front().trace_digest == first.trace_digest);
  CHECK(told(again.findings.front()) == told(first));

  // Shrunk, one answer is left. No search certifies it: without stale reads there is nothing to find.
  const kvrace::shrunk smaller = kvrace::shrink({}, first, buffering);
  CHECK(smaller.minimal.schedule.deviations.size() == 1);
  CHECK(smaller.minimal.schedule.deviations.front().what == kvrace::deviation::kind::value);
}

TEST_CASE("stale reads: data that a message of an older store protects has no race, nor is one missed") {
  // The receiver may read the first flag after the second was stored: it knows the first datum and not the second.
  const auto program = [](bool reads_second) {
    return [reads_second](kvrace::run& run) {
      var<int> first(0);
      var<int> second(0);
      atomic<int> flag(0);
      both(
          run,
          [&] {
            first.store(1), flag.store(1, release);
            second.store(1), flag.store(2, release);
          },
          [&] {
            const int seen = flag.load(acquire);
            if (seen >= 1) (void)first.load();
            if (seen == 2 || (reads_second && seen == 1)) (void)second.load();
          });
    };
  };
  CHECK(outcome(kvrace::check({.runs = 5'000, .memory_model = memory_model::rc11}, program(false))) == "NOT_FOUND");
  CHECK(outcome(kvrace::check({.runs = 5'000, .memory_model = memory_model::rc11}, program(true))) == "data_race");
}

TEST_CASE("stale reads: values of any size") {
  struct wide {
    std::array<std::uint64_t, 5> parts;
  };
  std::set<std::uint64_t> seen;
  const kvrace::result found = kvrace::check({.memory_model = memory_model::rc11}, [&](kvrace::run& run) {
    atomic<wide> object(wide{});
    both(
        run,
        [&] {
          for (std::uint64_t i = 1; i <= 3; ++i) object.store({{i, i, i, i, i}}, relaxed);
        },
        [&] {
          const wide value = object.load(relaxed);
          for (const std::uint64_t part : value.parts) run.require(part == value.parts[0], "torn");
          seen.insert(value.parts[0]);
        });
  });
  CHECK(found.passed());
  CHECK(seen == std::set<std::uint64_t>{0, 1, 2, 3});
}

TEST_CASE("stale reads: histories of destroyed atomics are used again") {
  const kvrace::result found = kvrace::check({.runs = 200, .memory_model = memory_model::rc11}, [](kvrace::run& run) {
    const auto task = [&run] {
      for (int round = 0; round < 40; ++round) {
        atomic<int> mine(round);
        run.require(mine.load(relaxed) == round, "the value of its constructor");
        for (int i = 0; i < 10; ++i) mine.store(-i, release);
        run.require(mine.load(relaxed) == -9, "its own last store");
      }
    };
    both(run, task, task);
  });
  INFO(found);
  CHECK(found.passed());
}

TEST_CASE("stale reads: no notification is missed because a value was stale") {
  const kvrace::result found = kvrace::check({.runs = 2'000, .memory_model = memory_model::rc11}, [](kvrace::run& run) {
    atomic<int> value(0);
    both(run, [&] { value.store(1, relaxed), value.notify_one(); }, [&] { value.wait(0, relaxed); });
  });
  INFO(found);
  CHECK(found.passed());
}

TEST_CASE("stale reads: tasks that wait for each other by yielding end") {
  for (const auto& strategy :
       {kvrace::random_walk(), kvrace::pct({.depth = 3, .decisions_max = 20}), kvrace::pos(), kvrace::surw()}) {
    const kvrace::result found =
        kvrace::check({.strategy = strategy, .runs = 200, .memory_model = memory_model::rc11, .limits = {.steps_max = 20'000}},
                      [](kvrace::run& run) {
                        atomic<int> turn(0);
                        for (int task = 0; task < 4; ++task)
                          run.spawn("task", [&turn, task] {
                            for (int round = 0; round < 2; ++round) {
                              while (turn.load() % 4 != task) kvrace::yield();
                              turn.fetch_add(1);
                            }
                          });
                        run.join_all();
                        run.require(turn.load() == 8, "all took their turns");
                      });
    INFO(found);
    CHECK(found.passed());
  }
}
