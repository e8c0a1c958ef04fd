// Histories of runs: what is recorded, when calls begin and return, and what becomes of the verdict.
#include <optional>
#include <string>
#include <vector>

#include <kvrace/kvrace.h>
#include <kvrace/specs.h>

#include "test_support.h"

namespace {

using namespace kvrace::testing;
using kvrace::verdict;
using variable = kvrace::specs::variable<int>;
using cache = kvrace::specs::cache<int, int>;

// A cache of two entries. Flawed: a get looks for the key in one critical section and reads the value in another.
class small_cache {
 public:
  using recorded = kvrace::history<cache>;
  small_cache(recorded& history, bool repaired) : history_(history), repaired_(repaired) {
    for (entry& each : entries_) each.key.store(-1);
  }

  void put(int key, int value) {
    auto call = history_.call(cache::put{key, value});
    mutex_.lock();
    const int at = find(key) >= 0 ? find(key) : next_++ % 2;
    if (const int former = entries_[at].key.load(); former >= 0 && former != key) history_.call(cache::evict{former}).returns();
    entries_[at].key.store(key);
    entries_[at].value.store(value);
    mutex_.unlock();
    call.returns();
  }
  void get(int key) {
    auto call = history_.call(cache::get{key});
    mutex_.lock();
    const int at = find(key);
    if (!repaired_ && at >= 0) {
      mutex_.unlock();
      mutex_.lock();
    }
    std::optional<int> found;
    if (at >= 0) found = entries_[at].value.load();
    mutex_.unlock();
    call.returns(found);
  }

 private:
  struct entry {
    kvrace::var<int> key;
    kvrace::var<int> value;
  };
  int find(int key) const {
    for (int at = 0; at < 2; ++at)
      if (entries_[at].key.load() == key) return at;
    return -1;
  }

  recorded& history_;
  bool repaired_;
  kvrace::mutex mutex_;
  entry entries_[2];
  int next_ = 0;
};

kvrace::program cache_program(bool repaired) {
  return [repaired](kvrace::run& run) {
    small_cache::recorded history(run);
    small_cache tested(history, repaired);
    tested.put(1, 10);
    run.spawn("reader", [&] { tested.get(1); });
    run.spawn("writer", [&] {
      tested.put(2, 20);
      tested.put(3, 30);
    });
    run.join_all();
  };
}

// Two tasks; the second reads twice. Returns what the checks must tell apart.
kvrace::program stale_register(kvrace::history_options options = {}) {
  return [options](kvrace::run& run) {
    kvrace::history<variable> history(run, {}, options);
    kvrace::atomic<int> old{0};
    kvrace::atomic<int> value{0};
    both(
        run,
        [&] {
          auto call = history.call(variable::write{1});
          value.store(1);
          call.returns();
        },
        [&] {
          for (int i = 0; i < 2; ++i) {
            auto call = history.call(variable::read{});
            call.returns(old.load());
          }
        });
  };
}

}  // namespace

TEST_CASE("a cache whose get is not atomic is not linearizable, and proved to be once repaired") {
  const kvrace::result flawed = kvrace::prove({}, cache_program(false));
  INFO(flawed);
  CHECK(outcome(flawed) == "linearizability");
  CHECK(flawed.findings.front().subject == "key 1");
  CHECK(contains(message(flawed), "get(1) -> 30 fits in no order of the calls: it could have returned only 10 or nothing"));
  CHECK(outcome(kvrace::prove({}, cache_program(true))) == "PROVED");
}

TEST_CASE("a history is checked in samples and in replays too") {
  const kvrace::result found = sample(cache_program(false));
  REQUIRE(outcome(found) == "linearizability");
  const kvrace::result again = kvrace::replay({}, found.findings.front().schedule, cache_program(false));
  CHECK(outcome(again) == "linearizability");
  CHECK(message(again) == message(found));
  CHECK(again.findings.front().operations.size() >= 2);
  CHECK(again.findings.front().ledger.front().subject == "key 1");
}

