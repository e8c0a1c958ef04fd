// B46, LRU touch under a shared lock.
// A lookup takes the lock that readers share and moves the entry it finds to the front: two of them rewrite the links at once.
#include <array>

#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

template <bool Repaired>
void body(run& run) {
  shared_mutex lock;
  std::array<var<int>, 4> next;  // a list of entries 1 to 3; 0 is the head
  for (int i = 0; i < 4; ++i) next[static_cast<std::size_t>(i)] = (i + 1) % 4;
  const auto move_to_front = [&](int entry) {
    int before = 0;
    while (next[static_cast<std::size_t>(before)] != entry) before = next[static_cast<std::size_t>(before)];
    next[static_cast<std::size_t>(before)] = static_cast<int>(next[static_cast<std::size_t>(entry)]);
    next[static_cast<std::size_t>(entry)] = static_cast<int>(next[0]);
    next[0] = entry;
  };
  for (const int entry : {2, 3})
    run.spawn("reader", [&, entry] {
      if constexpr (Repaired) {
        const lock_guard guard(lock);
        move_to_front(entry);
      } else {
        const shared_lock guard(lock);
        move_to_front(entry);
      }
    });
  run.join_all();
}

}  // namespace

const bug b46{.id = "B46",
              .title = "LRU touch under a shared lock",
              .reports = "kubernetes #31081, go-ethereum #26164, hutool #1895",
              .oracle = "data_race",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
