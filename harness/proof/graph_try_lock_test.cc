// Tries of locks along execution graphs, against the search by interleavings: the same programs come to the same outcomes.
#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <kvrace/kvrace.h>

#include "proof/graph_test_support.h"
#include "strategies/random_source.h"
#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::memory_model;

namespace {

enum class deed : std::uint8_t { write, read, try_write, try_read, try_write_for, try_read_for, store, load };
using deeds = std::vector<std::vector<deed>>;  // by task

// What tasks found out, one letter a deed that can come out in several ways.
class observer {
 public:
  explicit observer(const deeds& tasks) : tasks_(tasks) {}

  void operator()(kvrace::run& run) {
    kvrace::shared_timed_mutex lock;
    atomic<int> x(0);
    std::vector<std::string> seen(tasks_.size());
    int written = 0;  // guarded by `lock`
    run.at_quiescence([] {});
    for (std::size_t task = 0; task < tasks_.size(); ++task)
      run.spawn("task", [&, task] {
        for (const deed each : tasks_[task]) seen[task] += act(each, lock, x, written);
      });
    run.join_all();
    std::string all;
    for (const std::string& each : seen) all += each + "/";
    outcomes_.insert(all + std::to_string(x.load()));
  }
  [[nodiscard]] const std::set<std::string>& outcomes() const { return outcomes_; }

 private:
  static char act(deed what, kvrace::shared_timed_mutex& lock, atomic<int>& x, int& written) {
    using std::chrono::milliseconds;
    const auto writes = [&](bool holds) {
      if (!holds) return 'n';
      const int before = written++;
      lock.unlock();
      return static_cast<char>('0' + before);
    };
    const auto reads = [&](bool holds) {
      if (!holds) return 'n';
      const int found = written;
      lock.unlock_shared();
      return static_cast<char>('0' + found);
    };
    switch (what) {
      case deed::write: lock.lock(); return writes(true);
      case deed::read: lock.lock_shared(); return reads(true);
      case deed::try_write: return writes(lock.try_lock());
      case deed::try_read: return reads(lock.try_lock_shared());
      case deed::try_write_for: return writes(lock.try_lock_for(milliseconds(1)));
      case deed::try_read_for: return reads(lock.try_lock_shared_for(milliseconds(1)));
      case deed::store: x.store(x.load() + 1); return '.';
      case deed::load: return static_cast<char>('0' + x.load());
    }
    return '?';
  }

  deeds tasks_;
  std::set<std::string> outcomes_;
};

// Returns how many different outcomes there are.
std::size_t compare_engines(const deeds& tasks) {
  observer by_interleavings(tasks);
  const kvrace::result searched = kvrace::prove({.engine = kvrace::proof_engine::interleavings}, std::ref(by_interleavings));
  observer by_graphs(tasks);
  const kvrace::result explored = prove_graphs(memory_model::sc, std::ref(by_graphs));
  INFO(searched << '\n' << explored);
  CHECK(searched.verdict == kvrace::verdict::proved);
  CHECK(explored.verdict == kvrace::verdict::proved);
  CHECK(by_graphs.outcomes() == by_interleavings.outcomes());
  CHECK(explored.counts.graphs_judged == explored.counts.executions_distinct);
  return by_graphs.outcomes().size();
}

std::set<std::string> outcomes_of(kvrace::proof_engine engine,
                                  const std::function<void(kvrace::run&, std::set<std::string>&)>& tested) {
  std::set<std::string> outcomes;
  const kvrace::result found = kvrace::prove({.engine = engine}, [&](kvrace::run& run) {
    run.at_quiescence([] {});
    tested(run, outcomes);
  });
  INFO(found);
  CHECK(found.verdict == kvrace::verdict::proved);
  CHECK(found.counts.graphs_unjudged == 0);
  return outcomes;
}

}  // namespace

TEST_CASE("a reader that tries fails while a writer holds the lock, and only then") {
  CHECK(compare_engines({{deed::write}, {deed::try_read}}) == 3);
  CHECK(compare_engines({{deed::read}, {deed::try_read}}) == 1);
  CHECK(compare_engines({{deed::read}, {deed::write}, {deed::try_read}}) >= 3);
}

TEST_CASE("a writer that tries fails while anybody holds the lock, and only then") {
  CHECK(compare_engines({{deed::write}, {deed::try_write}}) == 3);
  CHECK(compare_engines({{deed::read}, {deed::try_write}}) == 3);
  CHECK(compare_engines({{deed::read}, {deed::read}, {deed::try_write}}) >= 3);
  CHECK(compare_engines({{deed::try_write}, {deed::try_write}}) == 4);
}

TEST_CASE("random programs of tries and timed locks come to the same outcomes by graphs and by interleavings") {
  kvrace::detail::random_source random(7, 1);
  for (int program = 0; program < 300; ++program) {
    deeds tasks(2 + random.below(2));
    for (auto& task : tasks)
      for (std::uint64_t length = 1 + random.below(tasks.size() == 2 ? 4 : 2); length > 0; --length)
        task.push_back(static_cast<deed>(random.below(8)));
    INFO("program " << program);
    compare_engines(tasks);
  }
}

TEST_CASE("a lock that is never given back makes a try fail, and is no deadlock") {
  const auto tested = [](kvrace::run& run) {
    kvrace::shared_timed_mutex lock;
    kvrace::timed_mutex other;
    lock.lock();
    other.lock();
    run.spawn("task", [&] {
      run.require(!lock.try_lock(), "held");
      run.require(!lock.try_lock_shared_for(std::chrono::seconds(1)), "held");
      run.require(!other.try_lock_for(std::chrono::seconds(1)), "held");
    });
    run.join_all();
    other.unlock();
    lock.unlock();
  };
  CHECK(outcome(prove_graphs(memory_model::sc, tested)) == "PROVED");
  CHECK(outcome(prove_graphs(memory_model::rc11, tested)) == "PROVED");
}

TEST_CASE("waits for a semaphore and a future that may end by time come to the same outcomes by graphs and by interleavings") {
  const auto tested = [](kvrace::run& run, std::set<std::string>& outcomes) {
    kvrace::counting_semaphore<2> free(1);
    kvrace::promise<int> answer;
    kvrace::future<int> asked = answer.get_future();
    std::string first;
    std::string second;
    run.spawn("first", [&] {
      first += free.try_acquire_for(std::chrono::seconds(1)) ? 'a' : 'n';
      answer.set_value(3);
    });
    run.spawn("second", [&] {
      second += asked.wait_for(std::chrono::seconds(1)) == std::future_status::ready ? 'r' : 't';
      second += free.try_acquire_for(std::chrono::seconds(1)) ? 'a' : 'n';
      second += asked.wait_for(std::chrono::seconds(1)) == std::future_status::ready ? 'r' : 't';
    });
    run.join_all();
    outcomes.insert(first + second);
  };
  const std::set<std::string> found = outcomes_of(kvrace::proof_engine::graphs, tested);
  CHECK(found == outcomes_of(kvrace::proof_engine::interleavings, tested));
  CHECK(found == std::set<std::string>{"arnr", "atnr", "atnt", "ntar", "ntat"});
}
