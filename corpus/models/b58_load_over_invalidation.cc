// B58, in-flight load overwrites an invalidation.
// A load reads the source; the source is changed and the cache invalidated, where nothing is yet; the load then enters the old
// value, which stays.
#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

struct cache {
  mutex lock;
  int version = 0;  // guarded by lock, as the rest
  int value = 0;    // 0: none
};

template <bool Repaired>
void body(run& run) {
  cache cache;
  atomic<int> source{1};
  run.spawn("loader", [&] {
    int version = 0;
    {
      const lock_guard guard(cache.lock);
      version = cache.version;
    }
    const int loaded = source.load();
    const lock_guard guard(cache.lock);
    if (!Repaired || version == cache.version) cache.value = loaded;
  });
  run.spawn("writer", [&] {
    source.store(2);
    const lock_guard guard(cache.lock);
    ++cache.version;
    cache.value = 0;
  });
  run.join_all();
  hold(run, cache.value != 1, "stale_read", "an old value is there after its invalidation has returned");
}

}  // namespace

const bug b58{.id = "B58",
              .title = "in-flight load overwrites an invalidation",
              .reports = "guava #1881, trino #10512, caffeine #193",
              .oracle = "stale_read",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
