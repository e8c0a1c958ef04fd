// Zhao, Wolff, Mathur, Roychoudhury: Selectively Uniform Concurrency Testing, ASPLOS 2025.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kvrace/strategy.h>

#include "runtime/execution.h"
#include "strategies/random_source.h"

namespace kvrace {

namespace {

using detail::task_record;

// Per run one set of objects is interesting: the operations on them are interleaved uniformly, the rest by random priorities. How
// many of these each task still has is taken from the runs before; the first run is a plain sample. A task's count includes those
// of the tasks it has yet to spawn.
class surw_strategy final : public strategy {
 public:
  surw_strategy(std::vector<std::string> sets, std::uint64_t seed) : sets_(std::move(sets)), seed_(seed) {}

  bool begin_run(std::uint64_t index, const execution_view& view) override {
    random_ = detail::random_source(seed_, index);
    view_ = &view;
    profiling_ = index < profile_runs;
    known_ = 0;
    below_all_ = 0;
    intended_ = nobody;
    seen_.clear();
    parents_.fill(0);
    choose_set();
    return true;
  }

  task_answer choose_task(const decision& now) override {
    take_in_new_tasks();
    if (intended_ == nobody || finished(intended_)) intend(now.enabled);
    const unsigned chosen = pick(now);
    const task_record& task = view_->task(chosen);
    if (const std::optional<std::uint32_t> set = set_of(task)) ++seen_[*set][chosen];
    if (interesting(task)) {
      if (remaining_[chosen] > 0) --remaining_[chosen];
      intended_ = nobody;
    }
    return {chosen, 1};
  }

  std::uint64_t choose_value(unsigned, std::uint64_t outcomes) override { return random_.below(outcomes); }

  void end_run(const run_summary&) override {
    if (!profiling_) return;
    for (const auto& [set, by_task] : seen_)
      if (by_task.size() > 1)
        for (const auto& [task, count] : by_task) profile_[set][task] = std::max(profile_[set][task], count);
  }

  [[nodiscard]] bool wants_every_step() const override { return true; }
  [[nodiscard]] bool wants_names() const override { return profiling_ && !sets_.empty(); }
  void named(std::uint32_t object, std::string_view name) override {
    for (std::uint32_t set = 0; set < sets_.size(); ++set) {
      const std::string_view pattern = sets_[set];
      if (!(pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern)) continue;
      set_of_object_[object] = set;
      return;
    }
  }
  [[nodiscard]] std::string describe() const override {
    std::string text = "selectively uniform random walk";
    std::string unused;
    for (std::uint32_t set = 0; set < sets_.size(); ++set) {
      const std::string name = "'" + sets_[set] + "'";
      text += (set == 0 ? " of " : ", ") + name;
      if (!profile_.contains(set)) unused += (unused.empty() ? "" : ", ") + name;
    }
    return unused.empty() || profiling_ ? text : text + " (no two tasks met at any of " + unused + ")";
  }

 private:
  static constexpr unsigned nobody = tasks_max;
  static constexpr std::uint64_t profile_runs = 4;
  using counts = std::map<unsigned, std::uint64_t>;  // by task slot

  std::int64_t draw() { return static_cast<std::int64_t>(random_.next() >> 1U); }

  // What the operation that `task` has announced belongs to.
  [[nodiscard]] std::optional<std::uint32_t> set_of(const task_record& task) const {
    if (task.pending_object == nullptr) return std::nullopt;
    if (sets_.empty()) return task.pending_object->id;
    const auto known = set_of_object_.find(task.pending_object->id);
    return known == set_of_object_.end() ? std::nullopt : std::optional(known->second);
  }

  void choose_set() {
    has_set_ = !profiling_ && !profile_.empty();
    remaining_.fill(0);
    if (!has_set_) return;
    auto chosen = profile_.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(random_.below(profile_.size())));
    set_ = chosen->first;
    for (const auto& [task, count] : chosen->second) remaining_[task] = count;
  }

