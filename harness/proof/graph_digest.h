// Execution graphs as numbers, without addresses and without the order in which their events were added.
#pragma once

#include <cstdint>

#include "proof/execution_graph.h"
#include "proof/graph_run.h"
#include "proof/state_table.h"

namespace kvrace::detail {

// A hash over the events of each lane: what the program called on which object, what a read reads from, what a write follows in
// the modification order and, where it fits into 32 bits as no address does, the value it wrote. Equal for equal graphs.
[[nodiscard]] state_key key_of(const execution_graph& graph, const graph_run& run);

// A sum over graphs, in which their order does not matter.
inline void add(state_key& sum, const state_key& one) {
  sum.low += one.low;
  sum.high += one.high + (sum.low < one.low ? 1 : 0);
}

}  // namespace kvrace::detail
