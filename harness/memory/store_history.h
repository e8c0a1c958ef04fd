// The values that loads may return under memory_model::rc11 beside the newest: the last stores to each atomic.
//
// Every run is an execution that RC11 allows, since only reads-before edges go against the order of execution, and a load may
// read an older store only where these close no cycle:
//  - coherence: no later store to the object, nor a read of one, happens before the load;
//  - sequential consistency, by which the edges between sequentially consistent operations must agree with the order of
//  execution:
//    neither a later store that is seq_cst, if the load is or follows a seq_cst fence that follows it; nor one that happens
//    before (or is read by what happens before) a seq_cst fence, if the load is seq_cst or follows a later such fence.
// Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing Sequential Consistency in C/C++11, PLDI 2017. "Follows" is happens-before.
//
// Not every execution that RC11 allows is a run: modification order is the order of execution, a read-modify-write reads the
// newest store, a load never reads a store that comes later (no load buffering), and histories are bounded.
#pragma once

#include <cstddef>

namespace kvrace::detail {

inline constexpr std::size_t stores_kept = 8;  // per atomic, the newest included

// A seq_cst fence of the current task, before its clock moves on.
void fence_in_total_order();

}  // namespace kvrace::detail
