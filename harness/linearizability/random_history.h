// Small random histories, about half of them linearizable. For tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <kvrace/linearizability.h>

#include "strategies/random_source.h"

namespace kvrace::testing {

using detail::random_source;

// `Draw` returns an entry with a call and a random result.
template <class Spec, class Draw>
class random_history {
 public:
  using call = timed_call<Spec>;
  random_history(random_source& random, const Spec& initial, Draw draw) : random_(random), state_(initial), draw_(draw) {}

  // Calls of up to `tasks` tasks. A few stay pending; each task makes one call after the other.
  std::vector<call> make(std::size_t calls, std::size_t tasks) {
    std::vector<call> made(calls);
    std::vector<std::size_t> open;  // calls in progress
    std::vector<std::size_t> unplaced;
    std::uint32_t time = 0;
    const bool honest = random_.below(4) != 0;  // results come from an order that exists
    for (std::size_t next = 0; next < calls || !open.empty();) {
      time += static_cast<std::uint32_t>(random_.below(2));  // ties are frequent
      const std::uint64_t what = random_.below(3);
      if (what == 0 && next < calls && open.size() < tasks) {
        made[next].entry = draw_(random_);
        made[next].called = time;
        open.push_back(next);
        unplaced.push_back(next++);
      } else if (what == 1 && !unplaced.empty()) {
        const std::size_t at = random_.below(unplaced.size());
        if (honest) take_effect(made[unplaced[at]]);
        unplaced.erase(unplaced.begin() + static_cast<std::ptrdiff_t>(at));
      } else if (what == 2 && !open.empty()) {
        const std::size_t at = random_.below(open.size());
        if (std::count(unplaced.begin(), unplaced.end(), open[at]) != 0) continue;
        finish(made[open[at]], ++time);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
    return made;
  }

 private:
  void take_effect(call& which) {
    std::visit(
        [&](auto& entry) {
          const std::vector<std::pair<typename std::remove_cvref_t<decltype(entry)>::result_type, Spec>> all =
              outcomes(entry.call);
          const auto& [returned, after] = all[random_.below(all.size())];
          entry.returned = returned;
          state_ = after;
        },
        which.entry);
  }
  template <class Call>
  auto outcomes(const Call& made) {
    using result = result_of<Spec, Call>;
    std::vector<std::pair<result, Spec>> all;
    if constexpr (detail::applied<Spec, Call>::several) {
      for (const auto& each : state_.apply(made)) all.emplace_back(each.returned, each.after);
    } else {
      Spec after = state_;
      if constexpr (std::is_same_v<result, nothing>) {
        after.apply(made);
        all.emplace_back(nothing{}, after);
      } else {
        const result returned = after.apply(made);
        all.emplace_back(returned, after);
      }
    }
    return all;
  }
  void finish(call& which, std::uint32_t time) {
    const std::uint64_t what = random_.below(12);
    if (what == 0) {  // stays pending
      std::visit([](auto& entry) { entry.returned.reset(); }, which.entry);
      return;
    }
    which.returned = time;
    if (what != 1) return;
    auto other = draw_(random_);  // another result
    if (other.index() != which.entry.index()) return;
    std::visit([&](auto& entry) { entry.returned = std::get<std::remove_cvref_t<decltype(entry)>>(other).returned; },
               which.entry);
  }

  random_source& random_;
  Spec state_;
  Draw draw_;
};

}  // namespace kvrace::testing
