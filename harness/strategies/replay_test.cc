// Replay follows a schedule exactly or says that it cannot, and programs that are not deterministic are found out.
#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;

namespace {

kvrace::result follow(const std::string& text, const kvrace::program& tested) {
  std::string error;
  const auto schedule = kvrace::schedule::parse(text, &error);
  INFO(text << ": " << error);
  REQUIRE(schedule);
  return kvrace::replay({}, *schedule, tested);
}

// Two tasks of three steps each; the order in which they ran ends up in `order`.
kvrace::program two_by_three(std::string& order) {
  return [&order](kvrace::run& run) {
    order.clear();
    atomic<int> value(0);
    const auto steps = [&](char name) {
      for (int i = 0; i < 3; ++i) {
        value.fetch_add(1);
        order += name;
      }
    };
    both(run, [&] { steps('a'); }, [&] { steps('b'); });
  };
}

}  // namespace

TEST_CASE("the baseline runs each task to its end, lowest first") {
  std::string order;
  CHECK(outcome(follow("baseline", two_by_three(order))) == "NOT_FOUND");
  CHECK(order == "aaabbb");
}

TEST_CASE("a replay counts its run and claims nothing about other schedules") {
  std::string order;
  const kvrace::result found = follow("1.2:2", two_by_three(order));
  CHECK(found.counts.runs == 1);
  CHECK(found.counts.decisions > 0);
  CHECK(found.counts.switches > 0);
  CHECK(contains(found.claim, "nothing is claimed about the others"));
}

TEST_CASE("a switch is taken before the operation it names") {
  std::string order;
  const auto program = two_by_three(order);
  CHECK(outcome(follow("1.1:2", program)) == "NOT_FOUND");
  CHECK(order == "bbbaaa");
  CHECK(outcome(follow("1.3:2", program)) == "NOT_FOUND");
  CHECK(order == "aabbba");
  CHECK(outcome(follow("1.2:2,2.2:1", program)) == "NOT_FOUND");
  CHECK(order == "abaabb");
  CHECK(outcome(follow("0.1:2,2.3:1,1.2:2", program)) == "NOT_FOUND");
  CHECK(order == "bbabaa");
}

TEST_CASE("a task that has ended is left at the operation after its last") {
  std::string order;
  const auto program = [&order](kvrace::run& run) {
    order.clear();
    atomic<int> value(0);
    for (const char name : {'a', 'b', 'c'}) run.spawn("task", [&, name] { value.fetch_add(1), order += name; });
    run.join_all();
  };
  CHECK(outcome(follow("1.2:3", program)) == "NOT_FOUND");
  CHECK(order == "acb");
}

TEST_CASE("choices are answered where the schedule says so, and with 0 elsewhere") {
  std::string picked;
  const auto program = [&picked](kvrace::run& run) {
    picked.clear();
    for (int i = 0; i < 3; ++i) picked += std::to_string(run.pick(0, 4));
  };
  CHECK(outcome(follow("0.2=3", program)) == "NOT_FOUND");
  CHECK(picked == "030");
  CHECK(outcome(follow("0.3=4,0.1=1", program)) == "NOT_FOUND");
  CHECK(picked == "104");
}

TEST_CASE("a schedule that the program cannot follow is unsound, and the reason is named") {
  std::string order;
  const auto program = two_by_three(order);
  const auto refused = [&](const char* text, const std::string& reason) {
    const kvrace::result found = follow(text, program);
    INFO(text << ": " << found);
    CHECK(found.verdict == kvrace::verdict::unsound);
    CHECK(outcome(found) == "unsound");
    CHECK(contains(message(found), reason));
    CHECK(contains(found.claim, "Nothing is claimed"));
    CHECK_FALSE(found.passed());
  };
  refused("1.2:3", "the schedule switches to task 3 at operation 2 of task 1, where it is not enabled");
  refused("1.2:0", "the schedule switches to task 0 at operation 2 of task 1, where it is not enabled");  // the body waits
  refused("1.2:63", "switches to task 63");
  refused("1.2:64", "switches to task 64");
  refused("1.4:1", "the run had nothing to decide at operation 4 of task 1");  // task 2 alone is left
  refused("1.9:2", "the run had nothing to decide at operation 9 of task 1");
  refused("5.1:2", "the run had nothing to decide at operation 1 of task 5");
  refused("64.1:2", "the run had nothing to decide at operation 1 of task 64");
  refused("1.2=1", "the run had nothing to decide at operation 2 of task 1");            // it is no choice
  refused("1.2:2,1.2:2", "the run had nothing to decide at operation 2 of task 1");      // passed once only
  refused("2.2:1", "the run had nothing to decide at operation 2 of task 2");  // task 1 has ended
}

