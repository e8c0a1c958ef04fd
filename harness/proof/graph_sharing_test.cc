// Proofs by execution graphs in several processes, interrupted and gone on with: the outcome is that of one process at a stretch.
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::memory_model;
using kvrace::verdict;

namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;

kvrace::program increments(unsigned tasks, unsigned each) {
  return [=](kvrace::run& run) {
    kvrace::mutex lock;
    kvrace::var<unsigned> sum(0);
    for (unsigned i = 0; i < tasks; ++i)
      run.spawn("task", [&] {
        for (unsigned k = 0; k < each; ++k) {
          const kvrace::lock_guard guard(lock);
          sum = sum + 1;
          run.add(0, 1);
        }
      });
    run.join_all();
  };
}

// Revisits of loads and updates, stale values, sequentially consistent fences.
void mixed_atomics(kvrace::run& run) {
  atomic<int> x(0), y(0);
  run.spawn("task", [&] {
    x.store(1, relaxed);
    kvrace::atomic_thread_fence(std::memory_order_seq_cst);
    (void)y.load(relaxed);
    y.fetch_add(1, release);
  });
  run.spawn("task", [&] {
    y.store(2, relaxed);
    kvrace::atomic_thread_fence(std::memory_order_seq_cst);
    (void)x.load(acquire);
    x.fetch_add(1, relaxed);
  });
  run.spawn("task", [&] {
    if (y.load(acquire) > 1) x.store(3, release);
    int expected = 1;
    (void)x.compare_exchange_strong(expected, 7, relaxed);
  });
  run.join_all();
}

// What it teaches, it teaches late: a task that is started, a reader and a waiter in executions that are met in the middle.
void late_lessons(kvrace::run& run) {
  atomic<int> x(0);
  kvrace::shared_mutex shared;
  kvrace::mutex lock;
  kvrace::condition_variable ready;
  kvrace::var<bool> set(false);
  for (int i = 0; i < 5; ++i) run.spawn("writer", [&x] { x.fetch_add(1, relaxed); });
  run.spawn("reader", [&] {
    const int seen = x.load(relaxed);
    if (seen == 1) {
      kvrace::thread inner([&] { (void)x.load(relaxed); });
      inner.join();
    }
    if (seen == 2) {
      const kvrace::shared_lock guard(shared);
    }
    if (seen == 3) {
      kvrace::unique_lock guard(lock);
      while (!set) ready.wait(guard);
    }
  });
  run.spawn("notifier", [&] {
    const kvrace::lock_guard all(shared);
    const kvrace::lock_guard guard(lock);
    set = true;
    ready.notify_one();
  });
  run.join_all();
}

// Fails only where the last reads what the first of many wrote.
void fails_late(kvrace::run& run) {
  atomic<int> x(0), y(0);
  for (int i = 1; i <= 4; ++i)
    run.spawn("writer", [&, i] {
      x.store(i, relaxed);
      y.fetch_add(1, relaxed);
    });
  run.spawn("reader", [&] {
    const int first = x.load(relaxed);
    const int second = x.load(relaxed);
    run.require(!(first == 4 && second == 1 && y.load(relaxed) == 0), "the late one");
  });
  run.join_all();
}

kvrace::prove_options options_for(memory_model model, unsigned jobs = 1) {
  kvrace::prove_options options{
      .memory_model = model, .engine = kvrace::proof_engine::graphs, .jobs = jobs, .metrics = {"counted"}};
  return options;
}

void check_same(const kvrace::result& found, const kvrace::result& expected) {
  INFO(found);
  INFO(expected);
  CHECK(found.verdict == expected.verdict);
  CHECK(found.claim == expected.claim);
  CHECK(found.certificate == expected.certificate);
  CHECK(found.metrics == expected.metrics);
  CHECK(found.counts.runs == expected.counts.runs);
  CHECK(found.counts.steps == expected.counts.steps);
  CHECK(found.counts.graphs_inconsistent == expected.counts.graphs_inconsistent);
  CHECK(found.counts.blocked == expected.counts.blocked);
  CHECK(found.refusal == expected.refusal);
  REQUIRE(found.findings.size() == expected.findings.size());
  for (std::size_t i = 0; i < found.findings.size(); ++i) {
    CHECK(found.findings[i].run == expected.findings[i].run);
    CHECK(found.findings[i].message == expected.findings[i].message);
    CHECK(found.findings[i].schedule == expected.findings[i].schedule);
    CHECK(found.findings[i].trace_digest == expected.findings[i].trace_digest);
  }
}

struct tested {
  kvrace::program program;
  verdict expected;
};
std::vector<tested> programs() {
  const auto refuses_late = [](kvrace::run& run) {
    const bool last = run.pick(0, 1) == 1;
    late_lessons(run);
    if (last) run.spawn("after join_all", [] {});
  };
  return {{increments(4, 2), verdict::proved},
          {mixed_atomics, verdict::proved},
          {late_lessons, verdict::proved},
          {fails_late, verdict::violation},
          {refuses_late, verdict::incomplete}};
}

// Cut after so many executions, and what there is then to go on with.
std::pair<kvrace::result, std::string> cut(kvrace::prove_options options, const kvrace::program& program,
                                           std::uint64_t executions) {
  std::string kept;
  options.runs = executions;
  options.checkpoint = [&kept](const std::string& checkpoint) { kept = checkpoint; };
  kvrace::result found = kvrace::prove(options, program);
  return {std::move(found), std::move(kept)};
}