TEST_CASE("a call begins with its first visible operation, not where its task stands before it") {
  // In a sample, the read's task stands before its read while the write returns: the read of the former value is stale all the
  // same.
  const kvrace::result found = sample(stale_register());
  INFO(found);
  REQUIRE(outcome(found) == "linearizability");
  CHECK(contains(message(found), "read() -> 0 fits in no order of the calls: it could have returned only 1"));
}

TEST_CASE("a proof orders calls by happens-before, or by time where they are visible, and says so") {
  const auto causal = [](kvrace::run& run) {
    kvrace::history<variable> history(run);
    kvrace::atomic<int> value{0};
    both(
        run,
        [&] {
          auto call = history.call(variable::write{1});
          value.store(1);
          call.returns();
        },
        [&] {
          auto call = history.call(variable::read{});
          call.returns(value.load());
        });
  };
  const kvrace::result proved = kvrace::prove({}, causal);
  CHECK(proved.verdict == verdict::proved);
  CHECK(contains(proved.claim, "one precedes another if its last operation happens before the other's first"));
  CHECK(outcome(kvrace::prove({}, stale_register({.visible_calls = true}))) == "linearizability");
  const auto visible = [](kvrace::run& run) {
    kvrace::history<variable> history(run, {}, {.visible_calls = true});
    history.call(variable::write{1}).returns();
    run.join_all();
  };
  CHECK(!contains(kvrace::prove({}, visible).claim, "precedes"));
}

TEST_CASE("a proof by graphs compares the history of an interleaving of each graph") {
  const auto increments = [](bool whole) {
    return [whole](kvrace::run& run) {
      kvrace::history<variable> history(run);
      kvrace::atomic<int> value{0};
      run.spawn("writer", [&] {
        auto call = history.call(variable::write{2});
        if (!whole) value.store(1);
        value.store(2);
        call.returns();
      });
      run.spawn("reader", [&] {
        auto call = history.call(variable::read{});
        call.returns(value.load());
      });
      run.join_all();
    };
  };
  const kvrace::result proved = kvrace::prove({.engine = kvrace::proof_engine::graphs}, increments(true));
  INFO(proved);
  CHECK(proved.verdict == verdict::proved);
  CHECK(proved.counts.graphs_judged == 2);
  const kvrace::result torn = kvrace::prove({.memory_model = kvrace::memory_model::rc11}, increments(false));
  CHECK(outcome(torn) == "linearizability");
  CHECK(outcome(kvrace::replay({}, torn.findings.front().schedule, increments(false))) == "linearizability");
}

TEST_CASE("calls of one task without a visible operation keep their order") {
  const auto found = run_once([](kvrace::run& run) {
    kvrace::history<variable> history(run);
    history.call(variable::write{1}).returns();
    history.call(variable::write{2}).returns();
    history.call(variable::read{}).returns(1);
    run.join_all();
  });
  CHECK(outcome(found) == "linearizability");
}

TEST_CASE("a call without a result may have taken effect or not") {
  const auto read = [](int value) {
    return run_once([value](kvrace::run& run) {
      kvrace::history<variable> history(run);
      {
        const auto cancelled = history.call(variable::write{1});
      }
      history.call(variable::read{}).returns(value);
      run.join_all();
    });
  };
  CHECK(read(0).passed());
  CHECK(read(1).passed());
  CHECK(outcome(read(2)) == "linearizability");
}

TEST_CASE("a history can be checked before it ends, and fails once") {
  kvrace::linearizability early{};
  const auto found = kvrace::check({.runs = 1, .stop_at_violation = false}, [&](kvrace::run& run) {
    kvrace::history<variable> history(run);
    history.call(variable::write{1}).returns();
    early = history.check();
    history.call(variable::read{}).returns(2);
    run.join_all();
    CHECK(history.check() == kvrace::linearizability::violated);
  });
  CHECK(early == kvrace::linearizability::linearizable);
  CHECK(found.counts.violations == 1);
}

