#include "strategies/replay.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "runtime/execution.h"

namespace kvrace::detail {

namespace {

constexpr unsigned nobody = tasks_max;  // an answer that the engine refuses

class replay_strategy final : public followed_schedule {
 public:
  explicit replay_strategy(kvrace::schedule schedule) : schedule_(std::move(schedule)), used_(schedule_.deviations.size()) {
    for (std::size_t i = 0; i < schedule_.deviations.size(); ++i)
      if (schedule_.deviations[i].task <= tasks_max) queues_[schedule_.deviations[i].task].items.push_back(i);
    for (queue& each : queues_)
      std::sort(each.items.begin(), each.items.end(), [this](std::size_t left, std::size_t right) {
        return std::pair(schedule_.deviations[left].operation, left) < std::pair(schedule_.deviations[right].operation, right);
      });
  }

  bool begin_run(std::uint64_t index, const execution_view& view) override {
    view_ = &view;
    return index == 0;
  }

  task_answer choose_task(const decision& now) override {
    const task_record& current = view_->task(now.current);
    if (const deviation* found = take(deviation::kind::switch_to, current)) {
      const auto target = static_cast<unsigned>(found->answer == tasks_max ? 0 : found->answer);
      if (target >= tasks_max || (now.enabled >> target & 1) == 0) {
        divergence_ = "the schedule switches to task " + std::to_string(found->answer) + " at operation " +
                      std::to_string(found->operation) + " of task " + std::to_string(found->task) + ", where it is not enabled";
        return {nobody, 1};
      }
      return {target, 1};
    }
    if (now.yielded) {
      const task_set after = now.current + 1 < tasks_max ? now.enabled & ~((task_set{1} << (now.current + 1)) - 1) : 0;
      return {static_cast<unsigned>(std::countr_zero(after != 0 ? after : now.enabled)), 1};
    }
    if (now.current_enabled) return {now.current, 1};
    return {static_cast<unsigned>(std::countr_zero(now.enabled)), 1};
  }

  std::uint64_t choose_value(unsigned task, std::uint64_t outcomes) override {
    const deviation* found = take(deviation::kind::value, view_->task(task));
    if (found == nullptr) return 0;
    if (found->answer >= outcomes)
      divergence_ = "the schedule answers " + std::to_string(found->answer) + " to operation " +
                    std::to_string(found->operation) + " of task " + std::to_string(found->task) + ", which has only " +
                    std::to_string(outcomes) + " outcomes";
    return found->answer;
  }

  // Deviations that were never reached. Only a run that went to its end must have used them all.
  void end_run(const run_summary& run) override {
    if (!run.complete || divergence_) return;
    for (std::size_t i = 0; i < used_.size(); ++i)
      if (!used_[i]) {
        const deviation& item = schedule_.deviations[i];
        divergence_ = "the run had nothing to decide at operation " + std::to_string(item.operation) + " of task " +
                      std::to_string(item.task) + ", where the schedule has an answer";
        return;
      }
  }

  [[nodiscard]] bool at_its_end() const override { return used_count_ == used_.size(); }
  [[nodiscard]] std::optional<std::string> divergence() const override { return divergence_; }
  [[nodiscard]] std::string describe() const override { return "replay"; }

 private:
  // Each task meets its own deviations in the order of its operations, whatever the others do.
  const deviation* take(deviation::kind what, const task_record& task) {
    queue& waiting = queues_[task.id];
    while (waiting.next < waiting.items.size() && schedule_.deviations[waiting.items[waiting.next]].operation < task.operations)
      ++waiting.next;
    for (std::size_t i = waiting.next; i < waiting.items.size(); ++i) {
      const std::size_t index = waiting.items[i];
      const deviation& item = schedule_.deviations[index];
      if (item.operation != task.operations) break;
      if (used_[index] || item.what != what) continue;
      used_[index] = true;
      ++used_count_;
      return &item;
    }
    return nullptr;
  }

  // The deviations of a task, by operation.
  struct queue {
    std::vector<std::size_t> items;
    std::size_t next = 0;
  };

  kvrace::schedule schedule_;
  std::vector<bool> used_;
  std::size_t used_count_ = 0;
  std::array<queue, tasks_max + 1> queues_;
  const execution_view* view_ = nullptr;
  std::optional<std::string> divergence_;
};

}  // namespace

std::unique_ptr<followed_schedule> make_replay(schedule schedule) {
  return std::make_unique<replay_strategy>(std::move(schedule));
}

}  // namespace kvrace::detail
