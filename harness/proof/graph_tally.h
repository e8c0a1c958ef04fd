// What some executions of an exploration came to. Sums only, so that it does not matter who executed what.
#pragma once

#include <algorithm>
#include <cstdint>

#include "proof/graph_digest.h"

namespace kvrace::detail {

struct graph_tally {
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  std::uint64_t complete = 0;
  std::uint64_t blocked = 0;
  std::uint64_t inconsistent = 0;
  std::uint64_t judged = 0;    // complete ones that were also made as an interleaving
  std::uint64_t unjudged = 0;  // complete ones of a program with audits for which there is none
  std::uint64_t undecided = 0;
  std::uint64_t tasks_max = 0;
  state_key digest;             // of the complete graphs
  bool waited_in_loop = false;  // some task was taken to
  bool calls_ordered_causally = false;

  void add(const graph_tally& other) {
    executions += other.executions;
    steps += other.steps;
    complete += other.complete;
    blocked += other.blocked;
    inconsistent += other.inconsistent;
    judged += other.judged;
    unjudged += other.unjudged;
    undecided += other.undecided;
    tasks_max = std::max(tasks_max, other.tasks_max);
    detail::add(digest, other.digest);
    waited_in_loop |= other.waited_in_loop;
    calls_ordered_causally |= other.calls_ordered_causally;
  }
};

}  // namespace kvrace::detail
