// atomic<T>: its members, its memory orders, and the happens-before they make and do not make.
#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::var;

namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto consume = std::memory_order_consume;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto acq_rel = std::memory_order_acq_rel;
constexpr auto seq_cst = std::memory_order_seq_cst;

// Message passing: the sender writes plain data, then `send`; the receiver reads it if `receive` saw the flag.
template <class Send, class Receive>
std::string message_passing(Send send, Receive receive) {
  return outcome(explore([=](kvrace::run& run) {
    var<int> data(0);
    atomic<int> flag(0);
    run.spawn("sender", [&] {
      data.store(1);
      send(flag);
    });
    run.spawn("receiver", [&] {
      if (receive(flag)) (void)data.load();
    });
    run.join_all();
  }));
}
// As above with a third task that may change the flag between the two.
template <class Send, class Between, class Receive>
std::string message_passing_through(Send send, Between between, Receive receive) {
  return outcome(explore([=](kvrace::run& run) {
    var<int> data(0);
    atomic<int> flag(0);
    run.spawn("sender", [&] {
      data.store(1);
      send(flag);
    });
    run.spawn("between", [&] { between(flag); });
    run.spawn("receiver", [&] {
      if (receive(flag)) (void)data.load();
    });
    run.join_all();
  }));
}

std::string single(const std::function<void(atomic<int>&)>& use) {
  return outcome(explore([&](kvrace::run&) {
    atomic<int> value(0);
    use(value);
  }));
}

enum class color : std::uint8_t { red, green };
struct pair_of_words {
  std::uint32_t low;
  std::uint32_t high;
};

}  // namespace

TEST_CASE("members of atomic compute what those of std::atomic compute") {
  const kvrace::result found = explore([](kvrace::run& run) {
    const auto same = [&run](auto ours, auto expected) { run.require(ours == expected, "as std::atomic"); };
    atomic<int> a(5);
    std::atomic<int> b(5);
    same(a.load(), b.load());
    a.store(6), b.store(6);
    same(a.exchange(9), b.exchange(9));
    same(a.fetch_add(3), b.fetch_add(3));
    same(a.fetch_sub(5), b.fetch_sub(5));
    same(a.fetch_and(0x6), b.fetch_and(0x6));
    same(a.fetch_or(0x9), b.fetch_or(0x9));
    same(a.fetch_xor(0x5), b.fetch_xor(0x5));
    same(++a, ++b), same(a++, b++), same(--a, --b), same(a--, b--);
    same(static_cast<int>(a), static_cast<int>(b));
    same(a = 40, b = 40);
    int expected_a = 41;
    int expected_b = 41;
    same(a.compare_exchange_strong(expected_a, 1), b.compare_exchange_strong(expected_b, 1));
    same(expected_a, expected_b);
    same(a.compare_exchange_strong(expected_a, 2), b.compare_exchange_strong(expected_b, 2));
    same(expected_a, expected_b);
    same(a.load(), b.load());
    same(a.is_lock_free(), b.is_lock_free());
  });
  INFO(found);
  CHECK(outcome(found) == "PROVED");
}

TEST_CASE("arithmetic of atomic wraps as in std, also for narrow types") {
  const kvrace::result found = explore([](kvrace::run& run) {
    atomic<std::uint8_t> narrow(250);
    run.require(narrow.fetch_add(10) == 250 && narrow.load() == 4, "wraps at 256");
    run.require(narrow.fetch_sub(5) == 4 && narrow.load() == 255, "wraps at 0");
    atomic<std::int16_t> signed_narrow(-1);
    run.require(signed_narrow.fetch_add(std::int16_t{1}) == -1 && signed_narrow.load() == 0, "signed");
    atomic<std::uint64_t> wide(~std::uint64_t{0});
    run.require(++wide == 0, "64 bits");
    atomic<double> floating(1.5);
    run.require(floating.fetch_add(0.25) == 1.5 && floating.load() == 1.75, "floating point");
    int places[3] = {};
    atomic<int*> pointer(&places[0]);
    run.require(pointer.fetch_add(2) == &places[0] && pointer.load() == &places[2], "pointers count elements");
    run.require(pointer.fetch_sub(1) == &places[2] && pointer.load() == &places[1], "pointers count elements");
  });
  INFO(found);
  CHECK(outcome(found) == "PROVED");
}

