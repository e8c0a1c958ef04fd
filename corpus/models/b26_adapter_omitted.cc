// B26, adapter identity missing from the key.
// The key holds the tokens and not the adapter, though the content depends on both.
#include <vector>

#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

struct key {
  int tokens;
  int adapter;
};

template <bool Repaired>
bool equal(const key& a, const key& b) {
  return a.tokens == b.tokens && (!Repaired || a.adapter == b.adapter);
}

template <bool Repaired>
void body(run& run) {
  mutex lock;
  std::vector<key> cached;  // guarded by lock
  for (const int adapter : {1, 2})
    run.spawn("request", [&, adapter] {
      const key mine{7, adapter};
      const lock_guard guard(lock);
      for (const key& each : cached)
        hold(run, !equal<Repaired>(each, mine) || each.adapter == adapter, "pollution",
             "a request is served what another adapter computed");
      cached.push_back(mine);
    });
  run.join_all();
}

}  // namespace

const bug b26{.id = "B26",
              .title = "adapter identity missing from the key",
              .reports = "vllm #3264, #8240, #44250, LMCache #2961",
              .oracle = "pollution",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
