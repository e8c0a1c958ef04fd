// B39, orphan node blocks eviction for ever.
// The map is changed at once, the order of eviction later, from a queue of records. The record of an entry that was evicted
// meanwhile puts a node into the order that no entry belongs to; the evictor looks at the front, does not find it in the map,
// and stops.
#include <vector>

#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

struct cache {
  mutex lock;
  bool in_map = true;  // the entry K; guarded by lock, as the rest
  std::vector<char> order{'K'};
  int records = 0;  // of writes of K
};

template <bool Repaired>
void drain(cache& cache) {
  const lock_guard guard(cache.lock);
  for (; cache.records > 0; --cache.records)
    if (cache.order.empty() && (!Repaired || cache.in_map)) cache.order.push_back('K');
}

template <bool Repaired>
void body(run& run) {
  cache cache;
  run.spawn("writer", [&] {
    const lock_guard guard(cache.lock);
    cache.in_map = true;
    ++cache.records;
  });
  run.spawn("housekeeper", [&] {
    drain<Repaired>(cache);
    {
      const lock_guard guard(cache.lock);
      cache.in_map = false;
      cache.order.clear();
    }
    drain<Repaired>(cache);
  });
  run.join_all();
  drain<Repaired>(cache);
  hold(run, cache.order.empty() || cache.in_map, "ghost_entry", "the eviction order holds a node without an entry");
}

}  // namespace

const bug b39{.id = "B39",
              .title = "orphan node blocks eviction for ever",
              .reports = "moka #590, #592, #599",
              .oracle = "ghost_entry",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
