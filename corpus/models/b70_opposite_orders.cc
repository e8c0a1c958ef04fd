// B70, two locks in opposite orders.
// Unlinking an item takes the lock of the order and then that of its slab; the page mover holds the slab and takes the order.
#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

template <bool Repaired>
void body(run& run) {
  mutex order, slab;
  run.spawn("unlink", [&] {
    const lock_guard first(order);
    const lock_guard second(slab);
  });
  run.spawn("page mover", [&] {
    if constexpr (Repaired) {
      {
        const lock_guard collect(slab);
      }
      const lock_guard then(order);
    } else {
      const lock_guard first(slab);
      const lock_guard second(order);
    }
  });
  run.join_all();
}

}  // namespace

const bug b70{.id = "B70",
              .title = "two locks in opposite orders",
              .reports = "memcached 2918d09c9, Mooncake #2486",
              .oracle = "deadlock",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus
