// B47, value read from a recycled node after unlock.
// A lookup finds the node under the lock and loads its value after it was given back. Meanwhile the node was used again for
// another key.
#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

struct cache {
  mutex lock;
  char key = 'a';  // of the one node; guarded by lock
  atomic<char> value{'a'};
};

template <bool Repaired>
void body(run& run) {
  cache cache;
  run.spawn("reader", [&] {
    unique_lock guard(cache.lock);
    if (cache.key != 'a') return;
    if (!Repaired) guard.unlock();
    hold(run, cache.value.load() == 'a', "pollution", "a lookup returns the value of another key");
  });
  run.spawn("writer", [&] {
    const lock_guard guard(cache.lock);
    cache.key = 'b';
    cache.value.store('b');
  });
  run.join_all();
}

}  // namespace

const bug b47{.id = "B47",
              .title = "value read from a recycled node after unlock",
              .reports = "dcrd #2464, lazylru #29",
              .oracle = "pollution",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
