// Fences: which pairs of fences and accesses pass a message, and which do not.
#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::var;

namespace {

constexpr auto relaxed = std::memory_order_relaxed;
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

}  // namespace

TEST_CASE("message passing by two fences has no race, with one of them it has") {
  const auto send_fenced = [](std::memory_order order) {
    return [=](atomic<int>& flag) {
      kvrace::atomic_thread_fence(order);
      flag.store(1, relaxed);
    };
  };
  const auto receive_fenced = [](std::memory_order order) {
    return [=](atomic<int>& flag) {
      const bool seen = flag.load(relaxed) == 1;
      kvrace::atomic_thread_fence(order);
      return seen;
    };
  };
  for (const auto out : {release, acq_rel, seq_cst})
    for (const auto in : {acquire, acq_rel, seq_cst}) CHECK(message_passing(send_fenced(out), receive_fenced(in)) == "PROVED");
  const auto send_plain = [](atomic<int>& flag) { flag.store(1, relaxed); };
  const auto receive_plain = [](atomic<int>& flag) { return flag.load(relaxed) == 1; };
  CHECK(message_passing(send_plain, receive_fenced(acquire)) == "data_race");
  CHECK(message_passing(send_fenced(release), receive_plain) == "data_race");
  CHECK(message_passing(send_fenced(acquire), receive_fenced(acquire)) == "data_race");
  CHECK(message_passing(send_fenced(release), receive_fenced(release)) == "data_race");
  CHECK(message_passing(send_fenced(relaxed), receive_fenced(acquire)) == "data_race");
  // Half fences: a fence on one side, an order on the other.
  CHECK(message_passing(send_fenced(release), [](atomic<int>& flag) { return flag.load(acquire) == 1; }) == "PROVED");
  CHECK(message_passing([](atomic<int>& flag) { flag.store(1, release); }, receive_fenced(acquire)) == "PROVED");
}

TEST_CASE("a fence on the wrong side of the access passes no message") {
  CHECK(message_passing(
            [](atomic<int>& flag) {
              flag.store(1, relaxed);
              kvrace::atomic_thread_fence(release);
            },
            [](atomic<int>& flag) { return flag.load(acquire) == 1; }) == "data_race");
  CHECK(message_passing([](atomic<int>& flag) { flag.store(1, release); },
                        [](atomic<int>& flag) {
                          kvrace::atomic_thread_fence(acquire);
                          return flag.load(relaxed) == 1;
                        }) == "data_race");
}

TEST_CASE("what follows a release fence is not part of its message") {
  const auto found = explore([](kvrace::run& run) {
    var<int> before(0);
    var<int> after(0);
    atomic<int> flag(0);
    run.spawn("sender", [&] {
      before.store(1);
      kvrace::atomic_thread_fence(release);
      after.store(1);
      flag.store(1, relaxed);
    });
    run.spawn("receiver", [&] {
      if (flag.load(acquire) == 1) (void)before.load(), (void)after.load();
    });
    run.join_all();
  });
  REQUIRE(outcome(found) == "data_race");
  CHECK(contains(message(found), "var 0.2"));
}

TEST_CASE("a relaxed update after a release fence passes the fence's message and keeps the former one") {
  const auto found = explore([](kvrace::run& run) {
    var<int> first_data(0);
    var<int> second_data(0);
    atomic<int> flag(0);
    run.spawn("first", [&] { first_data.store(1), flag.fetch_add(1, release); });
    run.spawn("second", [&] {
      second_data.store(1);
      kvrace::atomic_thread_fence(release);
      flag.fetch_add(10, relaxed);
    });
    run.spawn("receiver", [&] {
      if (flag.load(acquire) == 11) (void)first_data.load(), (void)second_data.load();
    });
    run.join_all();
  });
  CHECK(outcome(found) == "PROVED");
}

TEST_CASE("a fenced update does not pass a message of a former run") {
  // The first run leaves clocks behind; the second must not read them as knowledge of its own.
  const auto racy = [](kvrace::run& run) {
    var<int> data(0);
    atomic<int> flag(0);
    run.spawn("sender", [&] {
      kvrace::atomic_thread_fence(release);
      flag.fetch_add(1, relaxed);
      data.store(1);
    });
    run.spawn("receiver", [&] {
      if (flag.load(acquire) == 1) (void)data.load();
    });
    run.join_all();
  };
  for (const bool after_another : {false, true}) {
    if (after_another) {
      (void)run_once([](kvrace::run& run) {
        std::array<atomic<int>, 8> many{};
        run.spawn("task", [&] {
          for (int round = 0; round < 50; ++round)
            for (auto& each : many) each.store(round, release);
        });
        run.join_all();
      });
    }
    CHECK(outcome(run_once(racy)) == "data_race");
  }
}

TEST_CASE("an acquire fence covers every earlier relaxed read of its task") {
  const auto found = explore([](kvrace::run& run) {
    var<int> first_data(0);
    var<int> second_data(0);
    atomic<int> first_flag(0);
    atomic<int> second_flag(0);
    run.spawn("first", [&] { first_data.store(1), first_flag.store(1, release); });
    run.spawn("second", [&] { second_data.store(1), second_flag.store(1, release); });
    run.spawn("receiver", [&] {
      const int seen = first_flag.load(relaxed) + second_flag.load(relaxed);
      kvrace::atomic_thread_fence(acquire);
      if (seen == 2) (void)first_data.load(), (void)second_data.load();
    });
    run.join_all();
  });
  CHECK(outcome(found) == "PROVED");
}
