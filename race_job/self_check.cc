// Compiled as the cache is: what is planted here is found because of the instrumentation, or not at all.
#include "race_job/self_check.h"

#include <atomic>
#include <memory>
#include <utility>

#include <kvrace/sync.h>

#include "scenarios/loader.h"

namespace kvrace::race_job {

namespace {

// Of the run's memory, as what a cache consists of.
template <class T>
T* fresh(T value) {
  return new (kvrace::allocator<T>().allocate(1)) T(value);
}

question sampled(std::string name, kvrace::program program) {
  return {.name = std::move(name),
          .program = std::move(program),
          .options = {.runs = 20},
          .flawed = false,
          .only_instrumentation = false};
}

void unlocked_counter(kvrace::run& run) {
  long* counter = fresh(0L);
  for (const char* name : {"a", "b"}) run.spawn(name, [counter] { ++*counter; });
  run.join_all();
}

void locked_counter(kvrace::run& run) {
  long* counter = fresh(0L);
  sync::mutex mutex;
  for (const char* name : {"a", "b"}) {
    run.spawn(name, [counter, &mutex] {
      const sync::lock_guard<sync::mutex> lock(mutex);
      ++*counter;
    });
  }
  run.join_all();
  ++*counter;
}

// The flag is waited for, so that every run has both accesses.
void passed_message(kvrace::run& run, std::memory_order store, std::memory_order load, bool fences) {
  long* message = fresh(0L);
  sync::atomic<bool> ready(false);
  run.spawn("writer", [=, &ready] {
    *message = 1;
    if (fences) sync::atomic_thread_fence(std::memory_order_release);
    ready.store(true, store);
  });
  run.spawn("reader", [=, &ready] {
    while (!ready.load(load)) sync::yield();
    if (fences) sync::atomic_thread_fence(std::memory_order_acquire);
    if (*message != 1) std::abort();
  });
  run.join_all();
}

void shared_then_exclusive(kvrace::run& run, bool exclusive) {
  long* counter = fresh(0L);
  sync::shared_mutex mutex;
  for (const char* name : {"a", "b"}) {
    run.spawn(name, [=, &mutex] {
      {
        const sync::shared_lock<sync::shared_mutex> lock(mutex);
        if (!exclusive) ++*counter;
      }
      if (!exclusive) return;
      const sync::lock_guard<sync::shared_mutex> lock(mutex);
      ++*counter;
    });
  }
  run.join_all();
}

// The same memory for another object: not the same object.
void recycled_memory(kvrace::run& run) {
  sync::mutex mutex;
  for (const char* name : {"a", "b"}) {
    run.spawn(name, [&mutex] {
      for (int i = 0; i < 3; ++i) {
        long* own = fresh(0L);
        sync::yield();
        ++*own;
        kvrace::allocator<long>().deallocate(own, 1);
      }
      const sync::lock_guard<sync::mutex> lock(mutex);
    });
  }
  run.join_all();
}

void used_after_free(kvrace::run& run) {
  long* value = fresh(0L);
  sync::mutex mutex;
  run.spawn("a", [&] {
    const sync::lock_guard<sync::mutex> lock(mutex);
    kvrace::allocator<long>().deallocate(value, 1);
    *const_cast<volatile long*>(value) = 1;
  });
  run.join_all();
}

void beyond_the_end(kvrace::run& run) {
  auto* values = kvrace::allocator<long>().allocate(4);
  run.spawn("a", [values] {
    volatile long* const unchecked = values;
    unchecked[4] = 1;
  });
  run.join_all();
}

void within_bounds(kvrace::run& run) {
  for (const char* name : {"a", "b"}) {
    run.spawn(name, [] {
      auto* values = kvrace::allocator<long>().allocate(5);
      for (int i = 0; i < 5; ++i) values[i] = i;
      sync::yield();
      kvrace::allocator<long>().deallocate(values, 5);
      values = kvrace::allocator<long>().allocate(5);
      values[4] = 4;
      kvrace::allocator<long>().deallocate(values, 5);
    });
  }
  run.join_all();
}

question unchecked_counter() {
  const auto scenario = std::get<scenarios::scenario>(scenarios::find_scenario("90_unchecked_counter_mutex"));
  constexpr std::uint64_t runs = 100;
  constexpr std::uint64_t seed = 1;
  return ask(scenario, &runs, &seed);
}

}  // namespace

std::vector<planted> self_checks() {
  const auto message = [](std::memory_order store, std::memory_order load, bool fences) {
    return [=](kvrace::run& run) { passed_message(run, store, load, fences); };
  };
  const auto relaxed = std::memory_order_relaxed;
  using enum planted::how_often;
  return {
      {sampled("plain counter without a lock", unlocked_counter), "thread", always},
      {sampled("plain counter under a lock", locked_counter), "thread", never},
      {sampled("message behind a relaxed flag", message(relaxed, relaxed, false)), "thread", always},
      {sampled("message behind a release-acquire flag", message(std::memory_order_release, std::memory_order_acquire, false)),
       "thread", never},
      {sampled("message behind a relaxed flag and fences", message(relaxed, relaxed, true)), "thread", never},
      {sampled("plain counter under a shared lock", [](kvrace::run& run) { shared_then_exclusive(run, false); }), "thread",
       always},
      {sampled("plain counter under the exclusive lock", [](kvrace::run& run) { shared_then_exclusive(run, true); }), "thread",
       never},
      // The cache itself is compiled as these are.
      {unchecked_counter(), "thread", sometimes},
      {sampled("memory that changes hands", recycled_memory), "thread", never},
      {sampled("write to freed memory", used_after_free), "address", always},
      {sampled("write beyond the end", beyond_the_end), "address", always},
      {sampled("memory that is used well", within_bounds), "address", never},
  };
}

}  // namespace kvrace::race_job