std::string refusal(kvrace::prove_options options, const kvrace::program& program, std::string checkpoint) {
  options.resume = std::move(checkpoint);
  try {
    (void)kvrace::prove(options, program);
  } catch (const kvrace::checkpoint_error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a proof shared by several processes comes to the same") {
  for (const tested& each : programs()) {
    for (const auto model : {memory_model::sc, memory_model::rc11}) {
      const kvrace::result alone = kvrace::prove(options_for(model), each.program);
      CHECK(alone.verdict == each.expected);
      for (const unsigned jobs : {2U, 3U}) check_same(kvrace::prove(options_for(model, jobs), each.program), alone);
    }
  }
}

TEST_CASE("a proof that is cut again and again comes to the same") {
  for (const tested& each : programs()) {
    for (const auto model : {memory_model::sc, memory_model::rc11}) {
      kvrace::prove_options options = options_for(model);
      const kvrace::result whole = kvrace::prove(options, each.program);
      std::uint64_t cuts = 0;
      for (std::uint64_t executions = 1;; executions = executions * 3 % 701) {
        auto [found, kept] = cut(options, each.program, executions);
        if (found.verdict != verdict::incomplete || !found.refusal.empty()) {
          check_same(found, whole);
          break;
        }
        options.resume = std::move(kept);
        ++cuts;
      }
      CHECK(cuts > 3);
    }
  }
}

TEST_CASE("what one process has begun several finish") {
  kvrace::prove_options options = options_for(memory_model::rc11);
  const kvrace::result whole = kvrace::prove(options, increments(4, 2));
  options.resume = cut(options, increments(4, 2), 500).second;
  options.jobs = 2;
  check_same(kvrace::prove(options, increments(4, 2)), whole);
}

TEST_CASE("a proof that is killed goes on from its last checkpoint, in one process or several") {
  const kvrace::program program = increments(5, 2);
  const kvrace::result whole = kvrace::prove(options_for(memory_model::sc), program);
  for (const unsigned jobs : {1U, 2U}) {
    kvrace::prove_options options = options_for(memory_model::sc, jobs);
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      options.checkpoint_s = 1e-6;
      options.checkpoint = [&](const std::string& checkpoint) {
        for (std::size_t sent = 0; sent < checkpoint.size();) {
          const ssize_t more = ::write(ends[1], checkpoint.data() + sent, checkpoint.size() - sent);
          if (more <= 0) break;
          sent += static_cast<std::size_t>(more);
        }
        ::raise(SIGKILL);
      };
      (void)kvrace::prove(options, program);
      ::_exit(0);
    }
    ::close(ends[1]);
    char bytes[4096];
    for (ssize_t got = 0; (got = ::read(ends[0], bytes, sizeof bytes)) > 0;)
      options.resume.append(bytes, static_cast<std::size_t>(got));
    ::close(ends[0]);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    check_same(kvrace::prove(options, program), whole);
  }
}

TEST_CASE("a checkpoint is refused for anything but the same proof") {
  const kvrace::prove_options options = options_for(memory_model::rc11);
  const std::string kept = cut(options, increments(3, 2), 20).second;
  CHECK(refusal(options, increments(3, 2), kept) == "accepted");
  CHECK(refusal(options, increments(3, 3), kept) == "expected a checkpoint of this program");
  CHECK(refusal(options_for(memory_model::sc), increments(3, 2), kept) == "expected a checkpoint of a proof under sc");
  kvrace::prove_options other = options;
  other.limits.steps_max = 99;
  CHECK(refusal(other, increments(3, 2), kept) == "expected a checkpoint of a proof with the same bounds and metrics");
  other = options;
  other.program_name = "another";
  CHECK(refusal(other, increments(3, 2), kept) == "expected a checkpoint of this program, written by this build of kvrace");
  CHECK(refusal(options, increments(3, 2), "kvrace") ==
        "expected a checkpoint of a proof by execution graphs, written by this version of kvrace");
  for (std::size_t at = 40; at < kept.size(); at += 997) {
    std::string damaged = kept;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    CHECK(refusal(options, increments(3, 2), damaged) == "expected a checkpoint of a proof by execution graphs that is whole");
    CHECK(refusal(options, increments(3, 2), kept.substr(0, at)).starts_with("expected a checkpoint of a proof"));
  }
}

namespace {

// The number before `words`.
double number_before(const std::string& text, const std::string& words) {
  std::string digits;
  for (std::size_t at = text.find(words); at-- > 0 && (text[at] == ',' || (text[at] >= '0' && text[at] <= '9'));)
    if (text[at] != ',') digits.insert(digits.begin(), text[at]);
  return digits.empty() ? -1 : std::stod(digits);
}

}  // namespace

TEST_CASE("a proof that a budget of counts has ended says about how much there is, the same each time") {
  for (const auto& [program, model] :
       {std::pair(increments(3, 2), memory_model::sc), std::pair(increments(4, 1), memory_model::sc),
        std::pair(kvrace::program(mixed_atomics), memory_model::rc11)}) {
    const auto executions = static_cast<double>(kvrace::prove(options_for(model), program).counts.runs);
    const kvrace::result found = cut(options_for(model), program, 5).first;
    INFO(found.claim);
    CHECK(found.verdict == verdict::incomplete);
    const double estimate = number_before(found.claim, " executions in all");
    const double error = number_before(found.claim, " (2,000 random probes");
    CHECK(std::abs(estimate - executions) <= 4 * error + 1);
    CHECK(error < executions);
    CHECK(cut(options_for(model), program, 5).first.claim == found.claim);
  }
}