TEST_CASE("a history that could not be decided makes the claim INCOMPLETE") {
  const auto many = [](kvrace::run& run) {
    kvrace::history<variable> history(run, {}, {.steps_max = 10});
    kvrace::atomic<int> value{0};
    for (int task = 0; task < 3; ++task)
      run.spawn("writer", [&, task] {
        auto call = history.call(variable::write{task});
        value.store(task);
        value.store(task);
        call.returns();
      });
    run.join_all();
    for (int i = 0; i < 20; ++i) history.call(variable::read{}).returns(value.load());
  };
  const kvrace::result sampled = sample(many);
  CHECK(sampled.verdict == verdict::incomplete);
  CHECK(sampled.counts.undecided == sampled.counts.runs);
  CHECK(contains(sampled.claim, "was not decided within its budget in 300 of 300 runs"));
  CHECK(kvrace::prove({}, many).verdict == verdict::incomplete);
  const kvrace::result shared = kvrace::check({.runs = 300, .jobs = 2}, many);
  CHECK(shared.verdict == verdict::incomplete);
  CHECK(shared.counts.undecided == 300);
  const kvrace::result replayed = run_once(many);
  CHECK(replayed.verdict == verdict::incomplete);
  CHECK(replayed.counts.undecided == 1);
  CHECK(contains(replayed.claim, "was not decided within its budget"));
}

TEST_CASE("two histories of one run are checked apart, from the states they begin with") {
  const auto found = run_once([](kvrace::run& run) {
    kvrace::history<variable> first(run, {.value = 5});
    kvrace::history<variable> second(run);
    first.call(variable::read{}).returns(5);
    second.call(variable::read{}).returns(0);
    run.join_all();
  });
  CHECK(found.passed());
  CHECK(outcome(run_once([](kvrace::run& run) {
          kvrace::history<variable> history(run);
          history.call(variable::read{}).returns(5);
          run.join_all();
        })) == "linearizability");
}

TEST_CASE("a body that an exception leaves is not judged by its history") {
  const auto found = run_once([](kvrace::run& run) {
    kvrace::history<variable> history(run);
    history.call(variable::read{}).returns(5);
    throw std::runtime_error("stop");
  });
  CHECK(outcome(found) == "escaping_exception");
}

TEST_CASE("a call may turn out not to have been made") {
  const auto found = run_once([](kvrace::run& run) {
    kvrace::history<variable> history(run);
    auto never = history.call(variable::write{8});
    history.call(variable::write{1}).returns();
    never.withdraw();
    history.call(variable::read{}).returns(1);
    history.call(variable::read{}).returns(8);
    run.join_all();
  });
  CHECK(contains(message(found), "read() -> 8 fits in no order of the calls: it could have returned only 1"));
}

TEST_CASE("a call may begin with another that is recorded before it") {
  const auto found = run_once([](kvrace::run& run) {
    kvrace::history<variable> history(run);
    auto read = history.call(variable::read{});
    history.call(variable::write{1}).returns();
    read.returns(0);
    read.alongside(variable::read{}).returns(0);
    history.call(variable::read{}).returns(0);
    run.join_all();
  });
  CHECK(contains(message(found), "only 1; the calls before its return fit in the order read() -> 0, read() -> 0, write(1)"));
}

TEST_CASE("calls that are parts of an operation are in the ledger and no operations of their own") {
  const auto found = run_once([](kvrace::run& run) {
    kvrace::history<cache> history(run, {}, {.operations = false});
    history.call(cache::put{1, 10}).returns();
    history.call(cache::get{1}).returns(2);
    run.join_all();
  });
  REQUIRE(outcome(found) == "linearizability");
  CHECK(found.findings.front().operations.empty());
  CHECK(found.findings.front().ledger.size() == 2);
}
