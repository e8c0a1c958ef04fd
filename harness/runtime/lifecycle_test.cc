// One process, many runs: what abandoned runs leave behind, threads that call check(), and what may not nest.
#include <atomic>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <unistd.h>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::mutex;

namespace {

std::size_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  in >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KVRACE_UNDER_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define KVRACE_UNDER_ASAN 1
#endif
#if defined(KVRACE_UNDER_ASAN)
constexpr bool under_asan = true;  // quarantine and fake stacks: memory says nothing
#else
constexpr bool under_asan = false;
#endif
constexpr std::uint64_t many = under_asan ? 5'000 : 100'000;

// Runs `tested` many times, of which all must end in `oracle`, and returns by how much the process grew after the first tenth.
std::size_t growth_bytes(const std::string& oracle, const kvrace::program& tested, std::uint64_t steps_max = 100'000) {
  const auto go = [&](std::uint64_t runs) {
    const kvrace::result found =
        kvrace::check({.runs = runs, .stop_at_violation = false, .limits = {.steps_max = steps_max}}, tested);
    CHECK(found.counts.runs == runs);
    CHECK(found.counts.violations == runs);
    CHECK(outcome(found) == oracle);
    CHECK(found.findings.size() == 1);
  };
  go(many / 10);
  const std::size_t before = resident_bytes();
  go(many);
  const std::size_t after = resident_bytes();
  return under_asan || after < before ? 0 : after - before;
}
constexpr std::size_t flat_bytes = std::size_t{1} << 20U;

// A stack that is deep in plain frames when the run ends.
template <class F>
void deep(int depth, F&& act) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  if (depth > 0)
    deep(depth - 1, act);
  else
    act();
  frame[1] = frame[0];
}

}  // namespace

TEST_CASE("a hundred thousand deadlocks leave the process as large as it was") {
  CHECK(growth_bytes("deadlock", [](kvrace::run& run) {
          mutex left;
          mutex right;
          atomic<int> both_hold(0);
          const auto grab = [&](mutex& first, mutex& second) {
            deep(50, [&] {
              kvrace::lock_guard outer(first);
              both_hold.fetch_add(1);
              while (both_hold.load() < 2) kvrace::yield();
              kvrace::lock_guard inner(second);
            });
          };
          both(run, [&] { grab(left, right); }, [&] { grab(right, left); });
        }) < flat_bytes);
}

TEST_CASE("a hundred thousand violations deep in a task leave the process as large as it was") {
  CHECK(growth_bytes("requirement", [](kvrace::run& run) {
          atomic<int> count(0);
          for (int i = 0; i < 3; ++i)
            run.spawn("task", [&] {
              deep(100, [&] { run.require(count.fetch_add(1) < 2, "a sentence that does not fit into a short string"); });
            });
          run.join_all();
        }) < flat_bytes);
}

TEST_CASE("a hundred thousand violations in the body leave the process as large as it was") {
  CHECK(growth_bytes("requirement", [](kvrace::run& run) {
          atomic<int> count(0);
          run.spawn("started", [&] { count.fetch_add(1); });
          run.spawn("may not have started", [&] { count.fetch_add(1); });
          count.fetch_add(1);
          deep(100, [&] { run.require(false, "a sentence that does not fit into a short string"); });
        }) < flat_bytes);
}

