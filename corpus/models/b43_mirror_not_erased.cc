// B43, queue mirror not erased: a removed key comes back.
// Removing a key erases it and the task to write it out, but not the copy of the task that a client has already. The client
// reports success, and the key is entered again.
#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

struct master {
  mutex lock;
  bool known = true;    // the key; guarded by lock, as the rest
  bool task = true;     // that the client is to write it
  bool removed = false;
};

template <bool Repaired>
void body(run& run) {
  master master;
  run.spawn("client", [&] {
    bool mine = false;
    {
      const lock_guard guard(master.lock);
      mine = master.task;
    }
    if (!mine) return;
    const lock_guard guard(master.lock);
    if (!Repaired || master.task) master.known = true;
  });
  run.spawn("remover", [&] {
    const lock_guard guard(master.lock);
    master.known = master.task = false;
    master.removed = true;
  });
  run.join_all();
  hold(run, !master.known, "stale_read", "a key is there again after its removal has returned");
}

}  // namespace

const bug b43{.id = "B43",
              .title = "queue mirror not erased: a removed key comes back",
              .reports = "Mooncake #3160",
              .oracle = "stale_read",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
