// What requests add to the metrics of a run.
#pragma once

#include <cstddef>
#include <cstdint>

#include <kvrace/cache/prompt.h>
#include <kvrace/cache/simulation.h>
#include <kvrace/run.h>

#include "cache_model/oracle.h"

namespace kvrace::cache {

inline void add(run& run, metric which, std::uint64_t amount) { run.add(static_cast<std::size_t>(which), amount); }

inline void count_query(run& run, const prompt& prompt) {
  add(run, metric::tokens_queried, prompt.tokens.size());
  if (!prompt.input) return;
  add(run, metric::inputs, 1);
  add(run, metric::inputs_triggering, prompt.input->triggers != 0 ? 1 : 0);
  add(run, metric::triggers, prompt.input->triggers);
  add(run, metric::characters_replaced, prompt.input->replaced);
  add(run, metric::clusters_cut, prompt.input->clusters_cut);
}

inline void complete(run& run, const judged_request& request) {
  add(run, metric::requests_completed, 1);
  if (request.polluted) add(run, metric::requests_polluted, 1);
  for (std::size_t way = 0; way < pollution_ways; ++way)
    if (request.polluted_by[way]) run.add(static_cast<std::size_t>(metric::polluted_by) + way, 1);
  if (request.stale) add(run, metric::requests_stale, 1);
}

inline bool reserved_any(const judged_request& request) {
  for (const judged_request::slot& each : request.slots)
    if (each.what == judged_request::slot::kind::reserved) return true;
  return false;
}

}  // namespace kvrace::cache
