// B01, old hash still points at a recycled block.
// An eviction gives the block to the free list before it erases the block's entry from the index. Whoever takes the block in
// between writes its own key into it, and the eviction then erases the entry under the new key: the old one stays, and leads to
// foreign content.
#include <array>
#include <map>
#include <vector>

#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

struct pool {
  mutex lock;
  std::map<char, int> index;         // key to block; guarded by lock, as the rest
  std::array<char, 1> key{'A'};      // of each block
  std::vector<int> free;

  pool() { index['A'] = 0; }
  void fill(char with) {
    const lock_guard guard(lock);
    if (free.empty()) return;
    const int block = free.back();
    free.pop_back();
    key[static_cast<std::size_t>(block)] = with;
    index[with] = block;
  }
};

template <bool Repaired>
void body(run& run) {
  pool pool;
  run.spawn("evictor", [&] {
    if constexpr (Repaired) {
      const lock_guard guard(pool.lock);
      pool.index.erase(pool.key[0]);
      pool.free.push_back(0);
    } else {
      {
        const lock_guard guard(pool.lock);
        pool.free.push_back(0);
      }
      const lock_guard guard(pool.lock);
      pool.index.erase(pool.key[0]);
    }
  });
  run.spawn("request", [&] { pool.fill('B'); });
  run.join_all();
  for (const auto& [key, block] : pool.index)
    hold(run, pool.key[static_cast<std::size_t>(block)] == key, "ghost_entry", "an entry leads to a block of another key");
}

}  // namespace

const bug b01{.id = "B01",
              .title = "old hash still points at a recycled block",
              .reports = "MinivLLM #87, kvcached #362",
              .oracle = "ghost_entry",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
