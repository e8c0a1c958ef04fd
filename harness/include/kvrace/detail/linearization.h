// The search for a linearization (Wing, Gong, J. Parallel Distrib. Comput. 17, 1993), which does not go on from a set of placed
// calls and a state that it has met before (Lowe, Concurrency Computat. Pract. Exper. 29, 2017).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <kvrace/linearizability.h>

namespace kvrace::detail {

// ---- sets of calls ----

// At most 64 calls.
class small_set {
 public:
  static constexpr std::size_t calls_max = 64;
  void reset(std::size_t) { bits_ = 0; }
  [[nodiscard]] bool has(std::size_t call) const { return (bits_ >> call & 1) != 0; }
  void flip(std::size_t call) { bits_ ^= std::uint64_t{1} << call; }
  [[nodiscard]] std::size_t first_absent() const { return static_cast<std::size_t>(std::countr_one(bits_)); }
  [[nodiscard]] std::uint64_t hash() const { return (bits_ ^ bits_ >> 29U) * 0x9fb21c651e98df25; }
  friend bool operator==(const small_set&, const small_set&) = default;

 private:
  std::uint64_t bits_ = 0;
};

// Any number.
class large_set {
 public:
  void reset(std::size_t calls) { words_.assign((calls + 63) / 64, 0); }
  [[nodiscard]] bool has(std::size_t call) const { return (words_[call / 64] >> call % 64 & 1) != 0; }
  void flip(std::size_t call) { words_[call / 64] ^= std::uint64_t{1} << call % 64; }
  [[nodiscard]] std::size_t first_absent() const {
    std::size_t word = 0;
    while (word < words_.size() && words_[word] == ~std::uint64_t{0}) ++word;
    return word * 64 + (word < words_.size() ? static_cast<std::size_t>(std::countr_one(words_[word])) : 0);
  }
  [[nodiscard]] std::uint64_t hash() const {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : words_) hash = (hash ^ word ^ word >> 29U) * 0x9fb21c651e98df25;
    return hash;
  }
  friend bool operator==(const large_set&, const large_set&) = default;

 private:
  std::vector<std::uint64_t> words_;
};

// ---- states ----

// Of a nondeterministic specification: all states it can be in. The search over sets of states decides nothing too early.
template <class Spec>
struct power_state {
  std::vector<Spec> possible;
  void add(Spec also) {
    if (std::find(possible.begin(), possible.end(), also) == possible.end()) possible.push_back(std::move(also));
  }
  // As sets.
  friend bool operator==(const power_state& one, const power_state& other) {
    return one.possible.size() == other.possible.size() &&
           std::all_of(one.possible.begin(), one.possible.end(), [&](const Spec& each) {
             return std::find(other.possible.begin(), other.possible.end(), each) != other.possible.end();
           });
  }
};

// Calls visit(result, state after) for each outcome of the call in this state.
template <class Spec, class Call, class Visit>
void each_outcome(const Spec& before, const Call& call, Visit visit) {
  if constexpr (applied<Spec, Call>::several) {
    for (outcome<result_of<Spec, Call>, Spec>& each : before.apply(call)) visit(each.returned, std::move(each.after));
  } else {
    Spec after = before;
    if constexpr (std::is_same_v<result_of<Spec, Call>, nothing>) {
      after.apply(call);
      visit(nothing{}, std::move(after));
    } else {
      const result_of<Spec, Call> returned = after.apply(call);
      visit(returned, std::move(after));
    }
  }
}

template <class Spec>
struct deterministic {
  using states = Spec;
  static states from(const Spec& initial) { return initial; }
  static const Spec* begin(const states& of) { return &of; }
  static const Spec* end(const states& of) { return &of + 1; }
};
template <class Spec>
struct nondeterministic {
  using states = power_state<Spec>;
  static states from(const Spec& initial) { return {{initial}}; }
  static auto begin(const states& of) { return of.possible.begin(); }
  static auto end(const states& of) { return of.possible.end(); }
};

// ---- the search ----

// Searches one partition after another; what it has allocated is used again.
template <class Spec, class Set>
class linearization {
  using kind = std::conditional_t<traits_of<Spec>::several, nondeterministic<Spec>, deterministic<Spec>>;
  using states = typename kind::states;

 public:
  using call = timed_call<Spec>;

  // `calls` in order of `called`. They must stay where they are while order() and results() are in use.
  linearizability search(const std::vector<const call*>& calls, const Spec& initial, std::uint64_t steps_max) {
    return run(calls, initial, steps_max, [](const Spec&) { return false; }, nullptr);
  }

  // Goes through all linearizations of the other calls and calls visit(state) wherever the pending call `target` could be placed,
  // until that returns true. The answer is unknown if the budget ended the search.
  template <class Visit>
  linearizability places(const std::vector<const call*>& calls, const Spec& initial, std::uint64_t steps_max, const call& target,
                         Visit visit) {
    return run(calls, initial, steps_max, visit, &target);
  }

