#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <kvrace/strategy.h>

#include "strategies/random_source.h"
#include "strategies/replay.h"

namespace kvrace {

namespace {

using detail::followed_schedule;

class replay_then_strategy final : public strategy {
 public:
  replay_then_strategy(kvrace::schedule prefix, std::unique_ptr<strategy> rest, std::uint64_t seed)
      : prefix_(std::move(prefix)), rest_(std::move(rest)), seed_(seed) {}

  bool begin_run(std::uint64_t index, const execution_view& view) override {
    kvrace::schedule part = prefix_;
    part.deviations.resize(detail::random_source(seed_, index).below(part.deviations.size() + 1));
    follow_ = detail::make_replay(std::move(part));
    return follow_->begin_run(0, view) && rest_->begin_run(index, view);
  }
  task_answer choose_task(const decision& now) override {
    return follow_->at_its_end() ? rest_->choose_task(now) : follow_->choose_task(now);
  }
  std::uint64_t choose_value(unsigned task, std::uint64_t outcomes) override {
    return follow_->at_its_end() ? rest_->choose_value(task, outcomes) : follow_->choose_value(task, outcomes);
  }
  void end_run(const run_summary& run) override {
    if (follow_->at_its_end())
      rest_->end_run(run);
    else
      follow_->end_run(run);
  }
  [[nodiscard]] bool wants_wakeups() const override { return rest_->wants_wakeups(); }
  [[nodiscard]] bool wants_every_step() const override { return rest_->wants_every_step(); }
  [[nodiscard]] bool wants_names() const override { return rest_->wants_names(); }
  void named(std::uint32_t object, std::string_view name) override { rest_->named(object, name); }
  [[nodiscard]] std::optional<std::string> divergence() const override {
    return follow_->at_its_end() ? rest_->divergence() : follow_->divergence();
  }
  [[nodiscard]] std::string describe() const override {
    return "along a schedule, its first 0 to " + std::to_string(prefix_.deviations.size()) + " answers, then " +
           rest_->describe();
  }

 private:
  kvrace::schedule prefix_;
  std::unique_ptr<strategy> rest_;
  std::uint64_t seed_;
  std::unique_ptr<followed_schedule> follow_;
};

struct replay_then_factory final : strategy_factory {
  replay_then_factory(kvrace::schedule chosen, strategy_choice then) : prefix(std::move(chosen)), rest(std::move(then)) {}
  [[nodiscard]] std::unique_ptr<strategy> make(std::uint64_t seed) const override {
    return std::make_unique<replay_then_strategy>(prefix, rest->make(seed), seed);
  }
  kvrace::schedule prefix;
  strategy_choice rest;
};

}  // namespace

strategy_choice replay_then(schedule prefix, strategy_choice rest) {
  if (rest == nullptr) throw std::invalid_argument("replay_then: expected a strategy to go on with");
  return std::make_shared<replay_then_factory>(std::move(prefix), std::move(rest));
}

}  // namespace kvrace
