// Runs of millions of steps: looked into, cut, and told from their end.
#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include <kvrace/kvrace.h>

namespace {

constexpr std::uint64_t steps_max = 100'000'000;

kvrace::check_options once() { return {.seed = 1, .runs = 1, .limits = {.steps_max = steps_max}}; }

struct observer_until : kvrace::search_observer {
  explicit observer_until(double end_s) : virtual_s(end_s) {}
  bool on_progress(const kvrace::search_progress& progress) override { return progress.run_virtual_s < virtual_s; }
  double virtual_s;
};

// Two tasks that sleep a second at a time, and poll.
void endless(kvrace::run& run) {
  for (int task = 0; task < 2; ++task)
    run.spawn("sleeper", [] {
      for (;;) {
        kvrace::sleep_for(std::chrono::seconds(1));
        kvrace::run::poll();
      }
    });
  run.join_all();
}

// Two tasks that leave each other to do nothing `rounds` times, noting about two subjects; `violates` is asked in each round.
template <class Violates>
kvrace::program busy(int rounds, Violates violates) {
  return [=](kvrace::run& run) {
    for (int task = 0; task < 2; ++task)
      run.spawn("worker", [&run, rounds, violates] {
        for (int round = 0; round < rounds; ++round) {
          const kvrace::operation operation([&] { return "round " + std::to_string(round); });
          kvrace::yield();
          kvrace::run::note(round % 100 == 0 ? "rare" : "frequent", "round", std::to_string(round));
          if (violates(round)) run.fail({.oracle = "test", .subject = "rare", .message = "a violation", .ends_run = false});
        }
      });
    run.join_all();
  };
}

}  // namespace

TEST_CASE("a run can be cut where it polls, and shows nothing then") {
  observer_until observer(1'000);
  kvrace::check_options options = once();
  options.observer = &observer;
  const kvrace::result result = kvrace::check(options, endless);
  CHECK(result.verdict == kvrace::verdict::incomplete);
  CHECK(result.interrupted);
  CHECK(result.counts.runs == 1);
  CHECK(result.counts.steps > 1'000);
}

TEST_CASE("a budget of time ends a run that polls") {
  kvrace::check_options options = once();
  options.time_s = 0.05;
  CHECK(kvrace::check(options, endless).verdict == kvrace::verdict::incomplete);
}

TEST_CASE("a violation before the cut is reported") {
  observer_until observer(1'000);
  kvrace::check_options options = once();
  options.observer = &observer;
  const kvrace::result result = kvrace::check(options, [](kvrace::run& run) {
    run.fail({.oracle = "test", .subject = "", .message = "at the start", .ends_run = false});
    endless(run);
  });
  REQUIRE(result.verdict == kvrace::verdict::violation);
  CHECK(result.findings.front().message == "at the start");
}

TEST_CASE("polling does nothing in proofs and replays") {
  const auto polls = [](kvrace::run& run) {
    for (int i = 0; i < 1'000; ++i) kvrace::run::poll();
    run.join_all();
  };
  CHECK(kvrace::prove({}, polls).verdict == kvrace::verdict::proved);
  CHECK(kvrace::replay({}, {}, polls).verdict == kvrace::verdict::not_found);
}

TEST_CASE("a run that is repeated for its report knows it") {
  int first_time = 0;
  int repeated = 0;
  kvrace::check_options options = once();
  options.runs = 50;
  options.stop_at_violation = false;
  const kvrace::result result = kvrace::check(options, [&](kvrace::run& run) {
    ++(kvrace::run::repeated() ? repeated : first_time);
    run.require(!run.flip(), "a flip");
  });
  CHECK(result.counts.runs == 50);
  CHECK(first_time == 50);
  CHECK(repeated >= 1);
}

TEST_CASE("the schedule of a long run ends at its violation") {
  const kvrace::result result = kvrace::check(once(), busy(200'000, [](int round) { return round == 500; }));
  REQUIRE(result.verdict == kvrace::verdict::violation);
  REQUIRE(result.counts.decisions > 300'000);
  const kvrace::finding& found = result.findings.front();
  CHECK(found.schedule.deviations.size() < 2'000);
  const kvrace::result again =
      kvrace::replay({.limits = {.steps_max = steps_max}}, found.schedule, busy(200'000, [](int round) { return round == 500; }));
  REQUIRE(again.verdict == kvrace::verdict::violation);
  CHECK(again.findings.front().trace_digest == found.trace_digest);
}

TEST_CASE("of a long run the last steps are told, and the life of the subject") {
  const kvrace::result result = kvrace::check(once(), busy(20'000, [](int round) { return round == 19'000; }));
  REQUIRE(result.verdict == kvrace::verdict::violation);
  const kvrace::finding& found = result.findings.front();
  CHECK(found.step > 19'000);
  REQUIRE(found.trace.size() > 1'000);
  CHECK(found.trace.size() <= 4'000);
  CHECK(found.trace.back().step == found.step);
  CHECK(std::is_sorted(found.trace.begin(), found.trace.end(), [](const auto& a, const auto& b) { return a.step < b.step; }));
  CHECK(std::all_of(found.operations.begin(), found.operations.end(), [&](const kvrace::operation_record& each) {
    return each.step_return == 0 || each.step_return >= found.trace.front().step;
  }));
  CHECK(found.operations.back().call == "round 19000");
  REQUIRE(found.ledger.size() > 100);
  CHECK(std::all_of(found.ledger.begin(), found.ledger.end(), [](const auto& each) { return each.subject == "rare"; }));
  CHECK(found.ledger.back().detail == "19000");
}