TEST_CASE("a hundred thousand of every other kind of violation leave the process as large as it was") {
  CHECK(growth_bytes("escaping_exception", [](kvrace::run& run) {
          run.spawn("task", [] { throw std::runtime_error("a sentence that does not fit into a short string"); });
          run.join_all();
        }) < flat_bytes);
  CHECK(growth_bytes("escaping_exception", [](kvrace::run&) {
          throw std::runtime_error("a sentence that does not fit into a short string");
        }) < flat_bytes);
  CHECK(growth_bytes("lock_misuse", [](kvrace::run& run) {
          kvrace::shared_mutex m;
          run.spawn("task", [&] { m.unlock(); });
          run.join_all();
        }) < flat_bytes);
  CHECK(growth_bytes("data_race", [](kvrace::run& run) {
          kvrace::var<int> data(0);
          both(run, [&] { data.store(1); }, [&] { data.store(2); });
        }) < flat_bytes);
  CHECK(growth_bytes("use_after_destroy", [](kvrace::run& run) {
          auto* made = kvrace::sync::make<kvrace::condition_variable>();
          kvrace::sync::destroy(made);
          run.spawn("task", [made] { made->notify_one(); });
          run.join_all();
        }) < flat_bytes);
  CHECK(growth_bytes(
            "step_bound",
            [](kvrace::run& run) {
              atomic<int> stop(0);
              run.spawn("task", [&] {
                while (stop.load() == 0) kvrace::yield();
              });
              run.join_all();
            },
            30) < flat_bytes);
}

TEST_CASE("runs blocked by an assumption are abandoned as often as needed") {
  const auto go = [](std::uint64_t runs) {
    const kvrace::result found = kvrace::check({.runs = runs}, [](kvrace::run& run) {
      atomic<int> value(0);
      both(run, [&] { value.store(1); }, [&] { deep(20, [&] { run.assume(value.load() == 2); }); });
    });
    CHECK(found.verdict == kvrace::verdict::incomplete);  // nothing was tested
    CHECK(found.findings.empty());
    CHECK(found.counts.blocked == runs);
  };
  go(many / 10);
  const std::size_t before = resident_bytes();
  go(many);
  CHECK((under_asan || resident_bytes() < before + flat_bytes));
}

TEST_CASE("a hundred thousand runs that end well leave the process as large as it was") {
  const auto go = [](std::uint64_t runs) {
    const kvrace::result found = kvrace::check({.strategy = kvrace::random_walk(0.5), .runs = runs}, [](kvrace::run& run) {
      kvrace::shared_mutex m;
      std::vector<int, kvrace::allocator<int>> data;
      const auto task = [&] {
        auto* made = kvrace::sync::make<atomic<int>>(1);
        kvrace::lock_guard lock(m);
        for (int i = 0; i < 20; ++i) data.push_back(i);
        kvrace::sync::destroy(made);
      };
      both(run, task, task);
    });
    CHECK(found.passed());
  };
  go(many / 10);
  const std::size_t before = resident_bytes();
  go(many);
  CHECK((under_asan || resident_bytes() < before + flat_bytes));
}

TEST_CASE("a task that was spawned and never ran starts properly in the next run") {
  // On a thread of its own, so that no place has been used before.
  std::thread([] {
    const kvrace::result first = run_once([](kvrace::run& run) {
      for (int i = 0; i < 5; ++i) run.spawn("never runs", [] {});
      run.require(false, "before anybody ran");
    });
    CHECK(outcome(first) == "requirement");
    const kvrace::result second = run_once([](kvrace::run& run) {
      std::array<int, 5> started{};
      atomic<int> steps(0);
      for (int& each : started)
        run.spawn("runs", [&] {
          ++each;
          kvrace::yield();
          steps.fetch_add(1);
          kvrace::yield();
        });
      run.join_all();
      run.require(steps.load() == 5, "each went through");
      for (const int each : started) run.require(each == 1, "each started once");
    });
    INFO(second);
    CHECK(second.passed());
  }).join();
}

// ---- callers ----

namespace {

kvrace::result find_lost_update() {
  return sample([](kvrace::run& run) {
    atomic<int> count(0);
    const auto increment = [&] { count.store(count.load() + 1); };
    both(run, increment, increment);
    run.require(count.load() == 2, "an update was lost");
  });
}

}  // namespace

TEST_CASE("check() can be called from several threads one after another, in any order") {
  const kvrace::result here = find_lost_update();
  CHECK(outcome(here) == "requirement");
  for (int round = 0; round < 3; ++round) {
    kvrace::result there;
    std::thread([&] { there = find_lost_update(); }).join();
    CHECK(outcome(there) == "requirement");
    CHECK(there.findings.front().schedule == here.findings.front().schedule);
    CHECK(outcome(find_lost_update()) == "requirement");
  }
}

