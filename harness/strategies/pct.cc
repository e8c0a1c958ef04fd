// Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs, ASPLOS 2010.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include <kvrace/strategy.h>

#include "strategies/random_source.h"

namespace kvrace {

namespace {

using detail::random_source;

// Priorities: 1 .. depth-1 belong to the change points, by their index and not by the time at which they are reached, as in the
// paper; initial priorities lie above. Random initial priorities are a random permutation, and a task that appears during the
// run falls at a random place among them. Steps are counted at decisions only: a change at a forced step has no effect before
// the next decision.
class pct_strategy final : public strategy {
 public:
  pct_strategy(const pct_options& options, std::uint64_t seed) : options_(options), seed_(seed), changes_(options.depth - 1) {}

  bool begin_run(std::uint64_t index, const execution_view&) override {
    random_ = random_source(seed_, index);
    known_ = 0;
    next_change_ = 0;
    below_all_ = 0;
    for (unsigned i = 0; i < changes_.size(); ++i) changes_[i] = {1 + random_.below(options_.decisions_max), i + 1};
    std::sort(changes_.begin(), changes_.end(), [](const change& a, const change& b) {
      return a.at != b.at ? a.at < b.at : a.priority < b.priority;
    });
    return true;
  }

  task_answer choose_task(const decision& now) override {
    // Outside the theorem: a task that yields goes below all others, so that loops which wait for others end.
    if (now.yielded) priority(now.current) = --below_all_;
    unsigned best = static_cast<unsigned>(std::countr_zero(now.enabled));
    for (task_set rest = now.enabled; rest != 0; rest &= rest - 1) {
      const auto task = static_cast<unsigned>(std::countr_zero(rest));
      if (priority(task) > priority(best)) best = task;
    }
    // The task that takes the step with the number of a change point is lowered by it, from the next decision on.
    for (; next_change_ < changes_.size() && changes_[next_change_].at <= now.number; ++next_change_)
      priority(best) = changes_[next_change_].priority;
    if (lowered_at(now.number)) return {best, 1};
    const std::uint64_t until = next_change_ < changes_.size() ? changes_[next_change_].at - now.number : ~std::uint64_t{0} >> 1U;
    return {best, until};
  }

  std::uint64_t choose_value(unsigned, std::uint64_t outcomes) override { return random_.below(outcomes); }

  void end_run(const run_summary& run) override {
    const bool body_competed = (known_ & 1) != 0;
    tasks_max_seen_ = std::max(tasks_max_seen_, run.tasks + (body_competed ? 1 : 0));
    if (run.decisions > options_.decisions_max) ++runs_outside_;
  }

  [[nodiscard]] bool wants_wakeups() const override { return true; }

  [[nodiscard]] std::string describe() const override {
    return "PCT, depth " + std::to_string(options_.depth) + ", at most " + std::to_string(options_.decisions_max) + " decisions";
  }

  [[nodiscard]] std::optional<probability_bound> bound() const override {
    if (tasks_max_seen_ == 0) return std::nullopt;
    const double k = static_cast<double>(options_.decisions_max);
    return probability_bound{1 / (tasks_max_seen_ * std::pow(k, options_.depth - 1.0)), options_.decisions_max, options_.depth, runs_outside_};
  }

 private:
  struct change {
    std::uint64_t at;  // the decision at which it takes effect
    std::int64_t priority;
  };

  [[nodiscard]] bool lowered_at(std::uint64_t number) const { return next_change_ > 0 && changes_[next_change_ - 1].at == number; }

  std::int64_t& priority(unsigned task) {
    if ((known_ >> task & 1) == 0) {
      known_ |= task_set{1} << task;
      priorities_[task] = static_cast<std::int64_t>(random_.next() >> 2U) + static_cast<std::int64_t>(options_.depth);
    }
    return priorities_[task];
  }

  pct_options options_;
  std::uint64_t seed_;
  random_source random_;
  std::array<std::int64_t, tasks_max> priorities_{};
  task_set known_ = 0;
  std::vector<change> changes_;
  std::size_t next_change_ = 0;
  std::int64_t below_all_ = 0;
  unsigned tasks_max_seen_ = 0;
  std::uint64_t runs_outside_ = 0;
};

struct pct_factory final : strategy_factory {
  explicit pct_factory(const pct_options& chosen) : options(chosen) {}
  [[nodiscard]] std::unique_ptr<strategy> make(std::uint64_t seed) const override { return std::make_unique<pct_strategy>(options, seed); }
  pct_options options;
};

}  // namespace

strategy_choice pct(pct_options options) {
  if (options.depth < 1) throw std::invalid_argument("pct: the depth must be at least 1");
  if (options.decisions_max < 1) throw std::invalid_argument("pct: decisions_max must be at least 1");
  return std::make_shared<pct_factory>(options);
}

}  // namespace kvrace
