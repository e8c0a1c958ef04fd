// From a history to a verdict: partitions, each memoised, and what to say of one that no order explains.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <kvrace/detail/fingerprint.h>
#include <kvrace/detail/linearization.h>
#include <kvrace/detail/verdict_memo.h>
#include <kvrace/detail/words.h>
#include <kvrace/linearizability.h>

namespace kvrace::detail {

template <class Spec>
fingerprint fingerprint_of(const timed_call<Spec>& call) {
  fingerprint made;
  made.add_bits(call.entry.index());
  std::visit(
      [&](const auto& entry) {
        made.add(entry.call);
        made.add(entry.returned);
      },
      call.entry);
  return made;
}
// Of the call with its place in time. The sum over a history is that of the history: the order in which it was recorded and the
// tasks that called play no part.
inline fingerprint timed(fingerprint call, std::uint32_t called, std::uint32_t returned) {
  call.add_bits(std::uint64_t{called} << 32U | returned);
  call.mix();
  return call;
}

template <class Spec>
std::string in_words_of_call(const timed_call<Spec>& call) {
  return std::visit(
      [](const auto& entry) {
        std::string text = in_words(entry.call);
        if (!entry.returned) return text + " still going on";
        if constexpr (!std::is_same_v<typename std::remove_cvref_t<decltype(entry)>::result_type, nothing>)
          text += " -> " + in_words(*entry.returned);
        return text;
      },
      call.entry);
}

// The calls of one key, in order of `called`.
template <class Spec>
struct history_part {
  std::vector<timed_call<Spec>> calls;  // times are relative: only how calls and returns alternate is kept
  std::vector<std::size_t> index;       // of each in the whole history
};

template <class Spec>
class history_checker {
 public:
  using call = timed_call<Spec>;

  // Forgets no verdict of before. `memoised`: whether it makes use of them.
  linearizability check(std::span<const call> calls, const Spec& initial, std::uint64_t steps_max, bool memoised = true);

  [[nodiscard]] verdict_memo& memo() { return memo_; }
  // To be added to what stands for a history: the same calls may have another verdict from another state, or within another
  // budget.
  fingerprint circumstances(const Spec& initial, std::uint64_t steps_max) {
    auto known = std::find(initials_.begin(), initials_.end(), initial);
    if (known == initials_.end()) known = initials_.insert(initials_.end(), initial);
    fingerprint made;
    made.add_bits(static_cast<std::uint64_t>(known - initials_.begin()));
    made.add_bits(steps_max);
    made.mix();
    return made;
  }

  // Of the last check, which found a violation: the index of the first call to return that cannot be placed.
  std::size_t explain(const Spec& initial, std::uint64_t steps_max);
  struct explanation {
    std::string subject;  // the key
    std::string message;
  };
  [[nodiscard]] const explanation& explained() const { return explained_; }

 private:
  using part = history_part<Spec>;

  void split(std::span<const call> calls);
  static void make_relative(part& of);
  linearizability search(const std::vector<call>& calls, const Spec& initial, std::uint64_t steps_max);
  void point_to(const std::vector<call>& calls) {
    pointers_.clear();
    for (const call& each : calls) pointers_.push_back(&each);
  }
  // The part as it was just before (`returned`: just after) its `count`-th return.
  [[nodiscard]] static std::vector<call> prefix(const part& of, std::size_t count, bool returned, std::size_t* last);
  [[nodiscard]] std::string order_in_words(const std::vector<call>& calls, const call& without) const;
  template <class Entry>
  [[nodiscard]] std::string could_have_returned(const Entry& entry, const std::vector<call>& before, std::size_t last,
                                                std::uint32_t time, const Spec& initial, std::uint64_t steps_max);
  template <class Use>
  decltype(auto) with_search(std::size_t calls, Use use) {
    return calls <= small_set::calls_max ? use(small_) : use(large_);
  }

