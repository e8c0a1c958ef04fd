// The search for linearizations against the definition, on thousands of small histories.
#include <kvrace/linearizability.h>
#include <kvrace/specs.h>

#include "linearizability/brute_force.h"
#include "linearizability/random_history.h"
#include "test_support.h"

namespace {

using kvrace::linearizability;
using kvrace::timed_call;
using kvrace::detail::call_entry;
using kvrace::testing::brute_force;
using kvrace::testing::random_history;
using kvrace::testing::random_source;
namespace specs = kvrace::specs;

constexpr int histories = 4'000;

template <class Spec, class Call>
typename kvrace::detail::traits_of<Spec>::entry entry(Call call, kvrace::result_of<Spec, Call> returned) {
  return call_entry<Spec, Call>{std::move(call), std::move(returned)};
}
int small(random_source& random) { return static_cast<int>(random.below(3)); }
std::optional<int> small_or_nothing(random_source& random) {
  const int drawn = static_cast<int>(random.below(4));
  return drawn == 3 ? std::nullopt : std::optional(drawn);
}

using variable = specs::variable<int>;
using queue = specs::queue<int>;
using set = specs::set<int>;
using telling = specs::cache<int, int>;
using lossy = specs::lossy_cache<int, int>;
using lru = specs::lru_cache<int, int>;

// A call on two keys at most, for a specification with the calls of `variable`, `queue`, ..., with any result.
template <class Spec>
auto draw_variable(random_source& random) {
  return random.below(2) == 0 ? entry<Spec>(variable::write{small(random)}, {}) : entry<Spec>(variable::read{}, small(random));
}
template <class Spec>
auto draw_queue(random_source& random) {
  return random.below(2) == 0 ? entry<Spec>(queue::push{small(random)}, {}) : entry<Spec>(queue::pop{}, small_or_nothing(random));
}
template <class Spec>
auto draw_set(random_source& random) {
  const int key = static_cast<int>(random.below(2));
  const bool returned = random.below(2) == 0;
  switch (random.below(3)) {
    case 0: return entry<Spec>(set::insert{key}, returned);
    case 1: return entry<Spec>(set::erase{key}, returned);
    default: return entry<Spec>(set::contains{key}, returned);
  }
}
template <class Cache, class Spec>
auto draw_cache(random_source& random) {
  const int key = static_cast<int>(random.below(2));
  switch (random.below(6)) {
    case 0:
    case 1: return entry<Spec>(typename Cache::put{key, small(random)}, {});
    case 2: return entry<Spec>(typename Cache::erase{key}, {});
    case 3:
      if constexpr (requires { typename Cache::evict; }) return entry<Spec>(typename Cache::evict{key}, {});
      [[fallthrough]];
    default: return entry<Spec>(typename Cache::get{key}, small_or_nothing(random));
  }
}

// All keys side by side: what the definition says of a specification of one key.
template <class Spec>
struct all_keys {
  using calls = typename Spec::calls;
  std::vector<Spec> keys = std::vector<Spec>(2);
  auto apply(const auto& call) { return keys[static_cast<std::size_t>(call.key)].apply(call); }
  bool operator==(const all_keys&) const = default;
};
// The same of one whose calls have several outcomes.
template <>
struct all_keys<specs::lossy_cache<int, int>> {
  using one = specs::lossy_cache<int, int>;
  using calls = one::calls;
  std::vector<one> keys = std::vector<one>(2);
  void apply(const one::put& call) { keys[static_cast<std::size_t>(call.key)].apply(call); }
  void apply(const one::erase& call) { keys[static_cast<std::size_t>(call.key)].apply(call); }
  std::vector<kvrace::outcome<std::optional<int>, all_keys>> apply(const one::get& call) const {
    std::vector<kvrace::outcome<std::optional<int>, all_keys>> allowed;
    for (const auto& each : keys[static_cast<std::size_t>(call.key)].apply(call)) {
      allowed.push_back({each.returned, *this});
      allowed.back().after.keys[static_cast<std::size_t>(call.key)] = each.after;
    }
    return allowed;
  }
  bool operator==(const all_keys&) const = default;
};
template <class Spec>
using defined_by = std::conditional_t<kvrace::detail::partitioned<Spec>, all_keys<Spec>, Spec>;

template <class To, class From>
std::vector<timed_call<To>> converted(const std::vector<timed_call<From>>& calls) {
  std::vector<timed_call<To>> made;
  for (const auto& each : calls)
    std::visit(
        [&](const auto& entry) {
          using call_type = typename std::remove_cvref_t<decltype(entry)>::call_type;
          made.push_back({call_entry<To, call_type>{entry.call, entry.returned}, each.called, each.returned});
        },
        each.entry);
  return made;
}

struct tally {
  int linearizable = 0;
  int violated = 0;
};

// The same verdict by definition, by the search, by the search for large histories, from memory, and as one partition.
template <class Spec, class Draw>
void compare(Draw draw, std::size_t calls_max, const Spec& initial = {}, const defined_by<Spec>& defined = {}) {
  using definition = defined_by<Spec>;
  tally seen;
  random_source random(1, calls_max);
  kvrace::detail::history_checker<Spec> checker;
  kvrace::detail::linearization<definition, kvrace::detail::large_set> large;
  for (int i = 0; i < histories; ++i) {
    const std::size_t size = 2 + random.below(calls_max - 1);
    auto calls = random_history<definition, Draw>(random, defined, draw).make(size, 1 + random.below(4));
    const bool linearizable = brute_force<definition>::linearizable(calls, defined);
    const linearizability expected = linearizable ? linearizability::linearizable : linearizability::violated;
    ++(linearizable ? seen.linearizable : seen.violated);
    const auto own = converted<Spec>(calls);
    const std::span<const timed_call<Spec>> all(own);
    REQUIRE(kvrace::check_history(all, initial) == expected);
    REQUIRE(kvrace::check_history(std::span<const timed_call<definition>>(calls), defined) == expected);
    REQUIRE(checker.check(all, initial, 1'000'000, false) == expected);
    if (!linearizable) REQUIRE(checker.explain(initial, 1'000'000) < calls.size());
    REQUIRE(checker.check(all, initial, 1'000'000) == expected);
    REQUIRE(checker.check(all, initial, 1'000'000) == expected);
    std::sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.called < b.called; });
    std::vector<const timed_call<definition>*> sorted;
    for (const auto& each : calls) sorted.push_back(&each);
    REQUIRE(large.search(sorted, defined, 1'000'000) == expected);
  }
  // Enough of both kinds, or the comparison would say little.
  INFO(seen.linearizable << " linearizable, " << seen.violated << " not");
  CHECK(seen.linearizable > histories / 6);
  CHECK(seen.violated > histories / 6);
}

