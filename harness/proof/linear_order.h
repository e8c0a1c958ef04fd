// A sequentially consistent execution graph as an interleaving.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kvrace/strategy.h>

namespace kvrace::detail {

// Which task takes each step, and the outcomes of each task's choices.
struct linear_order {
  void clear();

  std::vector<unsigned> slots;
  std::array<std::vector<std::uint64_t>, tasks_max> outcomes;
  std::vector<std::uint32_t> waited_in;  // ids of the condition variables; notifications of others are no events
};

// Lets the tasks take their steps in the given order, and goes on along the baseline.
class linear_strategy final : public strategy {
 public:
  explicit linear_strategy(const linear_order& order) : order_(order) {}  // which outlives it

  bool begin_run(std::uint64_t index, const execution_view& view) override;
  task_answer choose_task(const decision& now) override;
  std::uint64_t choose_value(unsigned task, std::uint64_t outcomes) override;
  [[nodiscard]] bool wants_every_step() const override { return true; }
  [[nodiscard]] std::optional<std::string> divergence() const override { return divergence_; }
  [[nodiscard]] std::string describe() const override { return "order of a graph"; }

 private:
  const linear_order& order_;
  const execution_view* view_ = nullptr;
  std::size_t next_ = 0;
  std::array<std::size_t, tasks_max> chosen_{};
  std::optional<std::string> divergence_;
};

}  // namespace kvrace::detail
