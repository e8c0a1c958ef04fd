#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <kvrace/strategy.h>

namespace kvrace {

namespace {

// Run i is the run i / n of member i mod n. Member m has the seed of the whole plus m.
class portfolio_strategy final : public strategy {
 public:
  portfolio_strategy(const std::vector<strategy_choice>& members, std::uint64_t seed) {
    for (const strategy_choice& member : members) members_.push_back(member->make(seed + members_.size()));
  }

  bool begin_run(std::uint64_t index, const execution_view& view) override {
    now_ = members_[index % members_.size()].get();
    return now_->begin_run(index / members_.size(), view);
  }
  task_answer choose_task(const decision& asked) override { return now_->choose_task(asked); }
  std::uint64_t choose_value(unsigned task, std::uint64_t outcomes) override { return now_->choose_value(task, outcomes); }
  void end_run(const run_summary& run) override { now_->end_run(run); }
  [[nodiscard]] bool wants_wakeups() const override { return now_->wants_wakeups(); }
  [[nodiscard]] bool wants_every_step() const override { return now_->wants_every_step(); }
  [[nodiscard]] bool wants_names() const override { return now_->wants_names(); }
  void named(std::uint32_t object, std::string_view name) override { now_->named(object, name); }
  [[nodiscard]] std::optional<std::string> divergence() const override { return now_->divergence(); }

  [[nodiscard]] std::string describe() const override {
    std::string text = "in turn: ";
    for (const auto& member : members_) text += (member == members_.front() ? "" : "; ") + member->describe();
    return text;
  }

 private:
  std::vector<std::unique_ptr<strategy>> members_;
  strategy* now_ = nullptr;
};

struct portfolio_factory final : strategy_factory {
  explicit portfolio_factory(std::vector<strategy_choice> chosen) : members(std::move(chosen)) {}
  [[nodiscard]] std::unique_ptr<strategy> make(std::uint64_t seed) const override {
    return std::make_unique<portfolio_strategy>(members, seed);
  }
  std::vector<strategy_choice> members;
};

}  // namespace

strategy_choice portfolio(std::vector<strategy_choice> members) {
  if (members.empty()) throw std::invalid_argument("portfolio: expected at least one strategy");
  return std::make_shared<portfolio_factory>(std::move(members));
}

strategy_choice portfolio(std::uint64_t decisions_max) {
  return portfolio({random_walk(), pct({.depth = 2, .decisions_max = decisions_max}), pos(),
                    pct({.depth = 3, .decisions_max = decisions_max}), surw(),
                    pct({.depth = 5, .decisions_max = decisions_max})});
}

}  // namespace kvrace