TEST_CASE("a thread may end after another one has taken over") {
  // The first thread leaves its fibers parked while the second runs, and ends later.
  std::atomic<int> stage{0};
  const auto await = [&stage](int wanted) {
    while (stage.load() < wanted) std::this_thread::yield();
  };
  std::string first_outcome;
  std::string second_outcome;
  std::string again_outcome;
  std::thread first([&] {
    first_outcome = outcome(find_lost_update());
    stage = 1;
    await(2);
  });
  std::thread second([&] {
    await(1);
    second_outcome = outcome(find_lost_update());
    stage = 2;
    await(3);
    again_outcome = outcome(find_lost_update());
  });
  first.join();
  stage = 3;
  second.join();
  CHECK(first_outcome == "requirement");
  CHECK(second_outcome == "requirement");
  CHECK(again_outcome == "requirement");
  CHECK(outcome(find_lost_update()) == "requirement");
}

TEST_CASE("a thread may end while another one is in a run") {
  std::atomic<int> stage{0};
  std::thread first([&] {
    (void)find_lost_update();
    stage = 1;
    while (stage.load() < 2) std::this_thread::yield();
  });
  while (stage.load() < 1) std::this_thread::yield();
  const kvrace::result found = run_once([&](kvrace::run& run) {
    atomic<int> count(0);
    run.spawn("task", [&] { count.fetch_add(1); });
    if (first.joinable()) {
      stage = 2;
      first.join();
    }
    run.join_all();
    run.require(count.load() == 1, "went on");
  });
  CHECK(found.passed());
}

TEST_CASE("two threads that call check() at once: one works, the other gets std::logic_error") {
  std::atomic<bool> inside{false};
  std::atomic<bool> release{false};
  kvrace::result found;
  std::thread first([&] {
    found = run_once([&](kvrace::run&) {
      inside = true;
      while (!release) std::this_thread::yield();
    });
  });
  while (!inside) std::this_thread::yield();
  CHECK_THROWS_AS(find_lost_update(), std::logic_error);
  CHECK_THROWS_AS(kvrace::prove({}, [](kvrace::run&) {}), std::logic_error);
  release = true;
  first.join();
  CHECK(found.passed());
  CHECK(outcome(find_lost_update()) == "requirement");
}

TEST_CASE("check(), prove() and replay() do not nest, and the outer one goes on") {
  const kvrace::result found = run_once([](kvrace::run& run) {
    const auto refused = [&run](const std::function<void()>& nested) {
      bool thrown = false;
      try {
        nested();
      } catch (const std::logic_error& error) {
        thrown = contains(error.what(), "do not nest");
      }
      run.require(thrown, "refused");
    };
    refused([] { (void)find_lost_update(); });
    refused([] { (void)kvrace::prove({}, [](kvrace::run&) {}); });
    run.spawn("task", [&] { refused([] { (void)kvrace::replay({}, {}, [](kvrace::run&) {}); }); });
    run.join_all();
  });
  INFO(found);
  CHECK(found.passed());
}

TEST_CASE("an exception from a strategy leaves the engine usable") {
  struct throwing final : kvrace::strategy {
    bool begin_run(std::uint64_t, const kvrace::execution_view&) override { throw std::runtime_error("no more"); }
    kvrace::task_answer choose_task(const kvrace::decision& now) override { return {now.current, 1}; }
    std::uint64_t choose_value(unsigned, std::uint64_t) override { return 0; }
    [[nodiscard]] std::string describe() const override { return "throws"; }
  };
  struct factory final : kvrace::strategy_factory {
    [[nodiscard]] std::unique_ptr<kvrace::strategy> make(std::uint64_t) const override { return std::make_unique<throwing>(); }
  };
  CHECK_THROWS_AS(kvrace::check({.strategy = std::make_shared<factory>()}, [](kvrace::run&) {}), std::runtime_error);
  CHECK(outcome(find_lost_update()) == "requirement");
}
