#include <bit>
#include <memory>
#include <stdexcept>
#include <string>

#include <kvrace/strategy.h>

#include "strategies/random_source.h"

namespace kvrace {

namespace {

// Run i begins its first turn as if i mod quantum of its decisions were over, and at the (i / quantum)-th of the tasks enabled at
// the first decision: so the switches fall at other places in every run until all are used up.
class round_robin_strategy final : public strategy {
 public:
  round_robin_strategy(std::uint64_t quantum, std::uint64_t seed) : quantum_(quantum), seed_(seed) {}

  bool begin_run(std::uint64_t index, const execution_view&) override {
    random_ = detail::random_source(seed_, index);
    spent_ = index % quantum_;
    first_task_ = index / quantum_;
    first_ = true;
    return true;
  }

  task_answer choose_task(const decision& now) override {
    if (!first_) return {after(now.enabled, now.current), quantum_};
    first_ = false;
    task_set rest = now.enabled;
    for (auto skipped = first_task_ % static_cast<std::uint64_t>(std::popcount(rest)); skipped > 0; --skipped) rest &= rest - 1;
    return {static_cast<unsigned>(std::countr_zero(rest)), quantum_ - spent_};
  }

  std::uint64_t choose_value(unsigned, std::uint64_t outcomes) override { return random_.below(outcomes); }

  [[nodiscard]] std::string describe() const override {
    return "round robin, " + std::to_string(quantum_) + (quantum_ == 1 ? " decision" : " decisions") + " a turn";
  }

 private:
  // The next one in cyclic order; the same if there is no other.
  static unsigned after(task_set tasks, unsigned task) {
    const task_set later = task + 1 < tasks_max ? tasks & ~((task_set{1} << (task + 1)) - 1) : 0;
    return static_cast<unsigned>(std::countr_zero(later != 0 ? later : tasks));
  }

  std::uint64_t quantum_;
  std::uint64_t seed_;
  detail::random_source random_;
  std::uint64_t spent_ = 0;
  std::uint64_t first_task_ = 0;
  bool first_ = true;
};

struct round_robin_factory final : strategy_factory {
  explicit round_robin_factory(std::uint64_t chosen) : quantum(chosen) {}
  [[nodiscard]] std::unique_ptr<strategy> make(std::uint64_t seed) const override {
    return std::make_unique<round_robin_strategy>(quantum, seed);
  }
  std::uint64_t quantum;
};

}  // namespace

strategy_choice round_robin(std::uint64_t quantum) {
  if (quantum < 1) throw std::invalid_argument("round_robin: the quantum must be at least 1");
  return std::make_shared<round_robin_factory>(quantum);
}

}  // namespace kvrace