TEST_CASE("atomic takes enumerations, booleans and small structures") {
  const kvrace::result found = explore([](kvrace::run& run) {
    atomic<color> c(color::red);
    run.require(c.exchange(color::green) == color::red && c.load() == color::green, "enumeration");
    atomic<bool> b(false);
    bool expected = false;
    run.require(b.compare_exchange_strong(expected, true) && b.load(), "boolean");
    atomic<pair_of_words> p(pair_of_words{1, 2});
    pair_of_words other{1, 3};
    run.require(!p.compare_exchange_strong(other, {5, 6}) && other.high == 2, "structure compared as bytes");
    run.require(p.compare_exchange_strong(other, {5, 6}) && p.load().low == 5, "structure exchanged");
  });
  CHECK(outcome(found) == "PROVED");
}

TEST_CASE("compare_exchange of an integer succeeds for exactly one of two tasks") {
  const auto seen = reached<int>([](kvrace::run& run) {
    atomic<int> owner(0);
    atomic<int> winners(0);
    for (int id = 1; id <= 2; ++id)
      run.spawn("task", [&, id] {
        int expected = 0;
        if (owner.compare_exchange_weak(expected, id, acq_rel)) winners.fetch_add(1);
      });
    run.join_all();
    return winners.load();
  });
  CHECK(seen == std::set<int>{1});
}

TEST_CASE("an increment in two steps loses an update, in one it does not") {
  const auto split = reached<int>([](kvrace::run& run) {
    atomic<int> count(0);
    const auto increment = [&] { count.store(count.load() + 1); };
    both(run, increment, increment);
    return count.load();
  });
  CHECK(split == std::set<int>{1, 2});
  const auto whole = reached<int>([](kvrace::run& run) {
    atomic<int> count(0);
    both(run, [&] { count.fetch_add(1); }, [&] { ++count; });
    return count.load();
  });
  CHECK(whole == std::set<int>{2});
}

TEST_CASE("values are sequentially consistent whatever the order says") {
  const auto seen = reached<std::pair<int, int>>([](kvrace::run& run) {
    atomic<int> x(0);
    atomic<int> y(0);
    int read_y = 0;
    int read_x = 0;
    both(run, [&] { x.store(1, relaxed), read_y = y.load(relaxed); }, [&] { y.store(1, relaxed), read_x = x.load(relaxed); });
    return std::pair(read_y, read_x);
  });
  CHECK(seen == std::set<std::pair<int, int>>{{0, 1}, {1, 0}, {1, 1}});
}

TEST_CASE("a release store synchronises with every acquiring read of it") {
  for (const auto store_order : {release, seq_cst}) {
    const auto send = [=](atomic<int>& flag) { flag.store(1, store_order); };
    for (const auto load_order : {consume, acquire, seq_cst})
      CHECK(message_passing(send, [=](atomic<int>& flag) { return flag.load(load_order) == 1; }) == "PROVED");
    for (const auto update_order : {acquire, acq_rel, seq_cst}) {
      CHECK(message_passing(send, [=](atomic<int>& flag) { return flag.fetch_add(1, update_order) == 1; }) == "PROVED");
      CHECK(message_passing(send, [=](atomic<int>& flag) { return flag.exchange(2, update_order) == 1; }) == "PROVED");
    }
    for (const auto update_order : {relaxed, release})
      CHECK(message_passing(send, [=](atomic<int>& flag) { return flag.fetch_add(1, update_order) == 1; }) == "data_race");
    CHECK(message_passing(send, [=](atomic<int>& flag) { return flag.load(relaxed) == 1; }) == "data_race");
  }
}

TEST_CASE("a relaxed store passes no message, and neither does an acquiring update") {
  const auto receive = [](atomic<int>& flag) { return flag.load(acquire) == 1; };
  CHECK(message_passing([](atomic<int>& flag) { flag.store(1, relaxed); }, receive) == "data_race");
  CHECK(message_passing([](atomic<int>& flag) { flag.fetch_add(1, relaxed); }, receive) == "data_race");
  CHECK(message_passing([](atomic<int>& flag) { flag.fetch_add(1, acquire); }, receive) == "data_race");
  CHECK(message_passing([](atomic<int>& flag) { flag.fetch_add(1, release); }, receive) == "PROVED");
  CHECK(message_passing([](atomic<int>& flag) { flag.exchange(1, acq_rel); }, receive) == "PROVED");
}

