// A bounded search shared by several processes: the same result for any number, and the same as for one.
#include <unistd.h>

#include <csignal>
#include <sstream>
#include <stdexcept>
#include <string>

#include <kvrace/kvrace.h>

#include "proof/bounded_proof.h"
#include "proof/small_program_interpreter.h"
#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;

namespace {

// From the first state on, however small the program is.
kvrace::result shared_by(unsigned jobs, kvrace::prove_options options, const kvrace::program& tested) {
  options.jobs = jobs;
  return kvrace::detail::prove_by_interleavings("", options, tested, 1);
}

// All of a result that must not depend on who explored what.
std::string told(const kvrace::result& found) {
  std::ostringstream out;
  const kvrace::search_counts& counts = found.counts;
  out << found << '\n' << found.yields_bound << ' ' << found.preemptions_bound << ' ' << found.calls_ordered_causally << '\n';
  out << counts.violations << ' ' << counts.blocked << ' ' << counts.undecided << ' ' << counts.tasks_max << ' '
      << counts.executions_distinct << ' ' << counts.states_distinct << ' ' << counts.states_open << '\n';
  for (const std::uint64_t executions : found.executions_by_bound) out << executions << ' ';
  for (const auto& [name, value] : found.metrics) out << name << ' ' << value << '\n';
  for (const kvrace::finding& each : found.findings)
    out << each.run << ' ' << each.step << ' ' << each.schedule.to_string() << ' ' << each.trace_digest << '\n';
  return out.str();
}

void same_for_any_number(const kvrace::prove_options& options, const kvrace::program& tested) {
  const std::string alone = told(kvrace::prove(options, tested));
  for (const unsigned jobs : {2U, 3U}) CHECK(told(shared_by(jobs, options, tested)) == alone);
}

// Thousands of states, of which each bound reaches more. The outcome depends on the order; so do the metrics.
void entangle(kvrace::run& run, bool counting) {
  atomic<int> first(0);
  atomic<int> second(0);
  const auto mix = [&](int amount) {
    for (int i = 0; i < 2; ++i) {
      const int seen = first.load();
      second.fetch_add(seen);
      first.store(seen + amount);
    }
  };
  for (int i = 1; i <= 3; ++i) run.spawn("mixer", [&, i] { mix(i); });
  run.join_all();
  run.require(second.load() < 1'000, "sums of few");
  if (!counting) return;
  run.add(0, static_cast<std::uint64_t>(first.load()));
  run.add(1, static_cast<std::uint64_t>(second.load()));
}
void entangled(kvrace::run& run) { entangle(run, false); }
void entangled_counting(kvrace::run& run) { entangle(run, true); }

}  // namespace

TEST_CASE("random programs: verdict, counts and findings are the same for any number of processes") {
  constexpr vocabulary everything{.statements_max = 3, .locks = true, .choices = true, .yields = true};
  constexpr vocabulary conditions{.statements_max = 4, .locks = true, .condition = true};
  constexpr vocabulary racy{.statements_max = 4, .orders = true, .plain = true};
  for (const vocabulary& words : {everything, conditions, racy})
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
      const small_program program = random_program(words, seed);
      INFO(to_string(program));
      same_for_any_number({}, [&program](kvrace::run& run) { (void)execute(program, run); });
      same_for_any_number({.preemptions_max = 1}, [&program](kvrace::run& run) { (void)execute(program, run); });
    }
}

TEST_CASE("a search of thousands of states is the same for any number of processes: metrics, bounds, a budget of states") {
  same_for_any_number({.preemptions_max = 2, .metrics = {"first", "second"}}, entangled_counting);
  same_for_any_number({.states_max = 3'000, .metrics = {"first", "second"}}, entangled_counting);
  const kvrace::result cut = kvrace::prove({.states_max = 3'000}, entangled);
  CHECK(cut.verdict == kvrace::verdict::incomplete);
  CHECK(cut.counts.states_distinct == 3'000);
  CHECK(cut.counts.executions_distinct == cut.executions_by_bound.back());
}

TEST_CASE("every outcome of a search of thousands of states is the violation that one process finds") {
  for (const int wanted : {2, 6, 12}) {
    const auto tested = [wanted](kvrace::run& run) {
      atomic<int> value(0);
      for (int i = 1; i <= 3; ++i)
        run.spawn("adder", [&value, i] {
          value.store(value.load() + i);
          value.store(value.load() + i);
        });
      run.join_all();
      run.require(value.load() != wanted, "reached");
    };
    const kvrace::result alone = kvrace::prove({}, tested);
    REQUIRE(outcome(alone) == "requirement");
    same_for_any_number({}, tested);
  }
}

TEST_CASE("assumptions, choices and loops that give way are counted the same by any number of processes") {
  same_for_any_number({}, [](kvrace::run& run) {
    atomic<int> value(0);
    both(
        run, [&] { value.fetch_add(static_cast<int>(run.pick(0, 3))); },
        [&] {
          value.store(static_cast<int>(run.pick(0, 2)));
          run.assume(value.load() != 1);
        });
  });
  same_for_any_number({}, [](kvrace::run& run) {
    atomic<int> flag(0);
    both(
        run,
        [&] {
          while (flag.load() == 0) kvrace::yield();
        },
        [&] { flag.store(1); });
  });
}

TEST_CASE("a process of a bounded search that dies is reported with its signal") {
  const auto dies = [parent = ::getpid()](kvrace::run& run) {
    entangled(run);
    if (::getpid() != parent) ::raise(SIGKILL);
  };
  std::string said;
  try {
    (void)shared_by(2, {}, dies);
  } catch (const std::runtime_error& error) {
    said = error.what();
  }
  CHECK(contains(said, "a worker process was ended by signal " + std::to_string(SIGKILL)));
}

TEST_CASE("a program that fails in other processes only is UNSOUND") {
  const kvrace::result found = shared_by(2, {}, [parent = ::getpid()](kvrace::run& run) {
    entangled(run);
    run.require(::getpid() == parent, "fails elsewhere only");
  });
  CHECK(found.verdict == kvrace::verdict::unsound);
}

TEST_CASE("an observer ends a shared bounded search") {
  struct impatient : kvrace::search_observer {
    bool on_progress(const kvrace::search_progress& now) override { return now.states_distinct < 100; }
  } observer;
  const kvrace::result found = shared_by(2, {.observer = &observer}, [](kvrace::run& run) {
    atomic<int> value(0);
    for (int i = 0; i < 6; ++i)
      run.spawn("adder", [&] {
        for (int times = 0; times < 6; ++times) value.fetch_add(1);
      });
    run.join_all();
  });
  CHECK(found.verdict == kvrace::verdict::incomplete);
  CHECK(found.interrupted);
}
