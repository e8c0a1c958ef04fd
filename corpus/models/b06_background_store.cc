// B06, background store reads a block after preemption.
// A store job is queued with a block, and a thread copies the block later. The request is preempted, its block freed and filled
// for another, and the job stores these bytes under the first key, for every node to read.
#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

struct scheduler {
  mutex lock;
  char content = 'A';  // of the one block; guarded by lock, as the rest
  bool queued = false;
  int references = 0;
};

template <bool Repaired>
void body(run& run) {
  scheduler scheduler;
  run.spawn("scheduler", [&] {
    {
      const lock_guard guard(scheduler.lock);
      scheduler.queued = true;  // store block under A
      if (Repaired) ++scheduler.references;
    }
    const lock_guard guard(scheduler.lock);
    if (scheduler.references == 0) scheduler.content = 'B';  // preempted, freed, filled for another
  });
  run.spawn("saver", [&] {
    const lock_guard guard(scheduler.lock);
    if (!scheduler.queued) return;
    hold(run, scheduler.content == 'A', "pollution", "foreign content is stored under a key");
    if (Repaired) --scheduler.references;
  });
  run.join_all();
}

}  // namespace

const bug b06{.id = "B06",
              .title = "background store reads a block after preemption",
              .reports = "vllm #52360",
              .oracle = "pollution",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
