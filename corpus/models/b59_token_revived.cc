// B59, re-inserted token revives an old entry.
// A lookup puts its token back if the count of invalidations has not changed since it began. Two invalidations have counted and
// not removed anything yet when it begins: one removes the token, the other finds nothing and returns, and the lookup puts back
// what that one was to remove.
#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

template <bool Repaired>
void body(run& run) {
  atomic<int> invalidations{0};
  mutex lock;
  bool token = true;  // while it is there, the old value is served; guarded by lock
  const auto invalidate = [&] {
    invalidations.fetch_add(1);
    const lock_guard guard(lock);
    token = false;
  };
  run.spawn("invalidator", [&] { invalidate(); });
  run.spawn("invalidator and reader", [&] {
    invalidate();
    const lock_guard guard(lock);
    hold(run, !token, "stale_read", "an old value is served after an invalidation of it has returned");
  });
  run.spawn("reader", [&] {
    const int before = invalidations.load();
    {
      const lock_guard guard(lock);
      if (!token) return;
    }
    const lock_guard guard(lock);
    if (!Repaired && invalidations.load() == before) token = true;
  });
  run.join_all();
}

}  // namespace

const bug b59{.id = "B59",
              .title = "re-inserted token revives an old entry",
              .reports = "trino #22285",
              .oracle = "stale_read",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
