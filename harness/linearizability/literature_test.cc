// Histories whose verdicts are known, and what is said of those that are not linearizable.
#include <string>

#include <kvrace/linearizability.h>
#include <kvrace/specs.h>

#include "test_support.h"

namespace {

using kvrace::completed_call;
using kvrace::linearizability;
using kvrace::timed_call;

using queue = kvrace::specs::queue<char>;
timed_call<queue> enqueue(char value, std::uint32_t from, std::uint32_t to) {
  return completed_call<queue>(queue::push{value}, {}, from, to);
}
timed_call<queue> dequeue(std::optional<char> value, std::uint32_t from, std::uint32_t to) {
  return completed_call<queue>(queue::pop{}, value, from, to);
}

using variable = kvrace::specs::variable<int>;
timed_call<variable> wrote(int value, std::uint32_t from, std::uint32_t to) {
  return completed_call<variable>(variable::write{value}, {}, from, to);
}
timed_call<variable> saw(int value, std::uint32_t from, std::uint32_t to) {
  return completed_call<variable>(variable::read{}, value, from, to);
}

using cache = kvrace::specs::cache<std::string, int>;

template <class Spec>
linearizability verdict(const std::vector<timed_call<Spec>>& calls) {
  return kvrace::check_history(std::span<const timed_call<Spec>>(calls));
}
template <class Spec>
std::string words(const std::vector<timed_call<Spec>>& calls) {
  kvrace::detail::history_checker<Spec> checker;
  REQUIRE(checker.check(calls, {}, 1'000'000) == linearizability::violated);
  (void)checker.explain({}, 1'000'000);
  return checker.explained().subject + "|" + checker.explained().message;
}

}  // namespace

// After Herlihy, Wing, ACM TOPLAS 12(3), 1990, figure 1.
TEST_CASE("the four queue histories of Herlihy and Wing") {
  // (a) Both enqueues overlap; what came second may leave first.
  CHECK(verdict<queue>({enqueue('x', 0, 4), enqueue('y', 1, 3), dequeue('y', 5, 7), dequeue('x', 6, 8), enqueue('z', 9, 10)}) ==
        linearizability::linearizable);
  // (b) x was in the queue before y, and y leaves first although no dequeue overlaps that could have taken x.
  CHECK(verdict<queue>({enqueue('x', 0, 1), enqueue('y', 2, 4), dequeue('y', 3, 5)}) == linearizability::violated);
  // (c) A dequeue may take what an unfinished enqueue brings.
  CHECK(verdict<queue>({enqueue('x', 0, 4), dequeue('x', 1, 2)}) == linearizability::linearizable);
  // (d) One item leaves twice.
  CHECK(verdict<queue>({enqueue('x', 0, 1), enqueue('y', 2, 3), dequeue('y', 4, 7), dequeue('y', 5, 6)}) ==
        linearizability::violated);
}

// The same paper, figure 2.
TEST_CASE("a variable may be read before a concurrent write returns, and not before another read has seen it") {
  CHECK(verdict<variable>({wrote(0, 0, 1), wrote(1, 2, 9), saw(1, 3, 4), saw(1, 5, 6), wrote(0, 7, 8)}) ==
        linearizability::linearizable);
  CHECK(verdict<variable>({wrote(0, 0, 1), wrote(1, 2, 9), saw(1, 3, 4), saw(0, 5, 6)}) == linearizability::violated);
  CHECK(verdict<variable>({wrote(0, 0, 1), wrote(1, 2, 9), saw(0, 3, 4), saw(1, 5, 6)}) == linearizability::linearizable);
}

TEST_CASE("a sequentially consistent history that is not linearizable") {
  CHECK(verdict<variable>({wrote(1, 0, 1), saw(0, 2, 3)}) == linearizability::violated);
  CHECK(verdict<variable>({wrote(1, 0, 2), saw(0, 2, 3)}) == linearizability::linearizable);  // intervals are closed
}

TEST_CASE("a pending call may have taken effect, late or never, and not before it began") {
  const auto open = kvrace::pending_call<variable>(variable::write{1}, 2);
  CHECK(verdict<variable>({open, saw(0, 3, 4), saw(1, 5, 6)}) == linearizability::linearizable);
  CHECK(verdict<variable>({open, saw(0, 3, 4)}) == linearizability::linearizable);
  CHECK(verdict<variable>({open, saw(1, 3, 4), saw(0, 5, 6)}) == linearizability::violated);
  CHECK(verdict<variable>({open, saw(1, 0, 1)}) == linearizability::violated);
}

TEST_CASE("a cache: what was evicted or erased stays away, what another key holds is foreign") {
  const auto put = [](const char* key, int value, std::uint32_t at) {
    return completed_call<cache>(cache::put{key, value}, {}, at, at + 1);
  };
  const auto get = [](const char* key, std::optional<int> value, std::uint32_t at) {
    return completed_call<cache>(cache::get{key}, value, at, at + 1);
  };
  const auto evict = [](const char* key, std::uint32_t from, std::uint32_t to) {
    return completed_call<cache>(cache::evict{key}, {}, from, to);
  };
  CHECK(verdict<cache>({put("a", 1, 0), evict("a", 2, 3), get("a", std::nullopt, 4)}) == linearizability::linearizable);
  CHECK(verdict<cache>({put("a", 1, 0), get("a", std::nullopt, 4)}) == linearizability::violated);
  CHECK(verdict<cache>({put("a", 1, 0), evict("a", 2, 3), get("a", 1, 4)}) == linearizability::violated);
  CHECK(verdict<cache>({put("a", 1, 0), evict("a", 2, 9), get("a", 1, 4)}) == linearizability::linearizable);
  CHECK(verdict<cache>({put("a", 1, 0), put("b", 2, 2), get("a", 2, 4)}) == linearizability::violated);
}

TEST_CASE("a cache that may miss: a miss is final until the next put") {
  using lossy = kvrace::specs::lossy_cache<int, int>;
  const auto put = completed_call<lossy>(lossy::put{1, 7}, {}, 0, 1);
  const auto get = [](std::optional<int> value, std::uint32_t at) {
    return completed_call<lossy>(lossy::get{1}, value, at, at + 1);
  };
  CHECK(verdict<lossy>({put, get(7, 2), get(std::nullopt, 4)}) == linearizability::linearizable);
  CHECK(verdict<lossy>({put, get(std::nullopt, 2), get(7, 4)}) == linearizability::violated);
}

TEST_CASE("the first call to return that fits nowhere is named, with what it could have returned and the order before it") {
  CHECK(words<variable>({wrote(1, 0, 1), wrote(2, 2, 5), saw(2, 3, 4), saw(1, 6, 7), saw(9, 8, 9)}) ==
        "|read() -> 1 fits in no order of the calls: it could have returned only 2; the calls before its return fit in the order "
        "write(1), write(2), read() -> 2");
  CHECK(words<variable>({wrote(1, 0, 1), kvrace::pending_call<variable>(variable::write{2}, 2), saw(3, 3, 4)}) ==
        "|read() -> 3 fits in no order of the calls: it could have returned only 1 or 2; the calls before its return fit in the "
        "order write(1)");
  CHECK(
      words<cache>({completed_call<cache>(cache::put{"b", 1}, {}, 0, 1), completed_call<cache>(cache::put{"a", 1}, {}, 2, 3),
                    completed_call<cache>(cache::evict{"a"}, {}, 4, 5), completed_call<cache>(cache::get{"a"}, 1, 6, 7)}) ==
      "key a|get(a) -> 1 fits in no order of the calls: it could have returned only nothing; the calls before its return fit in "
      "the order put(a, 1), evict(a)");
}