  // After a search that found one: the calls in the order of the linearization.
  [[nodiscard]] std::vector<const call*> order() const {
    std::vector<const call*> placed;
    for (std::size_t depth = 0; depth + 1 < depth_; ++depth) placed.push_back((*calls_)[frames_[depth].next - 1]);
    return placed;
  }

 private:
  struct frame {
    states before;
    std::size_t next = 0;  // the next call to try
    std::uint32_t limit = 0;  // calls that begin later come after one that is not placed yet
  };
  struct met {
    Set placed;
    states after;
  };
  struct slot {
    std::uint64_t search = 0;
    std::size_t met = 0;
  };

  template <class Visit>
  linearizability run(const std::vector<const call*>& calls, const Spec& initial, std::uint64_t steps_max, Visit visit,
                      const call* target) {
    calls_ = &calls;
    placed_.reset(calls.size());
    met_.clear();
    ++searches_;
    depth_ = 0;
    std::size_t left = 0;  // completed calls that are not placed
    for (const call* each : calls) left += each->returned != call::pending ? 1 : 0;
    push(kind::from(initial));
    for (std::uint64_t steps = 0;;) {
      if (left == 0 && target == nullptr) return linearizability::linearizable;
      frame& top = frames_[depth_ - 1];
      const std::size_t next = candidate(top.next, top.limit);
      if (next == calls.size()) {
        if (--depth_ == 0) return linearizability::violated;
        const std::size_t undone = frames_[depth_ - 1].next - 1;
        placed_.flip(undone);
        left += calls[undone]->returned != call::pending ? 1 : 0;
        continue;
      }
      top.next = next + 1;
      if (++steps > steps_max) return linearizability::unknown;
      if (calls[next] == target) {
        if (std::any_of(kind::begin(top.before), kind::end(top.before), visit)) return linearizability::linearizable;
        continue;
      }
      std::optional<states> after = place(top.before, *calls[next]);
      if (!after) continue;
      placed_.flip(next);
      if (!is_new(*after)) {
        placed_.flip(next);
        continue;
      }
      left -= calls[next]->returned != call::pending ? 1 : 0;
      push(std::move(*after));
    }
  }

  // The first call from `from` on that is not placed and did not begin after another that is not placed has returned.
  [[nodiscard]] std::size_t candidate(std::size_t from, std::uint32_t limit) const {
    const std::vector<const call*>& calls = *calls_;
    for (; from < calls.size() && calls[from]->called <= limit; ++from)
      if (!placed_.has(from)) return from;
    return calls.size();
  }

  void push(states before) {
    const std::vector<const call*>& calls = *calls_;
    const std::size_t first = placed_.first_absent();
    std::uint32_t limit = call::pending;
    for (std::size_t at = first; at < calls.size() && calls[at]->called <= limit; ++at)
      if (!placed_.has(at)) limit = std::min(limit, calls[at]->returned);
    if (depth_ == frames_.size())
      frames_.push_back({std::move(before), first, limit});
    else
      frames_[depth_] = {std::move(before), first, limit};
    ++depth_;
  }

  // The state after the call, if it may return in `before` what it has returned.
  static std::optional<states> place(const states& before, const call& placed) {
    return std::visit(
        [&](const auto& entry) {
          std::optional<states> after;
          for (auto each = kind::begin(before); each != kind::end(before); ++each) {
            each_outcome(*each, entry.call, [&](const auto& returned, Spec state_after) {
              if (entry.returned && !(*entry.returned == returned)) return;
              if constexpr (traits_of<Spec>::several) {
                if (!after) after.emplace();
                after->add(std::move(state_after));
              } else {
                after.emplace(std::move(state_after));
              }
            });
          }
          return after;
        },
        placed.entry);
  }

  // Notes that `placed_` can lead to `after`. False if that was known.
  bool is_new(const states& after) {
    if ((met_.size() + 1) * 2 > table_.size()) grow();
    std::size_t at = find(placed_, &after);
    if (table_[at].search == searches_) return false;
    table_[at] = {searches_, met_.size()};
    met_.push_back({placed_, after});
    return true;
  }
  // Where the pair is, or the first free slot.
  [[nodiscard]] std::size_t find(const Set& placed, const states* after) const {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = placed.hash() >> 20U & mask;
    while (table_[at].search == searches_) {
      const met& other = met_[table_[at].met];
      if (after != nullptr && other.placed == placed && other.after == *after) break;
      at = (at + 1) & mask;
    }
    return at;
  }
  void grow() {
    table_.assign(std::max<std::size_t>(64, table_.size() * 2), {});
    for (std::size_t i = 0; i < met_.size(); ++i) table_[find(met_[i].placed, nullptr)] = {searches_, i};
  }

  const std::vector<const call*>* calls_ = nullptr;
  Set placed_;
  std::vector<frame> frames_;
  std::size_t depth_ = 0;
  std::vector<met> met_;
  std::vector<slot> table_;
  std::uint64_t searches_ = 0;  // slots of former ones are free
};

}  // namespace kvrace::detail
