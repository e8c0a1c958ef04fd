// B03, touch one group, allocate, touch the next.
// A request hits a block in each of two groups and needs a fresh one for each. It pins and allocates group by group, so that
// the allocation for the first group takes the hit of the second, which is not pinned yet: one block is prefix and destination
// at once.
#include <algorithm>
#include <array>
#include <vector>

#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

template <bool Repaired>
void body(run& run) {
  std::array<bool, 3> pinned{};  // blocks 0 and 1 are hits, 2 is free
  std::vector<int> evictable{1, 0, 2};
  std::vector<int> table;
  const auto touch = [&](int block) {
    pinned[static_cast<std::size_t>(block)] = true;
    table.push_back(block);
  };
  const auto allocate = [&] {
    for (const int block : evictable)
      if (!pinned[static_cast<std::size_t>(block)]) return touch(block);
  };
  touch(0);
  if (Repaired) touch(1);
  allocate();
  if (!Repaired) touch(1);
  std::sort(table.begin(), table.end());
  hold(run, std::adjacent_find(table.begin(), table.end()) == table.end(), "pollution",
       "a block is in a request's table twice, as a hit and to be filled");
}

}  // namespace

const bug b03{.id = "B03",
              .title = "touch one group, allocate, touch the next",
              .reports = "vllm #33775",
              .oracle = "pollution",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