TEST_CASE("a successful compare_exchange uses its success order, a failed one its failure order") {
  const auto send = [](atomic<int>& flag) { flag.store(1, release); };
  const auto succeed = [](std::memory_order success, std::memory_order failure) {
    return [=](atomic<int>& flag) {
      int expected = 1;
      return flag.compare_exchange_strong(expected, 2, success, failure);
    };
  };
  CHECK(message_passing(send, succeed(acquire, relaxed)) == "PROVED");
  CHECK(message_passing(send, succeed(relaxed, acquire)) == "data_race");
  CHECK(message_passing(send, succeed(release, acquire)) == "data_race");
  const auto fail = [](std::memory_order success, std::memory_order failure) {
    return [=](atomic<int>& flag) {
      int expected = 7;
      return !flag.compare_exchange_strong(expected, 2, success, failure) && expected == 1;
    };
  };
  CHECK(message_passing(send, fail(relaxed, acquire)) == "PROVED");
  CHECK(message_passing(send, fail(acq_rel, relaxed)) == "data_race");
  // One order: its failure order is derived as in std.
  const auto fail_with = [](std::memory_order order) {
    return [=](atomic<int>& flag) {
      int expected = 7;
      return !flag.compare_exchange_strong(expected, 2, order) && expected == 1;
    };
  };
  CHECK(message_passing(send, fail_with(acq_rel)) == "PROVED");
  CHECK(message_passing(send, fail_with(seq_cst)) == "PROVED");
  CHECK(message_passing(send, fail_with(release)) == "data_race");
  // A failed one releases nothing.
  CHECK(message_passing(
            [](atomic<int>& flag) {
              int expected = 7;
              (void)flag.compare_exchange_strong(expected, 2, acq_rel);
              flag.store(1, relaxed);
            },
            [](atomic<int>& flag) { return flag.load(acquire) == 1; }) == "data_race");
}

TEST_CASE("an update by any task continues a release sequence, whatever its order") {
  const auto receive = [](atomic<int>& flag) { return flag.load(acquire) == 11; };
  for (const auto order : {relaxed, acquire, release, acq_rel}) {
    CHECK(message_passing_through([](atomic<int>& flag) { flag.store(1, release); },
                                  [=](atomic<int>& flag) { flag.fetch_add(10, order); }, receive) == "PROVED");
  }
  // A successful compare_exchange is an update.
  CHECK(message_passing_through([](atomic<int>& flag) { flag.store(1, release); },
                                [](atomic<int>& flag) {
                                  int expected = 1;
                                  (void)flag.compare_exchange_strong(expected, 11, relaxed);
                                },
                                receive) == "PROVED");
}

TEST_CASE("two updates in a row continue a release sequence") {
  CHECK(message_passing_through([](atomic<int>& flag) { flag.store(1, release); },
                                [](atomic<int>& flag) { flag.fetch_add(10, relaxed), flag.fetch_add(100, relaxed); },
                                [](atomic<int>& flag) { return flag.load(acquire) == 111; }) == "PROVED");
}

TEST_CASE("a plain store ends a release sequence, by another task and, since C++20, by the same") {
  CHECK(message_passing_through([](atomic<int>& flag) { flag.store(1, release); },
                                [](atomic<int>& flag) {
                                  if (flag.load(relaxed) == 1) flag.store(11, relaxed);
                                },
                                [](atomic<int>& flag) { return flag.load(acquire) == 11; }) == "data_race");
  CHECK(message_passing([](atomic<int>& flag) { flag.store(1, release), flag.store(2, relaxed); },
                        [](atomic<int>& flag) { return flag.load(acquire) == 2; }) == "data_race");
  // An update after that does not revive it.
  CHECK(message_passing([](atomic<int>& flag) { flag.store(1, release), flag.store(2, relaxed), flag.fetch_add(1, relaxed); },
                        [](atomic<int>& flag) { return flag.load(acquire) == 3; }) == "data_race");
}

