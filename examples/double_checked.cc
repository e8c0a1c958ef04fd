// Double-checked initialisation that publishes its table by a relaxed store: whoever sees the pointer without taking the lock may
// see the table as it was before it was filled.
#include "tell.h"

namespace {

template <class Sync, bool Repaired>
class lazily_built {
 public:
  lazily_built() { Sync::name(table_.filled, "table"); }
  int value() {
    const table* built = built_.load(Repaired ? std::memory_order_acquire : std::memory_order_relaxed);
    if (built == nullptr) {
      const std::lock_guard<typename Sync::mutex> guard(mutex_);
      built = built_.load(std::memory_order_relaxed);
      if (built == nullptr) {
        table_.filled = 42;
        built = &table_;
        built_.store(&table_, Repaired ? std::memory_order_release : std::memory_order_relaxed);
      }
    }
    return built->filled;
  }

 private:
  struct table {
    typename Sync::template var<int> filled{0};
  };
  typename Sync::mutex mutex_;
  table table_;
  typename Sync::template atomic<const table*> built_{nullptr};
};

template <bool Repaired>
void two_first_users(kvrace::run& run) {
  lazily_built<kvrace::sync, Repaired> shared;
  for (int i = 0; i < 2; ++i) run.spawn("user", [&] { run.require(shared.value() == 42, "a table that is seen is filled"); });
  run.join_all();
}

}  // namespace

int main() {
  return kvrace::example::tell({.title = "double_checked",
                                .bug = "the pointer is published relaxed, so that the table may be seen unfilled",
                                .repair = "store with release, load with acquire",
                                .flawed = two_first_users<false>,
                                .repaired = two_first_users<true>,
                                .pinned = "rc11/1.1:2",
                                .memory_model = kvrace::memory_model::rc11});
}
