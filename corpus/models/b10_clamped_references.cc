// B10, reference count clamped to zero, then freed again.
// A release that finds the count at zero sets it to zero again and goes on to free the block: each extra release puts the same
// block into the free list once more, and two requests are given it.
#include <algorithm>
#include <vector>

#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

struct pool {
  mutex lock;
  int references = 1;  // guarded by lock, as the rest
  std::vector<int> free;

  template <bool Repaired>
  void release() {
    const lock_guard guard(lock);
    if (Repaired && references == 0) return;  // and told to whoever asked
    references = std::max(references - 1, 0);
    if (references == 0) free.push_back(0);
  }
};

template <bool Repaired>
void body(run& run) {
  pool pool;
  for (int i = 0; i < 2; ++i) run.spawn("releaser", [&] { pool.release<Repaired>(); });
  run.join_all();
  hold(run, pool.free.size() == 1, "double_free", "a block is in the free list twice");
}

}  // namespace

const bug b10{.id = "B10",
              .title = "reference count clamped to zero, then freed again",
              .reports = "LMCache #5005, #987",
              .oracle = "double_free",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
