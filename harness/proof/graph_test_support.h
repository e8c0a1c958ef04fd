// What the tests of proofs by execution graphs share.
#pragma once

#include <kvrace/kvrace.h>

namespace kvrace::testing {

inline result prove_graphs(memory_model model, const program& tested) {
  return prove({.memory_model = model, .engine = proof_engine::graphs, .count_distinct = true}, tested);
}

}  // namespace kvrace::testing
