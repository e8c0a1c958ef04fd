// Yuan, Yang, Gu: Partial Order Aware Concurrency Sampling, CAV 2018.
#include <array>
#include <bit>
#include <memory>

#include <kvrace/strategy.h>

#include "runtime/execution.h"
#include "strategies/dependence.h"
#include "strategies/random_source.h"

namespace kvrace {

namespace {

using detail::task_record;

// Every announced operation has a random priority of its own. The highest enabled one is carried out; then it and every
// operation that conflicts with it draw afresh, so that the orders of conflicting operations are sampled nearly independently.
class pos_strategy final : public strategy {
 public:
  explicit pos_strategy(std::uint64_t seed) : seed_(seed) {}

  bool begin_run(std::uint64_t index, const execution_view& view) override {
    random_ = detail::random_source(seed_, index);
    view_ = &view;
    announced_.fill(~std::uint64_t{0});
    below_all_ = 0;
    return true;
  }

  task_answer choose_task(const decision& now) override {
    for (task_set rest = now.enabled; rest != 0; rest &= rest - 1) refresh(static_cast<unsigned>(std::countr_zero(rest)));
    task_set candidates = now.enabled;
    if (now.yielded && !std::has_single_bit(now.enabled)) {
      // A task that gives way waits for others: it goes behind all, once, also behind those that gave way before.
      priority_[now.current] = --below_all_;
      candidates &= ~(task_set{1} << now.current);
    }
    auto best = static_cast<unsigned>(std::countr_zero(candidates));
    for (task_set rest = candidates; rest != 0; rest &= rest - 1) {
      const auto task = static_cast<unsigned>(std::countr_zero(rest));
      if (priority_[task] > priority_[best]) best = task;
    }
    const task_record& chosen = view_->task(best);
    for (unsigned task = 0; task < view_->slots(); ++task)
      if (task != best && conflict(chosen, view_->task(task))) priority_[task] = draw();
    return {best, 1};
  }

  std::uint64_t choose_value(unsigned, std::uint64_t outcomes) override { return random_.below(outcomes); }
  [[nodiscard]] bool wants_every_step() const override { return true; }
  [[nodiscard]] std::string describe() const override { return "partial order sampling"; }

 private:
  std::int64_t draw() { return static_cast<std::int64_t>(random_.next() >> 1U); }

  void refresh(unsigned task) {
    const std::uint64_t operations = view_->task(task).operations;
    if (announced_[task] == operations) return;
    announced_[task] = operations;
    priority_[task] = draw();
  }

  std::uint64_t seed_;
  detail::random_source random_;
  const execution_view* view_ = nullptr;
  std::array<std::int64_t, tasks_max> priority_{};
  std::int64_t below_all_ = 0;
  std::array<std::uint64_t, tasks_max> announced_{};  // the operation count at which the priority was drawn
};

struct pos_factory final : strategy_factory {
  [[nodiscard]] std::unique_ptr<strategy> make(std::uint64_t seed) const override { return std::make_unique<pos_strategy>(seed); }
};

}  // namespace

strategy_choice pos() { return std::make_shared<pos_factory>(); }

}  // namespace kvrace