TEST_CASE("an update in two release sequences passes both messages") {
  // The second release is an update of the first: the reader of the last value knows both senders.
  const auto found = explore([](kvrace::run& run) {
    var<int> first_data(0);
    var<int> second_data(0);
    atomic<int> flag(0);
    run.spawn("first", [&] { first_data.store(1), flag.fetch_add(1, release); });
    run.spawn("second", [&] { second_data.store(1), flag.fetch_add(1, release); });
    run.spawn("receiver", [&] {
      if (flag.load(acquire) == 2) (void)first_data.load(), (void)second_data.load();
    });
    run.join_all();
  });
  CHECK(outcome(found) == "PROVED");
}

TEST_CASE("orders that std forbids are misuse, named with the operation") {
  struct misuse {
    const char* text;
    std::function<void(atomic<int>&)> use;
  };
  const std::vector<misuse> all = {
      {"load with a releasing memory order", [](atomic<int>& a) { (void)a.load(release); }},
      {"load with a releasing memory order", [](atomic<int>& a) { (void)a.load(acq_rel); }},
      {"store with an acquiring memory order", [](atomic<int>& a) { a.store(1, acquire); }},
      {"store with an acquiring memory order", [](atomic<int>& a) { a.store(1, acq_rel); }},
      {"store with an acquiring memory order", [](atomic<int>& a) { a.store(1, consume); }},
      {"compare_exchange with a releasing failure order",
       [](atomic<int>& a) {
         int expected = 0;
         (void)a.compare_exchange_strong(expected, 1, seq_cst, release);
       }},
      {"compare_exchange with a releasing failure order",
       [](atomic<int>& a) {
         int expected = 0;
         (void)a.compare_exchange_weak(expected, 1, seq_cst, acq_rel);
       }},
  };
  for (const misuse& each : all) {
    const kvrace::result found = explore([&](kvrace::run&) {
      atomic<int> value(0);
      each.use(value);
    });
    CHECK(outcome(found) == "atomic_misuse");
    CHECK(contains(message(found), each.text));
    REQUIRE(lines(found).size() == 1);
    CHECK(lines(found).front() != 0);
  }
  for (const auto order : {relaxed, consume, acquire, seq_cst})
    CHECK(single([=](atomic<int>& a) { (void)a.load(order); }) == "PROVED");
  for (const auto order : {relaxed, release, seq_cst}) CHECK(single([=](atomic<int>& a) { a.store(1, order); }) == "PROVED");
  for (const auto order : {relaxed, consume, acquire, release, acq_rel, seq_cst}) {
    CHECK(single([=](atomic<int>& a) { a.fetch_add(1, order); }) == "PROVED");
    CHECK(single([=](atomic<int>& a) { a.exchange(1, order); }) == "PROVED");
  }
}

TEST_CASE("an atomic used outside of a run throws std::logic_error") {
  atomic<int> outside(1);
  CHECK_THROWS_AS(outside.load(), std::logic_error);
  CHECK_THROWS_AS(outside.store(2), std::logic_error);
  CHECK_THROWS_AS(outside.fetch_add(2), std::logic_error);
  CHECK_THROWS_AS(outside.load(release), std::logic_error);
  CHECK_THROWS_AS(outside.store(1, acquire), std::logic_error);
  CHECK_THROWS_AS(kvrace::atomic_thread_fence(seq_cst), std::logic_error);
  int expected = 1;
  CHECK_THROWS_AS(outside.compare_exchange_strong(expected, 2, seq_cst, release), std::logic_error);
}

TEST_CASE("an atomic from outside of the run makes the run unsound, by name") {
  atomic<int> outside(1);
  const kvrace::result found =
      sample([&](kvrace::run& run) { run.spawn("task", [&] { (void)outside.load(); }), run.join_all(); });
  CHECK(found.verdict == kvrace::verdict::unsound);
  CHECK(contains(message(found), "was not created in this run"));
  CHECK(contains(message(found), "atomic_test.cc"));
}

TEST_CASE("peek reads an atomic without a step") {
  const kvrace::result found = run_once([](kvrace::run& run) {
    atomic<int> value(3);
    const std::uint64_t before = kvrace::run::step();
    run.require(kvrace::sync::peek(value) == 3, "its value");
    run.require(kvrace::run::step() == before, "no step");
    (void)value.load();
    run.require(kvrace::run::step() == before + 1, "a load is a step");
  });
  CHECK(outcome(found) == "NOT_FOUND");
}