  verdict_memo memo_;
  std::vector<Spec> initials_;
  std::vector<part> parts_;
  std::size_t violated_ = 0;  // the part
  explanation explained_;
  std::vector<const call*> pointers_;  // to the calls of the last search
  linearization<Spec, small_set> small_;
  linearization<Spec, large_set> large_;
};

template <class Spec>
linearizability history_checker<Spec>::check(std::span<const call> calls, const Spec& initial, std::uint64_t steps_max,
                                             bool memoised) {
  split(calls);
  const fingerprint around = circumstances(initial, steps_max);
  linearizability all = linearizability::linearizable;
  for (std::size_t at = 0; at < parts_.size(); ++at) {
    fingerprint whole = around;
    for (const call& each : parts_[at].calls) whole += timed(fingerprint_of(each), each.called, each.returned);
    const std::optional<linearizability> known = memoised ? memo_.find(whole) : std::nullopt;
    const linearizability found = known ? *known : search(parts_[at].calls, initial, steps_max);
    if (memoised && !known) memo_.remember(whole, found);
    if (found == linearizability::violated) {
      violated_ = at;
      return found;
    }
    if (found == linearizability::unknown) all = found;
  }
  return all;
}

template <class Spec>
linearizability history_checker<Spec>::search(const std::vector<call>& calls, const Spec& initial, std::uint64_t steps_max) {
  point_to(calls);
  return with_search(calls.size(), [&](auto& searching) { return searching.search(pointers_, initial, steps_max); });
}

// Parts are in the order of their first calls.
template <class Spec>
void history_checker<Spec>::split(std::span<const call> calls) {
  struct keyed {
    std::uint64_t low, high;
    std::size_t index;
  };
  std::vector<keyed> order;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    fingerprint key;
    if constexpr (partitioned<Spec>) std::visit([&](const auto& entry) { key.add(Spec::partition(entry.call)); }, calls[i].entry);
    order.push_back({key.low(), key.high(), i});
  }
  std::sort(order.begin(), order.end(),
            [](const keyed& a, const keyed& b) { return std::tie(a.low, a.high, a.index) < std::tie(b.low, b.high, b.index); });
  parts_.clear();
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || order[i].low != order[i - 1].low || order[i].high != order[i - 1].high) parts_.emplace_back();
    parts_.back().index.push_back(order[i].index);
  }
  std::sort(parts_.begin(), parts_.end(), [](const part& a, const part& b) { return a.index.front() < b.index.front(); });
  for (part& each : parts_) {
    // By what it is, not by when it was recorded: how long a search takes is then the same for equal histories.
    std::sort(each.index.begin(), each.index.end(), [&](std::size_t a, std::size_t b) {
      const auto key = [&](std::size_t at) {
        return std::tuple(calls[at].called, calls[at].returned, fingerprint_of(calls[at]).low(), at);
      };
      return key(a) < key(b);
    });
    for (const std::size_t at : each.index) each.calls.push_back(calls[at]);
    make_relative(each);
  }
}

// Numbers the phases of the part: in each, some calls begin and then some return.
template <class Spec>
void history_checker<Spec>::make_relative(part& of) {
  std::vector<call*> returns;
  for (call& each : of.calls)
    if (each.returned != call::pending) returns.push_back(&each);
  std::sort(returns.begin(), returns.end(), [](const call* a, const call* b) { return a->returned < b->returned; });
  std::uint32_t phase = 0;
  bool some_returned = false;
  std::size_t next = 0;
  for (call& each : of.calls) {
    for (; next < returns.size() && returns[next]->returned < each.called; ++next) {
      returns[next]->returned = phase;
      some_returned = true;
    }
    if (std::exchange(some_returned, false)) ++phase;
    each.called = phase;
  }
  for (; next < returns.size(); ++next) returns[next]->returned = phase;
}

template <class Spec>
std::vector<timed_call<Spec>> history_checker<Spec>::prefix(const part& of, std::size_t count, bool returned, std::size_t* last) {
  std::vector<std::size_t> returns;
  for (std::size_t i = 0; i < of.calls.size(); ++i)
    if (of.calls[i].returned != call::pending) returns.push_back(i);
  std::sort(returns.begin(), returns.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(of.calls[a].returned, a) < std::pair(of.calls[b].returned, b);
  });
  const std::uint32_t end = of.calls[returns[count - 1]].returned;
  std::vector<call> made = of.calls;
  for (std::size_t i = returned ? count : count - 1; i < returns.size(); ++i) {
    call& open = made[returns[i]];
    open.returned = call::pending;
    std::visit([](auto& entry) { entry.returned.reset(); }, open.entry);
  }
  *last = returns[count - 1];
  std::erase_if(made, [end](const call& each) { return each.called > end; });  // at the back: indices stay what they are
  return made;
}

