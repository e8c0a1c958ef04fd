// shared_ptr and atomic<shared_ptr<T>>.
#include <set>
#include <utility>

#include <kvrace/kvrace.h>

#include "test_support.h"

using namespace kvrace::testing;
using kvrace::atomic;
using kvrace::var;

namespace {

struct page {
  explicit page(int with) : value(with) {}
  var<int> value;
};
using page_pointer = kvrace::shared_ptr<page>;

}  // namespace

TEST_CASE("the last of two owners destroys, in every execution graph") {
  const kvrace::result found = kvrace::prove({.memory_model = kvrace::memory_model::rc11}, [](kvrace::run& run) {
    auto first = kvrace::make_shared<kvrace::var<int>>(7);
    auto second = first;
    const auto use = [&run](kvrace::shared_ptr<kvrace::var<int>>& owner) {
      run.require(*owner == 7, "the object is there");
      owner.reset();
    };
    both(run, [&] { use(first); }, [&] { use(second); });
  });
  INFO(found);
  CHECK(found.verdict == kvrace::verdict::proved);
  CHECK(found.counts.executions_distinct == 2);
}

TEST_CASE("the last owner destroys the object, after all that the others did with it") {
  CHECK(outcome(explore([](kvrace::run& run) {
          auto shared = kvrace::make_shared<page>(7);
          const auto task = [&run, own = shared] { run.require(own->value == 7, "the value"); };
          run.spawn("first", task);
          run.spawn("second", task);
          shared.reset();
          run.join_all();
        })) == "PROVED");
}

TEST_CASE("a shared object that is never dropped leaks") {
  CHECK(outcome(run_once([](kvrace::run&) {
          new (kvrace::allocator<page_pointer>().allocate(1)) page_pointer(kvrace::make_shared<page>(1));
        })) == "leak");
}

TEST_CASE("readers of an atomic shared pointer keep what they have read while it is replaced") {
  std::set<int> seen;
  const kvrace::result found = kvrace::prove({}, [&](kvrace::run& run) {
    atomic<page_pointer> current(kvrace::make_shared<page>(1));
    for (int i = 0; i < 2; ++i)
      run.spawn("reader", [&] {
        const page_pointer mine = current.load(std::memory_order_acquire);
        seen.insert(mine->value);
      });
    run.spawn("writer", [&] { current.store(kvrace::make_shared<page>(2), std::memory_order_release); });
    run.join_all();
  });
  INFO(found);
  CHECK(found.verdict == kvrace::verdict::proved);
  CHECK(seen == std::set<int>{1, 2});
}

TEST_CASE("what is published relaxed through an atomic shared pointer races") {
  CHECK(outcome(explore([](kvrace::run& run) {
          atomic<page_pointer> current;
          both(
              run, [&] { current.store(kvrace::make_shared<page>(2), std::memory_order_relaxed); },
              [&] {
                if (const page_pointer mine = current.load(std::memory_order_relaxed)) (void)mine->value.load();
              });
        })) == "data_race");
}

TEST_CASE("of two that replace the same pointer one succeeds, and the other sees by what") {
  CHECK(outcome(explore([](kvrace::run& run) {
          atomic<page_pointer> current;
          atomic<int> won(0);
          const auto task = [&] {
            page_pointer expected;
            if (current.compare_exchange_strong(expected, kvrace::make_shared<page>(static_cast<int>(kvrace::run::task()))))
              won.fetch_add(1);
            else
              run.require(expected != nullptr && expected->value != static_cast<int>(kvrace::run::task()), "the other's");
          };
          both(run, task, task);
          run.require(won.load() == 1 && current.exchange(nullptr).use_count() == 1, "one");
        })) == "PROVED");
}
