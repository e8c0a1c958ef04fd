// B62, waiter removed before the write.
// A caller locks the key, computes from the value it finds, and gives the lock back before it writes: the next one computes
// from the same value.
#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

struct cache {
  mutex waiter;
  mutex lock;
  int value = 0;  // guarded by lock
};

template <bool Repaired>
void body(run& run) {
  cache cache;
  for (int i = 0; i < 2; ++i)
    run.spawn("incrementer", [&] {
      unique_lock alone(cache.waiter);
      int found = 0;
      {
        const lock_guard guard(cache.lock);
        found = cache.value;
      }
      if (!Repaired) alone.unlock();
      const lock_guard guard(cache.lock);
      cache.value = found + 1;
    });
  run.join_all();
  hold(run, cache.value == 2, "lost_update", "of two increments one is lost");
}

}  // namespace

const bug b62{.id = "B62",
              .title = "waiter removed before the write",
              .reports = "moka #574, #195, qlever #3083",
              .oracle = "lost_update",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
