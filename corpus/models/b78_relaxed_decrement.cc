// B78, reference count decremented with too weak an order.
// Whoever drops the last reference frees the object, and must know of what others did to it before they dropped theirs; a
// relaxed decrement tells nothing.
#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

template <bool Repaired>
void body(run& run) {
  atomic<int> references{2};
  var<int> content{0};
  const auto drop = [&] {
    if (references.fetch_sub(1, Repaired ? std::memory_order_release : std::memory_order_relaxed) != 1) return;
    if (Repaired) kvrace::atomic_thread_fence(std::memory_order_acquire);
    content = -1;  // freed
  };
  run.spawn("writer", [&] {
    content = 1;
    drop();
  });
  run.spawn("other", [&] { drop(); });
  run.join_all();
}

}  // namespace

const bug b78{.id = "B78",
              .title = "reference count decremented with too weak an order",
              .reports = "openssl #25660, rocm-systems #1388, dxvk #5751",
              .oracle = "data_race",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
