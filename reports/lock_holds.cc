#include "reports/lock_holds.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace kvrace::reports {
namespace {

enum class effect { none, takes, tries, gives_back, waits };

effect effect_of(std::string_view kind) {
  if (kind == "lock" || kind == "lock_shared" || kind == "reacquire") return effect::takes;
  if (kind == "try_lock" || kind == "try_lock_shared") return effect::tries;
  if (kind == "unlock" || kind == "unlock_shared") return effect::gives_back;
  return kind == "wait" ? effect::waits : effect::none;
}

class follower {
 public:
  explicit follower(const std::vector<trace_step>& trace) : trace_(trace) {}

  std::vector<lock_hold> run() {
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      const trace_step& step = trace_[i];
      const place at{step.task, step.object};
      switch (effect_of(step.kind)) {
        case effect::takes: take(at, i); break;
        case effect::tries: tried_[at] = i; break;
        case effect::gives_back: give_back(at, i); break;
        case effect::waits: wait(i); break;
        case effect::none: break;
      }
    }
    std::ranges::sort(holds_, {}, &lock_hold::from);
    return std::move(holds_);
  }

 private:
  using place = std::pair<unsigned, std::string_view>;  // task, lock
  struct open_hold {
    std::size_t hold = 0;  // index into holds_
    std::size_t depth = 0;
  };

  void take(const place& at, std::size_t step) {
    open_hold& open = open_[at];
    if (open.depth++ != 0) return;
    open.hold = holds_.size();
    holds_.push_back({.from = step, .to = std::nullopt, .shared = trace_[step].kind.ends_with("shared")});
  }

  void give_back(const place& at, std::size_t step) {
    auto open = open_.find(at);
    if (open == open_.end()) {
      const auto tried = tried_.find(at);
      if (tried == tried_.end()) return;  // taken before the trace begins
      take(at, tried->second);
      tried_.erase(tried);
      open = open_.find(at);
    }
    if (--open->second.depth != 0) return;
    holds_[open->second.hold].to = step;
    open_.erase(open);
  }

  void wait(std::size_t step) {
    const auto task = trace_[step].task;
    const auto next = std::find_if(trace_.begin() + static_cast<std::ptrdiff_t>(step), trace_.end(),
                                   [task](const trace_step& s) { return s.task == task && s.kind == "reacquire"; });
    auto open = open_.end();
    for (auto each = open_.begin(); each != open_.end(); ++each) {
      if (each->first.first != task) continue;
      const bool reacquired = next != trace_.end() && each->first.second == next->object;
      if (reacquired || (next == trace_.end() && (open == open_.end() || open->second.hold < each->second.hold))) open = each;
    }
    if (open == open_.end()) return;
    holds_[open->second.hold].to = step;
    open_.erase(open);
  }

  const std::vector<trace_step>& trace_;
  std::vector<lock_hold> holds_;
  std::map<place, open_hold> open_;
  std::map<place, std::size_t> tried_;
};

}  // namespace

std::vector<lock_hold> lock_holds_of(const std::vector<trace_step>& trace) { return follower(trace).run(); }

}  // namespace kvrace::reports
