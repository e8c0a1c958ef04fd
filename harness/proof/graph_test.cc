// Proofs by execution graphs: what they count, find, and refuse.
#include <algorithm>
#include <chrono>
#include <sstream>
#include <stdexcept>
#include <string>

#include <kvrace/kvrace.h>

#include "proof/graph_test_support.h"
#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::memory_model;
using kvrace::verdict;

namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;

// The number of complete graphs of a program that must be proved without a blocked or a duplicate one.
std::uint64_t count(memory_model model, const kvrace::program& tested) {
  const kvrace::result found = prove_graphs(model, tested);
  INFO(found);
  CHECK(found.verdict == verdict::proved);
  CHECK(found.counts.blocked == 0);
  CHECK(found.counts.graphs_duplicate == 0);
  return found.counts.executions_distinct;
}

kvrace::program increments(unsigned tasks, unsigned each) {
  return [=](kvrace::run& run) {
    kvrace::mutex lock;
    kvrace::var<unsigned> sum(0);
    for (unsigned i = 0; i < tasks; ++i)
      run.spawn("task", [&] {
        for (unsigned k = 0; k < each; ++k) {
          const kvrace::lock_guard guard(lock);
          sum = sum + 1;
        }
      });
    run.join_all();
    run.require(sum == tasks * each, "an increment was lost");
  };
}

kvrace::program readers_and_writers(unsigned readers, unsigned writers) {
  return [=](kvrace::run& run) {
    kvrace::shared_mutex lock;
    kvrace::var<int> value(0);
    for (unsigned i = 0; i < readers; ++i)
      run.spawn("reader", [&] {
        const kvrace::shared_lock guard(lock);
        (void)value.load();
      });
    for (unsigned i = 0; i < writers; ++i)
      run.spawn("writer", [&] {
        const kvrace::lock_guard guard(lock);
        value = value + 1;
      });
    run.join_all();
  };
}

}  // namespace

