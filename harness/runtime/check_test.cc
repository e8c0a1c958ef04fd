// check(), prove() and replay(): verdicts, claims, counts, findings and what a program may ask of its run.
#include <sstream>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;

namespace {

void lost_update(kvrace::run& run) {
  atomic<int> count(0);
  kvrace::sync::name(count, "count");
  const auto increment = [&] { count.store(count.load() + 1); };
  both(run, increment, increment);
  run.require(count.load() == 2, "an update was lost");
}
void correct(kvrace::run& run) {
  atomic<int> count(0);
  both(run, [&] { count.fetch_add(1); }, [&] { count.fetch_add(1); });
  run.require(count.load() == 2, "an update was lost");
}
// More interleavings than anybody explores.
void enormous(kvrace::run& run) {
  atomic<int> count(0);
  for (int task = 0; task < 4; ++task)
    run.spawn("task", [&] {
      for (int i = 0; i < 50; ++i) count.store(count.load() + 1);
    });
  run.join_all();
}

class counting_observer final : public kvrace::search_observer {
 public:
  explicit counting_observer(unsigned stop_after) : stop_after_(stop_after) {}
  bool on_progress(const kvrace::search_progress& now) override {
    last = now;
    return ++calls < stop_after_;
  }
  void on_run(const kvrace::observed_run& run) override {
    ++runs;
    violations += run.first ? 1 : 0;
  }
  unsigned calls = 0;
  std::uint64_t runs = 0;
  std::uint64_t violations = 0;
  kvrace::search_progress last;

 private:
  unsigned stop_after_;
};

}  // namespace

TEST_CASE("an empty program is proved in one run") {
  const kvrace::result found = explore([](kvrace::run&) {});
  CHECK(found.verdict == kvrace::verdict::proved);
  CHECK(found.passed());
  CHECK(found.counts.runs == 1);
  CHECK(found.counts.executions_distinct == 1);
  CHECK(found.counts.states_open == 0);
}

TEST_CASE("a sample without a violation is NOT_FOUND and claims effort, not absence") {
  const kvrace::result found = kvrace::check({.seed = 9, .runs = 123}, correct);
  CHECK(found.verdict == kvrace::verdict::not_found);
  CHECK(found.passed());
  CHECK(found.counts.runs == 123);
  CHECK(found.seed == 9);
  CHECK(found.counts.tasks_max == 2);
  CHECK(contains(found.claim, "123 sampled schedules"));
  CHECK(contains(found.claim, "seed 9"));
  CHECK(contains(found.claim, "effort, not absence"));
}

TEST_CASE("a proof lists the bounds it holds in") {
  const kvrace::result found = explore(correct);
  CHECK(found.verdict == kvrace::verdict::proved);
  CHECK(found.executions_by_bound == std::vector<std::uint64_t>{2});
  for (const char* part :
       {"Every sc execution", "2 tasks and the body", "2 complete executions", "closed under every enabled operation",
        "no spurious wakeups", "timed waits may time out at any point", "free of races"})
    CHECK(contains(found.claim, part));
}

TEST_CASE("a bound that is too low for a proof is EXHAUSTED with that bound") {
  const kvrace::result found = kvrace::prove({.preemptions_max = 1}, enormous);
  CHECK(found.verdict == kvrace::verdict::exhausted);
  CHECK(found.passed());
  CHECK(found.preemptions_bound == 1);
  CHECK(found.counts.states_open > 0);
  CHECK(contains(found.claim, "with at most 1 preemption was explored"));
}

