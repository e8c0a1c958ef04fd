// The random walk is the walk it says it is: a coin at every decision, then any other enabled task.
#include <cmath>
#include <map>
#include <memory>

#include <kvrace/kvrace.h>

#include "runtime/execution.h"
#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;

namespace {

// Drives a strategy as the engine does, without one: every task in `enabled` stays enabled.
class driver {
 public:
  driver(const kvrace::strategy_choice& choice, std::uint64_t seed) : strategy_(choice->make(seed)) {
    static const kvrace::detail::execution nothing{};
    static const kvrace::execution_view view(nothing);
    (void)strategy_->begin_run(0, view);
  }
  // The task that runs at the next decision.
  unsigned decide(kvrace::task_set enabled, bool current_enabled = true) {
    ++number_;
    if (number_ < ask_at_ && current_enabled) return current_;
    const kvrace::task_answer answer = strategy_->choose_task({enabled, current_, current_enabled, false, number_});
    ask_at_ = number_ + answer.decisions;
    current_ = answer.task;
    return current_;
  }
  void current(unsigned task) { current_ = task; }

 private:
  std::unique_ptr<kvrace::strategy> strategy_;
  std::uint64_t number_ = 0;
  std::uint64_t ask_at_ = 0;
  unsigned current_ = 0;
};

// Chi-square over bins whose expectations are given, and the value it exceeds once in a thousand samples (Wilson, Hilferty).
struct chi_square {
  double value = 0;
  unsigned degrees = 0;
  void add(double observed, double expected) {
    value += (observed - expected) * (observed - expected) / expected;
    ++degrees;
  }
  [[nodiscard]] bool plausible() const {
    const double d = degrees - 1;
    return value < d * std::pow(1 - 2 / (9 * d) + 3.09 * std::sqrt(2 / (9 * d)), 3);
  }
};

}  // namespace

TEST_CASE("stretches between switches are geometric, as a coin at every decision makes them") {
  for (const double probability : {1.0, 0.9, 0.5, 0.3, 0.1, 0.0625, 0.06, 0.02, 0.003}) {
    driver walk(kvrace::random_walk(probability), 5);
    constexpr unsigned stretches = 20'000;
    std::map<std::uint64_t, unsigned> lengths;
    std::uint64_t length = 0;
    unsigned last = walk.decide(0b111);
    for (unsigned switches = 0; switches < stretches;) {
      const unsigned now = walk.decide(0b111);
      ++length;
      if (now == last) continue;
      last = now;
      ++lengths[length];
      length = 0;
      ++switches;
    }
    INFO("switch probability " << probability);
    if (probability == 1) {
      CHECK(lengths.size() == 1);
      continue;
    }
    // Bins of at least 50 expected stretches; the last takes the rest.
    chi_square test;
    double expected = 0;
    double observed = 0;
    double expected_left = stretches;
    double observed_left = stretches;
    for (std::uint64_t k = 1; expected_left - expected > 100; ++k) {
      expected += stretches * std::pow(1 - probability, static_cast<double>(k - 1)) * probability;
      observed += lengths.count(k) != 0 ? lengths.at(k) : 0;
      if (expected < 50) continue;
      test.add(observed, expected);
      expected_left -= expected;
      observed_left -= observed;
      expected = observed = 0;
    }
    test.add(observed_left, expected_left);
    INFO("chi-square " << test.value << ", bins " << test.degrees);
    CHECK(test.plausible());
  }
}

TEST_CASE("the first decision of a run switches with the same probability as any other") {
  for (const double probability : {0.9, 0.3, 0.02}) {
    constexpr unsigned runs = 20'000;
    std::array<unsigned, 3> at{};  // the first, second, third decision is the first to leave task 0
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      driver walk(kvrace::random_walk(probability), seed);
      for (unsigned decision = 0; decision < at.size(); ++decision)
        if (walk.decide(0b11) != 0) {
          ++at[decision];
          break;
        }
    }
    double stays = 1;
    for (const unsigned count : at) {
      const double expected = stays * probability;
      INFO("switch probability " << probability);
      CHECK(std::abs(count - runs * expected) < 4 * std::sqrt(runs * expected * (1 - expected)));
      stays *= 1 - probability;
    }
  }
}

TEST_CASE("a switch goes to every other enabled task alike, and a blocked task's successor is any enabled one") {
  constexpr kvrace::task_set enabled = 0b1011'0110;
  for (const bool current_enabled : {true, false}) {
    driver walk(kvrace::random_walk(1), 3);
    std::array<unsigned, 8> chosen{};
    for (int i = 0; i < 8'000; ++i) {
      walk.current(current_enabled ? 4 : 3);
      ++chosen[walk.decide(enabled, current_enabled)];
    }
    chi_square test;
    for (unsigned task = 0; task < 8; ++task) {
      const bool candidate = (enabled >> task & 1) != 0 && !(current_enabled && task == 4);
      if (candidate)
        test.add(chosen[task], current_enabled ? 2'000 : 1'600);
      else
        CHECK(chosen[task] == 0);
    }
    CHECK(test.degrees == (current_enabled ? 4 : 5));
    CHECK(test.plausible());
  }
}

TEST_CASE("measured in runs, the share of decisions that switch is the switch probability") {
  for (const double probability : {0.8, 0.3, 0.05}) {
    std::uint64_t decisions = 0;
    std::uint64_t switches = 0;
    (void)kvrace::check({.strategy = kvrace::random_walk(probability), .runs = 20}, [&](kvrace::run& run) {
      atomic<int> value(0);
      std::vector<unsigned> order;
      std::array<int, 2> left{1'000, 1'000};
      for (unsigned task = 0; task < 2; ++task)
        run.spawn("task", [&, task] {
          while (left[task] > 0) {
            value.fetch_add(1);
            --left[task];
            if (left[0] > 0 && left[1] > 0) order.push_back(task);
          }
        });
      run.join_all();
      for (std::size_t i = 1; i < order.size(); ++i) switches += order[i] != order[i - 1] ? 1 : 0;
      decisions += order.size() - 1;
    });
    const double n = static_cast<double>(decisions);
    INFO("switch probability " << probability << ": " << switches << " of " << decisions);
    CHECK(std::abs(static_cast<double>(switches) - n * probability) < 4 * std::sqrt(n * probability * (1 - probability)));
  }
}

TEST_CASE("a switch probability outside of (0, 1] is refused") {
  CHECK_THROWS_AS(kvrace::random_walk(0), std::invalid_argument);
  CHECK_THROWS_AS(kvrace::random_walk(-0.5), std::invalid_argument);
  CHECK_THROWS_AS(kvrace::random_walk(1.01), std::invalid_argument);
  CHECK_THROWS_AS(kvrace::random_walk(std::nan("")), std::invalid_argument);
  CHECK(kvrace::random_walk(0.25)->make(1)->describe() == "random walk, switch probability 0.25");
}
