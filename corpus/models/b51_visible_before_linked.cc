// B51, insert visible before it is linked.
// An insertion that keeps no handle makes its slot shareable, with no reference, before it links it into the chain. Another
// task finds the slot, drops it as the last user, and the slot that is linked then is empty.
#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

enum : int { empty, shareable, referenced };

template <bool Repaired>
void body(run& run) {
  atomic<int> slot{empty};
  atomic<bool> linked{false};
  run.spawn("inserter", [&] {
    slot.store(Repaired ? referenced : shareable);
    linked.store(true);
    if (Repaired) slot.store(shareable);
  });
  run.spawn("eraser", [&] {
    int found = shareable;
    if (slot.compare_exchange_strong(found, empty)) linked.store(false);
  });
  run.join_all();
  hold(run, !linked.load() || slot.load() != empty, "ghost_entry", "a chain holds an empty slot");
}

}  // namespace

const bug b51{.id = "B51",
              .title = "insert visible before it is linked",
              .reports = "rocksdb #12046",
              .oracle = "ghost_entry",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