TEST_CASE("a budget that ends a search makes it INCOMPLETE, whatever the budget is") {
  const kvrace::result runs = kvrace::prove({.runs = 50}, enormous);
  CHECK(runs.verdict == kvrace::verdict::incomplete);
  CHECK_FALSE(runs.passed());
  CHECK(runs.counts.runs == 50);
  CHECK(contains(runs.claim, "A budget ended the search"));
  const kvrace::result states = kvrace::prove({.states_max = 1'000}, enormous);
  CHECK(states.verdict == kvrace::verdict::incomplete);
  CHECK(states.counts.states_distinct < 1'500);
  const kvrace::result time = kvrace::prove({.time_s = 0.05}, enormous);
  CHECK(time.verdict == kvrace::verdict::incomplete);
  CHECK(time.interrupted);
  CHECK_FALSE(states.interrupted);
  const kvrace::result sampled = kvrace::check({.runs = 1'000'000'000, .time_s = 0.05}, enormous);
  CHECK(sampled.verdict == kvrace::verdict::incomplete);
  CHECK(sampled.interrupted);
  CHECK(sampled.counts.runs < 1'000'000'000);
}

TEST_CASE("a search without any budget is refused") {
  CHECK_THROWS_AS(kvrace::check({.runs = 0}, correct), std::invalid_argument);
  CHECK(kvrace::check({.runs = 0, .time_s = 0.02}, correct).verdict == kvrace::verdict::incomplete);
}

TEST_CASE("an observer that says stop interrupts a search, and sees its runs") {
  counting_observer observer(2);
  const kvrace::result found = kvrace::check({.runs = 1'000'000'000, .observer = &observer}, correct);
  CHECK(found.verdict == kvrace::verdict::incomplete);
  CHECK(found.interrupted);
  CHECK(contains(found.claim, "was interrupted"));
  CHECK(observer.calls == 2);
  CHECK(observer.runs == found.counts.runs);
  CHECK(observer.last.runs > 0);
  CHECK(observer.last.runs_max == 1'000'000'000);
  counting_observer proof(2);
  const kvrace::result proved = kvrace::prove({.observer = &proof}, enormous);
  CHECK(proved.verdict == kvrace::verdict::incomplete);
  CHECK(proof.last.states_distinct > 0);
}

TEST_CASE("a violation names its oracle, its place, its run and its schedule") {
  const kvrace::result found = sample(lost_update);
  REQUIRE(found.verdict == kvrace::verdict::violation);
  CHECK_FALSE(found.passed());
  REQUIRE(found.findings.size() == 1);
  const kvrace::finding& what = found.findings.front();
  CHECK(what.oracle == "requirement");
  CHECK(what.message == "an update was lost");
  CHECK(what.run == found.counts.runs - 1);
  CHECK(what.occurrences == 1);
  REQUIRE(what.sites.size() == 1);
  CHECK(contains(what.sites.front().file, "check_test.cc"));
  CHECK(what.tasks == std::vector<std::string>{"body", "first", "second"});
  std::ostringstream text;
  text << found;
  CHECK(contains(text.str(), "VIOLATION"));
  CHECK(contains(text.str(), "an update was lost"));
  CHECK(contains(text.str(), "replay with the schedule \"" + what.schedule.to_string() + "\""));
}

TEST_CASE("what a program says cannot move the cursor") {
  const auto says = [](kvrace::run& run) { run.require(false, "a\nb \x1b[2J \xC2\x9B \xC3\xBC \x7F"); };
  std::ostringstream text;
  text << kvrace::check({}, says);
  CHECK(contains(text.str(), ": a\\x0Ab \\x1B[2J \\x9B \xC3\xBC \\x7F\n"));
}

TEST_CASE("the trace of a finding tells every step, its value and its object") {
  const kvrace::result found = explore(lost_update);
  REQUIRE(outcome(found) == "requirement");
  const auto& trace = found.findings.front().trace;
  std::vector<std::string> told;
  for (const auto& step : trace)
    told.push_back(std::to_string(step.task) + " " + step.kind + " " + step.object + " " + step.value +
                   (step.preempts ? " !" : ""));
  const std::vector<std::string> one{
      "1 load atomic 'count' 0", "2 load atomic 'count' 0 !", "2 store atomic 'count' 1", "1 store atomic 'count' 1", "0 join  ",
      "0 load atomic 'count' 1"};
  const std::vector<std::string> other{
      "2 load atomic 'count' 0", "1 load atomic 'count' 0 !", "1 store atomic 'count' 1", "2 store atomic 'count' 1", "0 join  ",
      "0 load atomic 'count' 1"};
  CHECK((told == one || told == other));
  for (std::size_t i = 0; i < trace.size(); ++i) {
    CHECK(trace[i].step == i + 1);
    CHECK(trace[i].site.line != 0);
  }
  CHECK(trace[1].decisive);
  CHECK(found.findings.front().step == trace.size());
}

TEST_CASE("going through all runs counts violations and keeps one finding a signature") {
  const kvrace::result found =
      kvrace::check({.strategy = kvrace::random_walk(0.5), .runs = 1'000, .stop_at_violation = false}, [](kvrace::run& run) {
        atomic<int> count(0);
        const auto increment = [&] { count.store(count.load() + 1); };
        both(run, increment, increment);
        if (run.flip()) run.require(count.load() == 2, "an update was lost");
        run.require(count.load() == 2, "an update was lost, seen elsewhere");
      });
  CHECK(found.counts.runs == 1'000);
  REQUIRE(found.findings.size() == 2);
  CHECK(found.counts.violations == found.findings[0].occurrences + found.findings[1].occurrences);
  CHECK(found.findings[0].run < found.findings[1].run);
  CHECK(found.findings[0].occurrences > 10);
  CHECK(found.findings[1].occurrences > 10);
}

TEST_CASE("signatures tell oracles and places apart, and objects of one kind together") {
  kvrace::finding one;
  one.oracle = "ghost_entry";
  one.subject = "block 1";
  kvrace::finding two = one;
  two.subject = "block 27";
  CHECK(one.signature() == two.signature());
  two.oracle = "leak";
  CHECK(one.signature() != two.signature());
  two = one;
  two.sites.push_back({"file.cc", 3});
  CHECK(one.signature() != two.signature());
}

TEST_CASE("the first violation of a run is the one reported") {
  const kvrace::result found = sample([](kvrace::run& run) {
    run.fail({.oracle = "first", .subject = "thing 1", .message = "goes on", .ends_run = false});
    run.fail({.oracle = "second", .subject = "", .message = "ends", .ends_run = true});
  });
  CHECK(outcome(found) == "first");
  CHECK(found.findings.front().subject == "thing 1");
  CHECK(found.counts.violations == 1);
}

TEST_CASE("a violation that does not end its run lets it go on to its end") {
  int ended = 0;
  const kvrace::result found = kvrace::check({.runs = 10, .stop_at_violation = false}, [&](kvrace::run& run) {
    run.spawn("task", [&] { run.fail({.oracle = "noted", .subject = "", .message = "goes on", .ends_run = false}); });
    run.join_all();
    if (!kvrace::run::repeated()) ++ended;
  });
  CHECK(found.counts.violations == 10);
  CHECK(ended == 10);
}

TEST_CASE("more steps than allowed are a violation, exactly as many are not") {
  const auto steps = [](int count) {
    return [count](kvrace::run&) {
      atomic<int> value(0);
      for (int i = 0; i < count; ++i) value.fetch_add(1);
    };
  };
  CHECK(outcome(run_once(steps(50), {.steps_max = 50})) == "NOT_FOUND");
  const kvrace::result found = run_once(steps(51), {.steps_max = 50});
  CHECK(outcome(found) == "step_bound");
  CHECK(contains(message(found), "did not end within 50 visible operations"));
  CHECK(outcome(explore(steps(50), {.steps_max = 50})) == "PROVED");
  CHECK(outcome(explore(steps(51), {.steps_max = 50})) == "step_bound");
}

TEST_CASE("runs in which an assumption fails are counted as blocked and are no deadlock") {
  const kvrace::result sampled = sample(
      [](kvrace::run& run) {
        const bool heads = run.flip();
        run.spawn("task", [&, heads] { run.assume(heads); });
        run.join_all();
      },
      1'000);
  CHECK(sampled.passed());
  CHECK(sampled.counts.blocked > 400);
  CHECK(sampled.counts.blocked < 600);
  const kvrace::result proved = explore([](kvrace::run& run) { run.assume(run.pick(0, 9) == 3); });
  CHECK(proved.verdict == kvrace::verdict::proved);
  CHECK(proved.counts.executions_distinct == 1);
  CHECK(proved.counts.blocked == 9);
}

TEST_CASE("a violation in another task is found although one is blocked by an assumption") {
  CHECK(outcome(explore([](kvrace::run& run) {
          atomic<int> value(0);
          both(run, [&] { run.assume(value.load() == 1); }, [&] { run.require(value.load() == 1, "not reached otherwise"); });
        })) == "requirement");
}

TEST_CASE("a proof explores every outcome of every choice") {
  const auto seen = reached<std::pair<std::int64_t, bool>>([](kvrace::run& run) {
    const std::int64_t picked = run.pick(-2, 2);
    return std::pair(picked, picked == 1 ? run.flip() : false);
  });
  CHECK(seen.size() == 6);
  CHECK(seen.count({-2, false}) == 1);
  CHECK(seen.count({1, true}) == 1);
  CHECK(reached<std::int64_t>([](kvrace::run& run) { return run.pick(7, 7); }) == std::set<std::int64_t>{7});
}

TEST_CASE("metrics are summed over the counted runs only") {
  const kvrace::result found =
      kvrace::check({.runs = 200, .stop_at_violation = false, .metrics = {"runs", "heads"}}, [](kvrace::run& run) {
        run.add(0, 1);
        const bool heads = run.flip();
        run.add(1, heads ? 1 : 0);
        run.require(!heads, "heads");  // so that runs are repeated for their report
      });
  REQUIRE(found.metrics.size() == 2);
  CHECK(found.metrics[0] == std::pair<std::string, std::uint64_t>("runs", 200));
  CHECK(found.metrics[1].first == "heads");
  CHECK(found.metrics[1].second == found.counts.violations);
}

TEST_CASE("counts add up over the runs") {
  const kvrace::result found = kvrace::check({.strategy = kvrace::random_walk(1), .runs = 10}, [](kvrace::run& run) {
    atomic<int> value(0);
    const auto three = [&] {
      for (int i = 0; i < 3; ++i) value.fetch_add(1);
    };
    both(run, three, three);
  });
  CHECK(found.counts.steps == 10 * 7);  // six updates and the join
  CHECK(found.counts.decisions_max >= 5);
  CHECK(found.counts.decisions <= 10 * found.counts.decisions_max);
  CHECK(found.counts.switches > 10 * 5);
}

TEST_CASE("run::step counts visible operations, and var accesses are none") {
  CHECK(run_once([](kvrace::run& run) {
          kvrace::var<int> plain(0);
          atomic<int> value(0);
          run.require(kvrace::run::step() == 0, "none yet");
          plain = 3;
          (void)plain.load();
          run.require(kvrace::run::step() == 0, "plain accesses");
          value.store(1);
          kvrace::yield();
          (void)run.flip();
          run.require(kvrace::run::step() == 3, "three");
        }).passed());
}