template <class Spec>
std::string history_checker<Spec>::order_in_words(const std::vector<call>& calls, const call& without) const {
  const std::vector<const call*> order = calls.size() <= small_set::calls_max ? small_.order() : large_.order();
  constexpr std::size_t shown_max = 20;
  std::string text;
  std::size_t shown = 0;
  for (auto each = order.rbegin(); each != order.rend(); ++each) {
    if (*each == &without) continue;
    if (++shown > shown_max) return "... " + text;
    text = in_words_of_call(**each) + (text.empty() ? "" : ", ") + text;
  }
  return text;
}

// Of the pending call at `last`: what it could have returned at `time`, in words. Empty where that is nothing to tell, or too
// much.
template <class Spec>
template <class Entry>
std::string history_checker<Spec>::could_have_returned(const Entry& entry, const std::vector<call>& before, std::size_t last,
                                                       std::uint32_t time, const Spec& initial, std::uint64_t steps_max) {
  using result = typename Entry::result_type;
  constexpr std::size_t results_max = 4;
  if constexpr (std::is_same_v<result, nothing>) return "";
  std::vector<result> results;  // where it could be placed, whatever becomes of the others then
  const auto collect = [&](const Spec& reached) {
    each_outcome(reached, entry.call, [&](const result& returned, const Spec&) {
      if (std::find(results.begin(), results.end(), returned) == results.end()) results.push_back(returned);
    });
    return results.size() > results_max;
  };
  point_to(before);
  const linearizability all = with_search(
      before.size(), [&](auto& searching) { return searching.places(pointers_, initial, steps_max, before[last], collect); });
  if (all != linearizability::violated) return "";
  std::vector<std::string> words;
  for (const result& each : results) {
    std::vector<call> with = before;
    with[last].returned = time;
    std::get<Entry>(with[last].entry).returned = each;
    if (search(with, initial, steps_max) == linearizability::linearizable) words.push_back(in_words(each));
  }
  std::sort(words.begin(), words.end());
  std::string text = words.empty() ? ": none lets it return" : ": it could have returned only ";
  for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : " or ") + words[i];
  return text;
}

template <class Spec>
std::size_t history_checker<Spec>::explain(const Spec& initial, std::uint64_t steps_max) {
  const part& wrong = parts_[violated_];
  std::size_t completed = 0;
  for (const call& each : wrong.calls) completed += each.returned != call::pending ? 1 : 0;
  // The fewest returns after which no order exists; with more, none does either.
  std::size_t last = 0;
  std::size_t low = 1;
  for (std::size_t high = completed; low < high;) {
    const std::size_t middle = (low + high) / 2;
    if (search(prefix(wrong, middle, true, &last), initial, steps_max) == linearizability::violated)
      high = middle;
    else
      low = middle + 1;
  }
  const std::vector<call> before = prefix(wrong, low, false, &last);
  explanation& made = explained_;
  made = {"", in_words_of_call(wrong.calls[last]) + " fits in no order of the calls"};
  if constexpr (partitioned<Spec>)
    std::visit([&](const auto& entry) { made.subject = "key " + in_words(Spec::partition(entry.call)); }, before[last].entry);

  const bool ordered = search(before, initial, steps_max) == linearizability::linearizable;
  const std::string order = ordered ? order_in_words(before, before[last]) : "";
  std::visit(
      [&](const auto& entry) {
        made.message += could_have_returned(entry, before, last, wrong.calls[last].returned, initial, steps_max);
      },
      before[last].entry);
  if (!order.empty()) made.message += "; the calls before its return fit in the order " + order;
  return wrong.index[last];
}

}  // namespace kvrace::detail

namespace kvrace {

template <sequential_spec Spec>
linearizability check_history(std::span<const timed_call<Spec>> calls, const Spec& initial, std::uint64_t steps_max) {
  return detail::history_checker<Spec>().check(calls, initial, steps_max);
}

}  // namespace kvrace
