// The definition of linearizability, tried out: every order of the calls, every subset of the pending ones. For tests.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include <kvrace/linearizability.h>

namespace kvrace::testing {

template <class Spec>
class brute_force {
 public:
  static bool linearizable(const std::vector<timed_call<Spec>>& calls, const Spec& initial = {}) {
    brute_force attempt(calls);
    return attempt.extend(initial);
  }

 private:
  explicit brute_force(const std::vector<timed_call<Spec>>& calls) : calls_(calls), placed_(calls.size()) {}

  bool extend(const Spec& state) {
    bool complete = true;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (placed_[i]) continue;
      if (calls_[i].returned != timed_call<Spec>::pending) complete = false;
      if (!may_be_next(i)) continue;
      placed_[i] = true;
      if (std::visit([&](const auto& entry) { return apply(state, entry); }, calls_[i].entry)) return true;
      placed_[i] = false;
    }
    return complete;
  }
  bool may_be_next(std::size_t call) const {
    for (std::size_t i = 0; i < calls_.size(); ++i)
      if (!placed_[i] && calls_[i].returned < calls_[call].called) return false;
    return true;
  }
  template <class Entry>
  bool apply(const Spec& state, const Entry& entry) {
    using result = typename Entry::result_type;
    if constexpr (detail::applied<Spec, typename Entry::call_type>::several) {
      for (const outcome<result, Spec>& each : state.apply(entry.call))
        if ((!entry.returned || *entry.returned == each.returned) && extend(each.after)) return true;
      return false;
    } else {
      Spec after = state;
      if constexpr (std::is_same_v<result, nothing>) {
        after.apply(entry.call);
      } else {
        const result returned = after.apply(entry.call);
        if (entry.returned && !(*entry.returned == returned)) return false;
      }
      return extend(after);
    }
  }

  const std::vector<timed_call<Spec>>& calls_;
  std::vector<bool> placed_;
};

}  // namespace kvrace::testing
