// B02, hit found but not pinned.
// A lookup finds a cached block that nobody refers to, and pins it in a second critical section. In between an allocation takes
// the block, which is evictable, and fills it for another prefix.
#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

struct block {
  mutex lock;
  char key = 'A';  // guarded by lock, as the rest
  char content = 'A';
  int references = 0;
};

template <bool Repaired>
void body(run& run) {
  block block;
  run.spawn("reader", [&] {
    bool hit = false;
    {
      const lock_guard guard(block.lock);
      hit = block.key == 'A';
      if (hit && Repaired) ++block.references;
    }
    if (!hit) return;
    const lock_guard guard(block.lock);
    if (!Repaired) ++block.references;
    hold(run, block.content == 'A', "pollution", "a request reads what was filled for another prefix");
  });
  run.spawn("writer", [&] {
    const lock_guard guard(block.lock);
    if (block.references == 0) block.key = block.content = 'B';
  });
  run.join_all();
}

}  // namespace

const bug b02{.id = "B02",
              .title = "hit found but not pinned",
              .reports = "vllm #39702, omlx #3087, LMCache #4133",
              .oracle = "pollution",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
