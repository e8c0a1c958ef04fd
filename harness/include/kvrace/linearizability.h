// Sequential specifications, and whether a history of concurrent calls can be explained by one. history.h records the calls of a
// run.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace kvrace {

// A sequential specification is a value: the state of the object, and what each call does to it when it is alone.
//
//   struct register_spec {
//     struct write { int value; };
//     struct read {};
//     using calls = std::variant<write, read>;
//
//     int value = 0;
//     void apply(const write& call) { value = call.value; }  // changes the state
//     int apply(const read&) const { return value; }         // and returns what the call must return
//     bool operator==(const register_spec&) const = default;
//   };
//
// Where several results are right, apply returns all of them, each with the state after it, and leaves the state alone:
//     std::vector<kvrace::outcome<std::optional<int>, my_spec>> apply(const get&) const;
// A specification that treats keys apart says so, and is then the one of a single key, which makes checking far cheaper:
//     static int partition(const auto& call) { return call.key; }
//
// Calls, results and keys are integers, enums, strings, optionals, tuples, containers, and plain structs of at most 6 members;
// others have members add_to() and describe(), see fingerprint and in_words().
template <class Result, class Spec>
struct outcome {
  Result returned;
  Spec after;
};

// What a call returns whose apply returns void.
struct nothing {
  friend bool operator==(const nothing&, const nothing&) = default;
};

enum class linearizability : std::uint8_t {
  linearizable,  // the calls can be put in one order that respects time and the specification
  violated,      // no such order exists
  unknown,       // the budget ended the search: never to be taken for success
};

namespace detail {

template <class Applied>
struct result_of_apply {
  using type = Applied;
  static constexpr bool several = false;
};
template <>
struct result_of_apply<void> {
  using type = nothing;
  static constexpr bool several = false;
};
template <class Result, class Spec>
struct result_of_apply<std::vector<outcome<Result, Spec>>> {
  using type = Result;
  static constexpr bool several = true;
};
template <class Spec, class Call>
using applied = result_of_apply<std::remove_cvref_t<decltype(std::declval<Spec&>().apply(std::declval<const Call&>()))>>;

template <class Spec, class Call>
struct call_entry {
  using call_type = Call;
  using result_type = typename applied<Spec, Call>::type;
  Call call;
  std::optional<result_type> returned = std::nullopt;
};

template <class Spec, class Calls>
struct traits_of_calls;
template <class Spec, class... Calls>
struct traits_of_calls<Spec, std::variant<Calls...>> {
  using entry = std::variant<call_entry<Spec, Calls>...>;
  static constexpr bool several = (applied<Spec, Calls>::several || ...);  // the specification is nondeterministic
};
template <class Spec>
using traits_of = traits_of_calls<Spec, typename Spec::calls>;

template <class Spec>
concept partitioned = requires(const std::variant_alternative_t<0, typename Spec::calls>& call) { Spec::partition(call); };

}  // namespace detail

template <class Spec>
concept sequential_spec =
    std::copyable<Spec> && std::equality_comparable<Spec> && requires { typename detail::traits_of<Spec>::entry; };

template <class Spec, class Call>
using result_of = typename detail::applied<Spec, Call>::type;

// A call with the time from which and up to which it may have taken effect. The interval is closed: a call that begins when
// another returns is concurrent with it. A call without a result is pending: it may have taken effect at any time since, or not.
template <sequential_spec Spec>
struct timed_call {
  static constexpr std::uint32_t pending = std::numeric_limits<std::uint32_t>::max();
  typename detail::traits_of<Spec>::entry entry;
  std::uint32_t called = 0;
  std::uint32_t returned = pending;
};

template <class Spec, class Call>
timed_call<Spec> completed_call(Call call, result_of<Spec, Call> result, std::uint32_t called, std::uint32_t returned) {
  return {detail::call_entry<Spec, Call>{std::move(call), std::move(result)}, called, returned};
}
template <class Spec, class Call>
timed_call<Spec> pending_call(Call call, std::uint32_t called) {
  return {detail::call_entry<Spec, Call>{std::move(call)}, called, timed_call<Spec>::pending};
}

// How many attempts to place a call a search may make, for each key.
inline constexpr std::uint64_t linearization_steps_max = 1'000'000;

// Whether the calls, in any order in the span, can be explained from `initial` on.
template <sequential_spec Spec>
linearizability check_history(std::span<const timed_call<Spec>> calls, const Spec& initial = {},
                              std::uint64_t steps_max = linearization_steps_max);

}  // namespace kvrace

#include <kvrace/detail/history_check.h>  // the definition
