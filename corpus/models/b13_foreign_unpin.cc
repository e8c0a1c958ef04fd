// B13, unpinned by what was looked up lately.
// Lookups append what they pin to one list, and the next retrieval unpins the list: a request's hit is unpinned by another
// request, and evicted before it is retrieved.
#include <map>
#include <vector>

#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

struct cache {
  mutex lock;
  std::map<int, bool> present{{1, true}, {2, true}};  // by key; guarded by lock, as the rest
  std::map<int, int> pins;
  std::vector<int> looked_up;
};

template <bool Repaired>
void body(run& run) {
  cache cache;
  for (const int key : {1, 2})
    run.spawn("request", [&, key] {
      {
        const lock_guard guard(cache.lock);
        if (!cache.present[key]) return;
        ++cache.pins[key];
        cache.looked_up.push_back(key);
      }
      const lock_guard guard(cache.lock);
      hold(run, cache.present[key], "promise", "what a lookup promised is gone");
      if (Repaired) {
        --cache.pins[key];
      } else {
        for (const int pinned : cache.looked_up) --cache.pins[pinned];
        cache.looked_up.clear();
      }
    });
  run.spawn("evictor", [&] {
    const lock_guard guard(cache.lock);
    for (auto& [key, present] : cache.present)
      if (cache.pins[key] == 0) present = false;
  });
  run.join_all();
}

}  // namespace

const bug b13{.id = "B13",
              .title = "unpinned by what was looked up lately",
              .reports = "LMCache #1075",
              .oracle = "promise",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