  [[nodiscard]] bool interesting(const task_record& task) const { return has_set_ && set_of(task) == set_; }
  [[nodiscard]] bool finished(unsigned task) const { return view_->task(task).finished; }

  void take_in_new_tasks() {
    for (; known_ < view_->slots(); ++known_) {
      priority_[known_] = draw();
      parents_[known_] = view_->task(known_).parent;
      // The child inherits the intention of its parent with its share of the parent's weight.
      const unsigned parent = parents_[known_];
      if (known_ == 0 || intended_ != parent) continue;
      const std::uint64_t share = remaining_[known_];
      const std::uint64_t whole = share + remaining_[parent];
      if (whole != 0 && random_.below(whole) < share) intended_ = known_;
    }
  }

  // A task, with probability proportional to the interesting operations it has left; every living task counts for at least one.
  void intend(task_set enabled) {
    std::uint64_t total = 0;
    for (task_set rest = enabled; rest != 0; rest &= rest - 1) total += weight(rest);
    std::uint64_t draw = random_.below(total);
    for (task_set rest = enabled; rest != 0; rest &= rest - 1) {
      const std::uint64_t here = weight(rest);
      if (draw < here) {
        intended_ = static_cast<unsigned>(std::countr_zero(rest));
        return;
      }
      draw -= here;
    }
  }
  [[nodiscard]] std::uint64_t weight(task_set tasks) const {
    return std::max<std::uint64_t>(remaining_[static_cast<unsigned>(std::countr_zero(tasks))], 1);
  }

  // The highest priority among the tasks that are not held: other tasks than the intended one are, at an interesting operation.
  unsigned pick(const decision& now) {
    // Priorities that stay while one task draws afresh sink to nothing where tasks wait for each other by yielding: a task that
    // gives way goes behind all, and the runs that only count draw for everybody.
    if (profiling_)
      for (std::int64_t& each : priority_) each = draw();
    if (now.yielded) priority_[now.current] = --below_all_;
    unsigned best = nobody;
    for (task_set rest = now.enabled; rest != 0; rest &= rest - 1) {
      const auto task = static_cast<unsigned>(std::countr_zero(rest));
      if (task != intended_ && interesting(view_->task(task))) continue;
      if (best == nobody || priority_[task] > priority_[best]) best = task;
    }
    if (best != nobody) return best;
    intend(now.enabled);  // all are held: the intended one is blocked
    return intended_;
  }

  std::vector<std::string> sets_;  // empty: a set is an object, and known by its id
  std::uint64_t seed_;
  std::map<std::uint32_t, std::uint32_t> set_of_object_;
  detail::random_source random_;
  const execution_view* view_ = nullptr;
  bool profiling_ = true;
  std::map<std::uint32_t, counts> profile_;  // sets that several tasks touched, from the first runs
  std::map<std::uint32_t, counts> seen_;  // in this run
  bool has_set_ = false;
  std::uint32_t set_ = 0;
  std::array<std::uint64_t, tasks_max> remaining_{};
  std::array<std::int64_t, tasks_max> priority_{};
  std::int64_t below_all_ = 0;
  std::array<unsigned, tasks_max> parents_{};
  unsigned known_ = 0;
  unsigned intended_ = nobody;
};

struct surw_factory final : strategy_factory {
  explicit surw_factory(surw_options chosen) : options(std::move(chosen)) {}
  [[nodiscard]] std::unique_ptr<strategy> make(std::uint64_t seed) const override {
    return std::make_unique<surw_strategy>(options.sets, seed);
  }
  surw_options options;
};

}  // namespace

strategy_choice surw(surw_options options) {
  for (const std::string& set : options.sets)
    if (set.empty()) throw std::invalid_argument("surw: expected the name of an object for a set, not an empty one");
  return std::make_shared<surw_factory>(std::move(options));
}

}  // namespace kvrace