TEST_CASE("lock increments of N tasks have N! graphs, none blocked") {
  for (const auto model : {memory_model::sc, memory_model::rc11}) {
    std::uint64_t factorial = 1;
    for (unsigned tasks = 2; tasks <= 6; ++tasks) {
      factorial *= tasks;
      CHECK(count(model, increments(tasks, 1)) == factorial);
    }
    CHECK(count(model, increments(3, 2)) == 90);
    CHECK(count(model, increments(4, 2)) == 2'520);
  }
}

TEST_CASE("n readers have 2^n graphs with one writer and 2 * 3^n with two, none blocked") {
  for (const auto model : {memory_model::sc, memory_model::rc11}) {
    std::uint64_t with_one = 1;
    std::uint64_t with_two = 2;
    for (unsigned readers = 1; readers <= 4; ++readers) {
      CHECK(count(model, readers_and_writers(readers, 0)) == 1);
      CHECK(count(model, readers_and_writers(readers, 1)) == (with_one *= 2));
      CHECK(count(model, readers_and_writers(readers, 2)) == (with_two *= 3));
    }
  }
}

TEST_CASE("readers of a shared mutex do not synchronise with each other") {
  bool stale = false;
  const kvrace::result found = prove_graphs(memory_model::rc11, [&](kvrace::run& run) {
    kvrace::shared_mutex lock;
    atomic<int> x(0), y(0);
    int seen_y = 0, seen_x = 0;
    both(
        run,
        [&] {
          x.store(1, relaxed);
          {
            const kvrace::shared_lock guard(lock);
          }
          y.store(1, relaxed);
        },
        [&] {
          seen_y = y.load(relaxed);
          {
            const kvrace::shared_lock guard(lock);
          }
          seen_x = x.load(relaxed);
        });
    stale |= seen_y == 1 && seen_x == 0;
  });
  CHECK(found.verdict == verdict::proved);
  CHECK(stale);
}

TEST_CASE("two locks in opposite order deadlock in one graph of three") {
  const kvrace::result found = prove_graphs(memory_model::sc, [](kvrace::run& run) {
    kvrace::mutex a, b;
    const auto take = [](kvrace::mutex& first, kvrace::mutex& second) {
      const kvrace::lock_guard one(first);
      const kvrace::lock_guard two(second);
    };
    both(run, [&] { take(a, b); }, [&] { take(b, a); });
  });
  CHECK(outcome(found) == "deadlock");
  CHECK(contains(message(found), "a cycle of waiting tasks"));
}

TEST_CASE("a task that keeps a lock leaves the others waiting") {
  for (const unsigned tasks : {2U, 3U}) {
    const kvrace::result found = prove_graphs(memory_model::rc11, [tasks](kvrace::run& run) {
      kvrace::mutex lock;
      for (unsigned i = 0; i < tasks; ++i) run.spawn("task", [&] { lock.lock(); });
      run.join_all();
    });
    CHECK(outcome(found) == "deadlock");
  }
}

TEST_CASE("an assumption that fails blocks its task, and that is no deadlock") {
  const kvrace::result found = prove_graphs(memory_model::sc, [](kvrace::run& run) {
    atomic<int> flag(0);
    both(run, [&] { flag = 1; }, [&] { run.assume(flag == 1); });
  });
  CHECK(found.verdict == verdict::proved);
  CHECK(found.counts.executions_distinct == 1);
  CHECK(found.counts.blocked == 1);
}

TEST_CASE("try_lock fails where the lock is held") {
  std::set<std::pair<bool, bool>> seen;
  const std::uint64_t graphs = count(memory_model::rc11, [&](kvrace::run& run) {
    kvrace::mutex lock;
    bool first = false, second = false;
    const auto attempt = [&lock](bool& got) {
      if ((got = lock.try_lock())) lock.unlock();
    };
    both(run, [&] { attempt(first); }, [&] { attempt(second); });
    seen.insert({first, second});
  });
  CHECK(graphs == 4);  // each first, and each in the other's section
  CHECK(seen == std::set<std::pair<bool, bool>>{{true, true}, {true, false}, {false, true}});
}

TEST_CASE("a publication needs release and acquire, under sc as well") {
  const auto publish = [](std::memory_order store, std::memory_order load) {
    return [=](kvrace::run& run) {
      kvrace::var<int> data(0);
      atomic<int> flag(0);
      both(
          run,
          [&] {
            data = 1;
            flag.store(1, store);
          },
          [&] {
            if (flag.load(load) == 1) run.require(data == 1, "the publication is not seen");
          });
    };
  };
  for (const auto model : {memory_model::sc, memory_model::rc11}) {
    CHECK(count(model, publish(release, acquire)) == 2);
    CHECK(outcome(prove_graphs(model, publish(relaxed, acquire))) == "data_race");
    CHECK(outcome(prove_graphs(model, publish(release, relaxed))) == "data_race");
  }
}

TEST_CASE("choices of the body and of tasks multiply") {
  std::set<std::int64_t> seen;
  const std::uint64_t graphs = count(memory_model::sc, [&](kvrace::run& run) {
    const std::int64_t before = run.pick(0, 2);
    std::int64_t within = 0;
    run.spawn("task", [&] { within = run.pick(0, 1); });
    run.join_all();
    const std::int64_t after = run.pick(0, 1);
    seen.insert(before * 100 + within * 10 + after);
  });
  CHECK(graphs == 12);
  CHECK(seen.size() == 12);
}

TEST_CASE("tasks start tasks and wait for them") {
  std::set<int> seen;
  const std::uint64_t graphs = count(memory_model::rc11, [&](kvrace::run& run) {
    atomic<int> x(0);
    kvrace::var<int> plain(0);
    int read = -1;
    both(
        run,
        [&] {
          plain = 1;
          kvrace::thread inner([&] {
            plain = plain + 1;
            x.store(1, relaxed);
          });
          inner.join();
          run.require(plain == 2, "a joined task is not seen");
        },
        [&] { read = x.load(relaxed); });
    seen.insert(read);
  });
  CHECK(graphs == 2);
  CHECK(seen == std::set<int>{0, 1});
}

TEST_CASE("a task that is not waited for races with what follows") {
  CHECK(outcome(prove_graphs(memory_model::sc, [](kvrace::run& run) {
          kvrace::var<int> plain(0);
          run.spawn("outer", [&] {
            kvrace::thread inner([&] { plain = 1; });
            plain = 2;
            inner.join();
          });
          run.join_all();
        })) == "data_race");
  CHECK(outcome(prove_graphs(memory_model::sc, [](kvrace::run& run) {
          kvrace::var<int> plain(0);
          run.spawn("task", [&] { plain = 1; });
          plain = 2;  // between spawn and join
          run.spawn("task", [] {});
          run.join_all();
        })) == "data_race");
}

TEST_CASE("the body takes part") {
  const std::uint64_t graphs = count(memory_model::sc, [&](kvrace::run& run) {
    atomic<int> x(0);
    kvrace::var<int> plain(0);
    run.spawn("task", [&] { (void)x.load(); });
    x.store(1);
    plain = 1;
    run.spawn("task", [&] {
      (void)plain.load();
      (void)x.load();
    });
    run.join_all();
    run.require(x == 1, "the last value is there in the end");
    x = 2;
    run.require(x.exchange(3) == 2 && kvrace::sync::peek(x) == 3, "a body that is alone has its own way");
  });
  CHECK(graphs == 2);
}

TEST_CASE("an object is not destroyed while another task may use it") {
  CHECK(outcome(prove_graphs(memory_model::sc, [](kvrace::run& run) {
          auto* x = kvrace::sync::make<atomic<int>>(0);
          both(run, [&] { (void)x->load(); }, [&] { kvrace::sync::destroy(x); });
        })) == "use_after_destroy");
}

TEST_CASE("what graphs do not model is refused by name") {
  const auto refused = [](const kvrace::program& tested) {
    const kvrace::result found = prove_graphs(memory_model::sc, tested);
    CHECK(found.verdict == verdict::incomplete);
    return found.refusal;
  };
  CHECK(refused([](kvrace::run& run) {
          kvrace::condition_variable_any ready;
          kvrace::mutex m;
          run.spawn("task", [&] {
            kvrace::unique_lock lock(m);
            ready.wait(lock);
          });
          run.join_all();
        }) == "condition_variable_any");
  CHECK(contains(refused([](kvrace::run& run) {
                   for (int i = 0; i < 17; ++i) run.spawn("task", [] {});
                   run.join_all();
                 }),
                 "sixteen tasks"));
  CHECK(contains(refused([](kvrace::run& run) {
                   atomic<int> x(0);
                   run.spawn("task", [&] {
                     for (int i = 0; i < 300; ++i) x.store(i);
                   });
                   run.join_all();
                 }),
                 "252 operations"));
  CHECK_THROWS_AS(kvrace::prove({.engine = kvrace::proof_engine::graphs, .limits = {.data_races = false}}, [](kvrace::run&) {}),
                  std::invalid_argument);
  CHECK_THROWS_AS(
      kvrace::prove({.memory_model = memory_model::rc11, .engine = kvrace::proof_engine::interleavings}, [](kvrace::run&) {}),
      std::invalid_argument);
}

TEST_CASE("every graph of a shared mutex is an interleaving, also where a reader comes back") {
  const kvrace::result found = prove_graphs(memory_model::sc, [](kvrace::run& run) {
    kvrace::shared_mutex lock;
    run.at_quiescence([] {});
    const auto read = [&] { const kvrace::shared_lock guard(lock); };
    both(
        run,
        [&] {
          read();
          read();
        },
        [&] {
          {
            const kvrace::lock_guard guard(lock);
          }
          read();
        });
  });
  INFO(found);
  CHECK(found.counts.graphs_judged == found.counts.executions_distinct);
}

TEST_CASE("audits of a proof by graphs are made in an interleaving of each graph") {
  int audits = 0;
  CHECK(count(memory_model::sc, [&](kvrace::run& run) {
          atomic<int> x(0);
          run.at_quiescence([&] {
            ++audits;
            run.require(kvrace::sync::peek(x) == 1, "not the last value");
          });
          run.spawn("task", [&] {
            const kvrace::operation call([] { return "call"; });
            x = 1;
          });
          run.join_all();
        }) == 1);
  CHECK(audits == 3);  // after the call in the interleaving, and at the end of both executions
}

TEST_CASE("a program that behaves differently along the same graph is UNSOUND") {
  int executions = 0;
  const kvrace::result found = prove_graphs(memory_model::sc, [&](kvrace::run& run) {
    atomic<int> x(0);
    const bool odd = ++executions % 2 == 1;
    both(run, [&] { odd ? x.store(1) : static_cast<void>(x.load()); }, [&] { (void)x.load(); });
  });
  CHECK(found.verdict == verdict::unsound);
}

TEST_CASE("a violation that an interleaving shows comes with the schedule that repeats it") {
  const auto lost_update = [](kvrace::run& run) {
    atomic<int> x(0);
    const auto increment = [&x] { x.store(x.load(relaxed) + 1, relaxed); };
    const std::int64_t tasks = run.pick(1, 2);
    for (std::int64_t i = 0; i < tasks; ++i) run.spawn("task", increment);
    run.join_all();
    run.require(x == static_cast<int>(tasks), "an increment was lost");
  };
  const auto deadlock = [](kvrace::run& run) {
    kvrace::shared_mutex a;
    kvrace::mutex b;
    both(
        run,
        [&] {
          const kvrace::shared_lock one(a);
          const kvrace::lock_guard two(b);
        },
        [&] {
          const kvrace::lock_guard two(b);
          const kvrace::lock_guard one(a);
        });
  };
  const auto race = [](kvrace::run& run) {
    kvrace::var<int> data(0);
    atomic<int> flag(0);
    both(
        run, [&] { data = 1, flag.store(1, relaxed); },
        [&] {
          if (flag.load(acquire) == 1) (void)data.load();
        });
  };
  for (const kvrace::program& tested : {kvrace::program(lost_update), kvrace::program(deadlock), kvrace::program(race)}) {
    for (const auto model : {memory_model::sc, memory_model::rc11}) {
      const kvrace::result found = prove_graphs(model, tested);
      INFO(found);
      REQUIRE(found.verdict == verdict::violation);
      const kvrace::finding& first = found.findings.front();
      CHECK(first.schedule.set_up == kvrace::schedule::setting::search);
      CHECK(!first.trace.empty());
      const kvrace::result again = kvrace::replay({}, first.schedule, tested);
      CHECK(outcome(again) == first.oracle);
      CHECK(again.findings.front().trace_digest == first.trace_digest);
    }
  }
}

TEST_CASE("a violation that no interleaving shows comes with its stale reads marked") {
  const auto buffering = [](kvrace::run& run) {
    atomic<int> x(0), y(0);
    int seen_x = -1, seen_y = -1;
    both(
        run,
        [&] {
          x.store(1, relaxed);
          seen_y = y.load(relaxed);
        },
        [&] {
          y.store(1, relaxed);
          seen_x = x.load(relaxed);
        });
    run.require(seen_x == 1 || seen_y == 1, "neither task saw the other");
  };
  CHECK(prove_graphs(memory_model::sc, buffering).verdict == verdict::proved);
  const kvrace::result found = prove_graphs(memory_model::rc11, buffering);
  REQUIRE(outcome(found) == "requirement");
  const kvrace::finding& first = found.findings.front();
  CHECK(first.schedule.to_string() == "graph/baseline");
  CHECK(std::any_of(first.trace.begin(), first.trace.end(),
                    [](const kvrace::trace_step& step) { return step.kind == "load" && contains(step.value, "stale"); }));
  CHECK_THROWS_AS(kvrace::replay({}, first.schedule, buffering), std::invalid_argument);
  std::ostringstream text;
  text << found;
  CHECK(contains(text.str(), "no schedule repeats it"));
}

TEST_CASE("uses of a made object happen before its destruction") {
  const auto handed_over = [](std::memory_order store, std::memory_order load) {
    return [=](kvrace::run& run) {
      struct thing {
        int value = 1;
      };
      auto* made = kvrace::sync::make<thing>();
      atomic<int> used(0);
      both(
          run,
          [&] {
            (void)kvrace::sync::alive(made)->value;
            used.store(1, store);
          },
          [&] {
            if (used.load(load) == 1)
              kvrace::sync::destroy(made);
            else
              run.assume(false);
          });
    };
  };
  CHECK(prove_graphs(memory_model::rc11, handed_over(release, acquire)).verdict == verdict::proved);
  CHECK(outcome(prove_graphs(memory_model::rc11, handed_over(relaxed, acquire))) == "use_after_destroy");
}

TEST_CASE("a lost wakeup is a deadlock, a predicate checked under the lock is none") {
  const auto hand_over = [](bool checks) {
    return [checks](kvrace::run& run) {
      kvrace::mutex lock;
      kvrace::condition_variable ready;
      kvrace::var<int> data(0);
      both(
          run,
          [&] {
            kvrace::unique_lock guard(lock);
            if (!checks || data.load() == 0) ready.wait(guard);
            run.require(data == 1, "woken without data");
          },
          [&] {
            const kvrace::lock_guard guard(lock);
            data = 1;
            ready.notify_one();
          });
    };
  };
  for (const auto model : {memory_model::sc, memory_model::rc11}) {
    CHECK(count(model, hand_over(true)) == 2);
    const kvrace::result lost = prove_graphs(model, hand_over(false));
    CHECK(outcome(lost) == "deadlock");
    CHECK(contains(message(lost), "a notification of"));
    CHECK(outcome(kvrace::replay({}, lost.findings.front().schedule, hand_over(false))) == "deadlock");
  }
}

TEST_CASE("a notification lets a task further left go on first, in every order of what else the notifier does") {
  for (const bool before : {false, true}) {
    std::set<std::pair<bool, int>> seen;
    const kvrace::result found = prove_graphs(memory_model::sc, [&](kvrace::run& run) {
      atomic<int> x(0);
      kvrace::mutex lock;
      kvrace::condition_variable raised;
      kvrace::var<bool> flag(false);
      bool slept = false;
      int read = 0;
      run.spawn("waiter", [&] {
        kvrace::unique_lock guard(lock);
        if (flag) return;
        slept = true;
        raised.wait(guard);
      });
      run.spawn("writer", [&] { x.store(4); });
      run.spawn("notifier", [&] {
        {
          const kvrace::lock_guard guard(lock);
          flag = true;
        }
        if (before) read = x.load();
        raised.notify_one();
        if (!before) read = x.load();
      });
      run.join_all();
      seen.insert({slept, read});
    });
    INFO(found);
    CHECK(found.verdict == verdict::proved);
    CHECK(found.counts.executions_distinct == 4);
    CHECK(seen.size() == 4);
  }
}

TEST_CASE("a condition variable takes one mutex at a time, and may be destroyed once everybody was notified") {
  const kvrace::result two_mutexes = prove_graphs(memory_model::sc, [](kvrace::run& run) {
    kvrace::condition_variable raised;
    kvrace::mutex a;
    kvrace::mutex b;
    const auto wait_with = [&](kvrace::mutex& lock) {
      kvrace::unique_lock guard(lock);
      raised.wait(guard);
    };
    run.spawn("a", [&] { wait_with(a); });
    run.spawn("b", [&] { wait_with(b); });
    run.join_all();
  });
  CHECK(contains(message(two_mutexes), "different mutexes"));
  const kvrace::result destroyed = prove_graphs(memory_model::rc11, [](kvrace::run& run) {
    auto* raised = kvrace::sync::make<kvrace::condition_variable>();
    kvrace::mutex lock;
    kvrace::var<bool> flag(false);
    both(
        run,
        [&] {
          kvrace::unique_lock guard(lock);
          if (!flag) raised->wait(guard);
        },
        [&] {
          const kvrace::lock_guard guard(lock);
          flag = true;
          raised->notify_all();
          kvrace::sync::destroy(raised);
        });
  });
  INFO(destroyed);
  CHECK(destroyed.verdict == verdict::proved);
}

TEST_CASE("a loop that only gives way reaches the bound on steps") {
  const kvrace::result found =
      kvrace::prove({.engine = kvrace::proof_engine::graphs, .limits = {.steps_max = 500}}, [](kvrace::run& run) {
        run.spawn("loops", [] {
          for (;;) kvrace::yield();
        });
        run.join_all();
      });
  CHECK(outcome(found) == "step_bound");
}

TEST_CASE("who is notified, and whether a wait times out, is explored") {
  std::set<std::string> seen;
  const kvrace::result found = prove_graphs(memory_model::rc11, [&](kvrace::run& run) {
    kvrace::mutex lock;
    kvrace::condition_variable ready;
    std::string order;
    for (const char name : {'a', 'b'})
      run.spawn("waiter", [&, name] {
        kvrace::unique_lock guard(lock);
        const bool notified = ready.wait_for(guard, std::chrono::seconds(1)) == std::cv_status::no_timeout;
        order += notified ? name : static_cast<char>(name - 32);
      });
    run.spawn("notifier", [&] { ready.notify_one(); });
    run.join_all();
    seen.insert(order);
  });
  CHECK(found.verdict == verdict::proved);
  CHECK(seen == std::set<std::string>{"AB", "BA", "aB", "Ba", "Ab", "bA"});
}