// Histories too large for the definition.
template <class Spec, class Draw>
void compare_partitions(Draw draw) {
  random_source random(2, 0);
  for (int i = 0; i < histories; ++i) {
    const auto calls = random_history<all_keys<Spec>, Draw>(random, {}, draw).make(10 + random.below(20), 4);
    const auto own = converted<Spec>(calls);
    REQUIRE(kvrace::check_history(std::span<const timed_call<Spec>>(own)) ==
            kvrace::check_history(std::span<const timed_call<all_keys<Spec>>>(calls)));
  }
}

}  // namespace

TEST_CASE("the search agrees with the definition on a variable") { compare<variable>(draw_variable<variable>, 7); }
TEST_CASE("the search agrees with the definition on a queue") { compare<queue>(draw_queue<queue>, 7); }
TEST_CASE("the search agrees with the definition on a set") { compare<set>(draw_set<all_keys<set>>, 8); }
TEST_CASE("the search agrees with the definition on a cache that tells its evictions") {
  compare<telling>(draw_cache<telling, all_keys<telling>>, 8);
}
TEST_CASE("the search agrees with the definition on a cache that may miss, by sets of states") {
  compare<lossy>(draw_cache<lossy, all_keys<lossy>>, 8);
}
TEST_CASE("the search agrees with the definition on an exact LRU cache") {
  compare<lru>(draw_cache<lru, lru>, 7, {.capacity = 1}, {.capacity = 1});
}

TEST_CASE("keys apart have the verdict of all keys together") {
  compare_partitions<set>(draw_set<all_keys<set>>);
  compare_partitions<telling>(draw_cache<telling, all_keys<telling>>);
  compare_partitions<lossy>(draw_cache<lossy, all_keys<lossy>>);
}

TEST_CASE("the verdict depends neither on absolute times nor on the order in which calls were recorded") {
  random_source random(3, 0);
  kvrace::detail::history_checker<variable> checker;
  for (int i = 0; i < histories; ++i) {
    std::vector<timed_call<variable>> calls =
        random_history<variable, decltype(&draw_variable<variable>)>(random, {}, draw_variable<variable>).make(6, 3);
    const linearizability first = checker.check(calls, {}, 1'000'000, false);
    std::rotate(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(random.below(6)), calls.end());
    for (auto& each : calls) {
      each.called = each.called * 3 + 7;
      if (each.returned != timed_call<variable>::pending) each.returned = each.returned * 3 + 7;
    }
    REQUIRE(checker.check(calls, {}, 1'000'000, false) == first);
  }
}

TEST_CASE("a history of thousands of calls on one key is checked") {
  std::vector<timed_call<variable>> calls;
  for (int i = 0; i < 5'000; ++i) {
    const auto time = static_cast<std::uint32_t>(i);
    calls.push_back(kvrace::completed_call<variable>(variable::write{i}, {}, 2 * time, 2 * time + 2));
    calls.push_back(kvrace::completed_call<variable>(variable::read{}, i, 2 * time + 1, 2 * time + 2));
  }
  CHECK(kvrace::check_history<variable>(calls) == linearizability::linearizable);
  calls.push_back(kvrace::completed_call<variable>(variable::read{}, 3, 10'002, 10'003));
  CHECK(kvrace::check_history<variable>(calls) == linearizability::violated);
}

TEST_CASE("a search that its budget ends knows nothing") {
  // 20 concurrent writes and a read of none of them.
  std::vector<timed_call<variable>> calls;
  for (int i = 0; i < 20; ++i) calls.push_back(kvrace::completed_call<variable>(variable::write{i}, {}, 0, 1));
  calls.push_back(kvrace::completed_call<variable>(variable::read{}, -1, 2, 3));
  CHECK(kvrace::check_history<variable>(calls, {}, 1'000) == linearizability::unknown);
  CHECK(kvrace::check_history<variable>(std::span(calls).first(20), {}, 1'000) == linearizability::linearizable);
}
