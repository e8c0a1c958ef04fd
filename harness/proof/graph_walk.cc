#include "proof/graph_walk.h"

#include <algorithm>

#include "runtime/recorder.h"

namespace kvrace::detail {

graph_walk::step graph_walk::count(step came, graph_account& account) {
  if (came == step::explored || came == step::refused || came == step::cut || came == step::restart) return came;
  graph_tally& tally = account.tally;
  const run_summary summary = execution_.summary();
  ++tally.executions;
  tally.steps += summary.steps;
  tally.tasks_max = std::max<std::uint64_t>(tally.tasks_max, summary.tasks);
  tally.blocked += came == step::blocked ? 1 : 0;
  tally.inconsistent += came == step::inconsistent ? 1 : 0;
  tally.judged += proof_.judged() == graph_proof::judgement::made ? 1 : 0;
  tally.unjudged += proof_.judged() == graph_proof::judgement::impossible ? 1 : 0;
  tally.undecided += state.history_undecided ? 1 : 0;
  tally.waited_in_loop |= proof_.waited_in_loop();
  tally.calls_ordered_causally |= state.histories_causal;
  if (came != step::complete) return came;
  ++tally.complete;
  const state_key key = proof_.key();
  add(tally.digest, key);
  account.sample.insert(key.low);
  return came;
}

void graph_walk::again(recorder& record, std::span<std::uint64_t> metrics) {
  execution::settings chosen = settings(metrics, nullptr);
  chosen.record = &record;
  chosen.stop_at_violation = true;
  chosen.repeated = true;
  proof_.again(execution_, tested_, chosen);
}

}  // namespace kvrace::detail