TEST_CASE("a choice with fewer outcomes than the answer is unsound") {
  const kvrace::result found = follow("0.1=2", [](kvrace::run& run) { (void)run.flip(); });
  CHECK(found.verdict == kvrace::verdict::unsound);
  CHECK(contains(message(found), "the schedule answers 2 to operation 1 of task 0, which has only 2 outcomes"));
}

TEST_CASE("replay stops at the violation: later answers of the schedule are not missed") {
  const kvrace::result found = follow("1.2:2,1.9:2", [](kvrace::run& run) {
    atomic<int> value(0);
    both(
        run,
        [&] {
          for (int i = 0; i < 20; ++i) value.fetch_add(1);
        },
        [&] { run.require(value.load() != 1, "seen in between"); });
  });
  CHECK(outcome(found) == "requirement");
}

TEST_CASE("a violation that does not end its run ends a replay") {
  const kvrace::program program = [](kvrace::run& run) {
    run.fail({.oracle = "first", .subject = "", .message = "goes on", .ends_run = false});
    run.fail({.oracle = "second", .subject = "", .message = "not reached in a replay", .ends_run = true});
  };
  const kvrace::result found = run_once(program);
  CHECK(outcome(found) == "first");
  CHECK(found.findings.size() == 1);
  CHECK(outcome(sample(program)) == "first");
}

TEST_CASE("a program whose violation does not come again is unsound, in check and in prove") {
  const auto flaky = [](int& calls) {
    return [&calls](kvrace::run& run) {
      const int call = calls++;
      atomic<int> value(0);
      both(run, [&] { value.store(1); }, [&] { (void)value.load(); });
      run.require(call != 3, "in the fourth call only");
    };
  };
  int calls = 0;
  const kvrace::result sampled = kvrace::check({.runs = 100}, flaky(calls));
  CHECK(sampled.verdict == kvrace::verdict::unsound);
  CHECK(contains(message(sampled), "the program is not deterministic"));
  calls = 2;
  const kvrace::result proved = kvrace::prove({}, flaky(calls));
  CHECK(proved.verdict == kvrace::verdict::unsound);
  CHECK(contains(message(proved), "the program is not deterministic"));
}

TEST_CASE("a program that fails in another way when repeated is unsound") {
  int calls = 0;
  const kvrace::result found = kvrace::check({.runs = 100}, [&](kvrace::run& run) {
    ++calls;
    run.fail({.oracle = calls == 1 ? "first" : "second", .subject = "", .message = "whichever"});
  });
  CHECK(found.verdict == kvrace::verdict::unsound);
  CHECK(contains(message(found), "first"));
  CHECK(contains(message(found), "not deterministic"));
}

TEST_CASE("a program with other tasks or steps in every run is found out by a proof") {
  int calls = 0;
  const kvrace::result tasks = kvrace::prove({}, [&](kvrace::run& run) {
    atomic<int> value(0);
    const int count = 2 + ++calls % 2;
    for (int i = 0; i < count; ++i) run.spawn("task", [&, i] { value.store(i), (void)value.load(); });
    run.join_all();
  });
  CHECK(tasks.verdict == kvrace::verdict::unsound);
  CHECK(contains(message(tasks), "the program is not deterministic"));
  calls = 0;
  const kvrace::result outcomes = kvrace::prove({}, [&](kvrace::run& run) {
    (void)run.pick(0, 5 - ++calls);
    (void)run.pick(0, 3);
  });
  CHECK(outcomes.verdict == kvrace::verdict::unsound);
}

TEST_CASE("a strategy that answers with what is not there ends the run as unsound") {
  struct wrong final : kvrace::strategy {
    bool begin_run(std::uint64_t index, const kvrace::execution_view&) override { return index == 0; }
    kvrace::task_answer choose_task(const kvrace::decision&) override { return {17, 1}; }
    std::uint64_t choose_value(unsigned, std::uint64_t outcomes) override { return outcomes; }
    [[nodiscard]] std::string describe() const override { return "wrong"; }
  };
  struct factory final : kvrace::strategy_factory {
    [[nodiscard]] std::unique_ptr<kvrace::strategy> make(std::uint64_t) const override { return std::make_unique<wrong>(); }
  };
  const auto strategy = std::make_shared<factory>();
  std::string order;
  const kvrace::result task = kvrace::check({.strategy = strategy}, two_by_three(order));
  CHECK(task.verdict == kvrace::verdict::unsound);
  CHECK(contains(message(task), "not enabled"));
  const kvrace::result value = kvrace::check({.strategy = strategy}, [](kvrace::run& run) { (void)run.flip(); });
  CHECK(value.verdict == kvrace::verdict::unsound);
  CHECK(contains(message(value), "does not exist"));
}
