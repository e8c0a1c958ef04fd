// call_once, promise, future, shared_future, packaged_task and async.
#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using namespace std::chrono_literals;
using kvrace::atomic;
using kvrace::var;

TEST_CASE("call_once calls once, and all callers see what was done") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::once_flag once;
          var<int> made(0);
          const auto task = [&] {
            kvrace::call_once(once, [&](int value) { made = made + value; }, 7);
            run.require(made == 7, "made once, and seen");
          };
          for (int i = 0; i < 3; ++i) run.spawn("caller", task);
          run.join_all();
        })) == "PROVED");
}

TEST_CASE("double-checked initialisation without call_once is a race") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::mutex m;
          var<int> made(0);
          const auto task = [&] {
            if (made == 0) {
              const kvrace::lock_guard lock(m);
              if (made == 0) made = 7;
            }
          };
          both(run, task, task);
        })) == "data_race");
}

TEST_CASE("an execution of call_once that throws leaves it to the next caller") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::once_flag once;
          var<int> calls(0);
          atomic<int> caught(0);
          const auto task = [&] {
            try {
              kvrace::call_once(once, [&] {
                ++calls;
                if (calls == 1) throw std::runtime_error("the first fails");
              });
            } catch (const std::runtime_error&) {
              caught.fetch_add(1);
            }
          };
          both(run, task, task);
          run.require(calls == 2 && caught.load() == 1, "one fails, the other makes it good");
        })) == "PROVED");
}

TEST_CASE("a future gives the value that was promised, and what was done before it") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::promise<std::unique_ptr<int>> made;
          auto later = made.get_future();
          var<int> side(0);
          both(
              run,
              [&] {
                side = 1;
                made.set_value(std::make_unique<int>(7));
              },
              [&] {
                run.require(*later.get() == 7, "the value");
                run.require(side == 1, "and what came before");
                run.require(!later.valid(), "given away");
              });
        })) == "PROVED");
}

TEST_CASE("what is done after set_value is not ordered before get") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::promise<void> made;
          auto later = made.get_future();
          var<int> side(0);
          both(
              run,
              [&] {
                made.set_value();
                side = 1;
              },
              [&] {
                later.get();
                (void)side.load();
              });
        })) == "data_race");
}

TEST_CASE("an exception travels through a future; a promise that is dropped breaks") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::promise<int> fails;
          auto later = fails.get_future();
          kvrace::future<int> broken;
          {
            kvrace::promise<int> dropped;
            broken = dropped.get_future();
          }
          both(
              run, [&] { fails.set_exception(std::make_exception_ptr(std::runtime_error("no blocks"))); },
              [&] {
                std::string said;
                try {
                  (void)later.get();
                } catch (const std::runtime_error& error) {
                  said = error.what();
                }
                run.require(said == "no blocks", "thrown by get");
                bool broke = false;
                try {
                  (void)broken.get();
                } catch (const std::future_error& error) {
                  broke = error.code() == std::future_errc::broken_promise;
                }
                run.require(broke, "a broken promise");
              });
        })) == "PROVED");
}

TEST_CASE("a future that nobody fulfils is a deadlock; a timed wait for it is none") {
  const kvrace::result found = explore([](kvrace::run& run) {
    kvrace::promise<int> never;
    auto later = never.get_future();
    run.spawn("client", [&] { (void)later.get(); });
    run.join_all();
  });
  CHECK(outcome(found) == "deadlock");
  CHECK(contains(message(found), "'client' waits for future"));
  CHECK(run_once([](kvrace::run& run) {
          kvrace::promise<int> made;
          auto later = made.get_future();
          run.spawn("client", [&] {
            run.require(later.wait_for(5ms) == std::future_status::timeout, "too early");
            run.require(later.wait_until(kvrace::virtual_clock::now() + 1s) == std::future_status::ready, "in time");
            run.require(later.get() == 3, "the value");
          });
          run.spawn("server", [&] {
            kvrace::sleep_for(10ms);
            made.set_value(3);
          });
          run.join_all();
        }).passed());
}

TEST_CASE("errors of use are those of the standard library") {
  CHECK(run_once([](kvrace::run& run) {
          const auto code = [](const auto& use) {
            try {
              use();
            } catch (const std::future_error& error) {
              return static_cast<std::future_errc>(error.code().value());
            }
            return std::future_errc{};
          };
          kvrace::promise<int> made;
          auto later = made.get_future();
          run.require(code([&] { (void)made.get_future(); }) == std::future_errc::future_already_retrieved, "a second future");
          made.set_value(1);
          run.require(code([&] { made.set_value(2); }) == std::future_errc::promise_already_satisfied, "a second value");
          (void)later.get();
          run.require(code([&] { (void)later.get(); }) == std::future_errc::no_state, "a second get");
        }).passed());
}

TEST_CASE("shared futures are read by all; packaged tasks and async deliver") {
  CHECK(outcome(explore([](kvrace::run& run) {
          kvrace::packaged_task<int(int)> twice([](int value) { return 2 * value; });
          const kvrace::shared_future<int> result = twice.get_future().share();
          run.spawn("runs it", [&] { twice(21); });
          run.spawn("reads it", [&, result] { run.require(result.get() == 42, "the value"); });
          run.require(result.get() == 42, "the value");
          auto sum = kvrace::async([](int a, int b) { return a + b; }, 2, 3);
          run.require(sum.get() == 5, "the sum");
          run.join_all();
        })) == "PROVED");
}
