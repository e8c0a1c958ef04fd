// What a program has the engine look at and write down: audits at quiescent points, operations and notes.
#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;

TEST_CASE("audits run where no operation is in progress") {
  std::set<int> seen;
  const kvrace::result found = kvrace::prove({}, [&](kvrace::run& run) {
    int half_done = 0;
    atomic<int> steps(0);
    run.at_quiescence([&] {
      run.require(half_done == 0, "an operation was in progress");
      seen.insert(kvrace::sync::peek(steps));
    });
    const auto work = [&] {
      kvrace::operation operation([] { return std::string("work()"); });
      steps.fetch_add(1);
      ++half_done;  // from the first visible operation on
      steps.fetch_add(1);
      --half_done;
      operation.returns([] { return std::string("done"); });
    };
    both(run, work, work);
  });
  INFO(found);
  CHECK(found.verdict == kvrace::verdict::proved);
  CHECK(seen == std::set<int>{2, 4});  // at 3 the other one is half done
}

TEST_CASE("an audit runs when all tasks have ended, also without any operation") {
  CHECK(outcome(run_once([](kvrace::run& run) {
          int value = 0;
          run.at_quiescence([&] {
            if (value == 2) run.fail({.oracle = "audit", .subject = "", .message = "in the end"});
          });
          both(run, [&] { ++value; }, [&] { ++value; });
        })) == "audit");
}

TEST_CASE("operations and notes of a finding are recorded with their steps, and cost nothing else") {
  int described = 0;
  const kvrace::result found = kvrace::check({.runs = 50}, [&](kvrace::run& run) {
    atomic<int> value(0);
    run.spawn("client", [&] {
      kvrace::operation operation([&] {
        ++described;
        return std::string("put(7)");
      });
      value.fetch_add(1);
      kvrace::run::note("block 7", "allocate", "for put");
      value.fetch_add(1);
      kvrace::run::note("block 7", "evict");
      operation.returns([] { return std::string("stored"); });
    });
    run.join_all();
    if (run.flip()) run.fail({.oracle = "ghost_entry", .subject = "block 7", .message = "served after its eviction"});
  });
  REQUIRE(outcome(found) == "ghost_entry");
  CHECK(described == 1);
  const kvrace::finding& what = found.findings.front();
  REQUIRE(what.operations.size() == 1);
  CHECK(what.operations[0].call == "put(7)");
  CHECK(what.operations[0].returned == "stored");
  CHECK(what.operations[0].task == 1);
  CHECK(what.operations[0].step_call < what.operations[0].step_return);
  REQUIRE(what.ledger.size() == 2);
  CHECK(what.ledger[0].subject == "block 7");
  CHECK(what.ledger[0].event == "allocate");
  CHECK(what.ledger[0].detail == "for put");
  CHECK(what.ledger[0].step + 1 == what.ledger[1].step);
  for (const auto& event : what.ledger)
    CHECK(std::any_of(what.trace.begin(), what.trace.end(),
                      [&](const auto& step) { return step.step == event.step && step.decisive; }));
}

TEST_CASE("an operation that has not returned when the run ends has no return") {
  const kvrace::result found = run_once([](kvrace::run& run) {
    run.spawn("client", [&] {
      kvrace::operation operation([] { return std::string("get(1)"); });
      run.require(false, "within");
    });
    run.join_all();
  });
  REQUIRE(found.findings.front().operations.size() == 1);
  CHECK(found.findings.front().operations[0].step_return == 0);
  CHECK(found.findings.front().operations[0].returned.empty());
}
