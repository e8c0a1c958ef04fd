// B81, partial tail block shared with a second writer.
// A match inside a block hands the donor's own block to the requester, which goes on writing behind the match. So does the
// donor.
#include <array>

#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

struct blocks {
  mutex lock;
  std::array<std::array<int, 3>, 2> slot{};  // who wrote it; guarded by lock
};

template <bool Repaired>
void body(run& run) {
  blocks blocks;
  blocks.slot[0] = {1, 1, 0};  // two slots of the donor's block are filled, and published
  const auto decode = [&](int request, std::size_t block) {
    {
      const lock_guard guard(blocks.lock);
      blocks.slot[block][2] = request;
    }
    const lock_guard guard(blocks.lock);
    hold(run, blocks.slot[block][2] == request, "pollution", "a request reads what another wrote behind the shared part");
  };
  run.spawn("donor", [&] { decode(1, 0); });
  run.spawn("requester", [&] {
    if (Repaired) {
      const lock_guard guard(blocks.lock);
      blocks.slot[1] = blocks.slot[0];
    }
    decode(2, Repaired ? 1 : 0);
  });
  run.join_all();
}

}  // namespace

const bug b81{.id = "B81",
              .title = "partial tail block shared with a second writer",
              .reports = "atlas #1193",
              .oracle = "pollution",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
