// How to ask whether a class of your own is linearizable: a cache with a bug, the same question to its repaired form, and a
// specification written for the purpose.
#include <optional>

#include <kvrace/kvrace.h>
#include <kvrace/specs.h>

#include "test_support.h"

namespace {

// Two entries, overwritten in turn.
template <class Sync, bool Repaired>
class small_cache {
 public:
  void put(int key, int value) {
    const guard lock(mutex_);
    int at = find(key);
    if (at == nowhere) at = next_++ % 2;
    entries_[at].key.store(key);
    entries_[at].value.store(value);
  }

  // The bug: the entry is found in one critical section and read in another. In between it may have become another key's.
  std::optional<int> get(int key) {
    guard lock(mutex_);
    const int at = find(key);
    if (at == nowhere) return std::nullopt;
    if (!Repaired) {
      lock.unlock();
      lock.lock();
    }
    return entries_[at].value.load();
  }

 private:
  using guard = typename Sync::template unique_lock<typename Sync::mutex>;
  static constexpr int nowhere = -1;
  struct entry {
    typename Sync::template var<int> key{nowhere};
    typename Sync::template var<int> value{0};
  };
  int find(int key) const {
    for (int at = 0; at < 2; ++at)
      if (entries_[at].key.load() == key) return at;
    return nowhere;
  }

  typename Sync::mutex mutex_;
  entry entries_[2];
  int next_ = 0;
};

// A get may miss, but what it returns is what was put last under its key, and a miss is final until the next put.
using spec = kvrace::specs::lossy_cache<int, int>;

template <bool Repaired>
void program(kvrace::run& run) {
  kvrace::history<spec> history(run);
  small_cache<kvrace::sync, Repaired> cache;
  const auto put = [&](int key, int value) {
    auto call = history.call(spec::put{key, value});
    cache.put(key, value);
    call.returns();
  };
  put(1, 10);
  run.spawn("reader", [&] {
    auto call = history.call(spec::get{1});
    call.returns(cache.get(1));
  });
  run.spawn("writer", [&] {
    put(2, 20);
    put(3, 30);
  });
  run.join_all();
}

// A specification of one's own: a ticket office that hands out 1, 2, 3 and nothing after that.
struct ticket_office {
  struct take {};
  using calls = std::variant<take>;

  int sold = 0;
  std::optional<int> apply(const take&) { return sold < 3 ? std::optional(++sold) : std::nullopt; }
  bool operator==(const ticket_office&) const = default;
};

template <bool Repaired>
void sell(kvrace::run& run) {
  kvrace::history<ticket_office> history(run, {.sold = 2});
  kvrace::atomic<int> sold{2};
  for (int customer = 0; customer < 2; ++customer)
    run.spawn("customer", [&] {
      auto call = history.call(ticket_office::take{});
      int before = sold.load();
      if (Repaired) {
        while (before < 3 && !sold.compare_exchange_weak(before, before + 1)) {
        }
      } else if (before < 3) {
        sold.store(before + 1);
      }
      call.returns(before < 3 ? std::optional(before + 1) : std::nullopt);
    });
  run.join_all();
}

}  // namespace

TEST_CASE("example: a cache that finds and reads in two critical sections serves what is foreign") {
  const kvrace::result found = kvrace::prove({}, program<false>);
  INFO(found);
  REQUIRE(found.verdict == kvrace::verdict::violation);
  const kvrace::finding& wrong = found.findings.front();
  CHECK(wrong.oracle == "linearizability");
  CHECK(wrong.subject == "key 1");
  CHECK(wrong.message ==
        "get(1) -> 30 fits in no order of the calls: it could have returned only 10 or nothing; the calls before its return fit "
        "in the order put(1, 10)");
  CHECK(kvrace::replay({}, wrong.schedule, program<false>).verdict == kvrace::verdict::violation);
}

TEST_CASE("example: the repaired cache is linearizable in every execution") {
  const kvrace::result found = kvrace::prove({}, program<true>);
  INFO(found);
  CHECK(found.verdict == kvrace::verdict::proved);
}

TEST_CASE("example: a ticket is sold once") {
  CHECK(kvrace::testing::message(kvrace::prove({}, sell<false>)) ==
        "take() -> 3 fits in no order of the calls: it could have returned only nothing; the calls before its return fit in the "
        "order take() -> 3");
  CHECK(kvrace::prove({}, sell<true>).verdict == kvrace::verdict::proved);
}
