#include "proof/graph_proof.h"

#include <algorithm>

namespace kvrace::detail {

graph_proof::step graph_proof::next(execution& execution, const program& tested, execution::settings settings) {
  if (begun_ && !explorer_.next()) return step::explored;
  begun_ = true;
  settings.graph = &run_;
  const run_end end = execution.run(tested, settings);
  switch (end) {
    case run_end::complete:
      if (execution.failure()) return step::violation;
      ++complete_;
      return step::complete;
    case run_end::violation: return step::violation;
    case run_end::unsound: return step::unsound;
    case run_end::blocked: ++blocked_; return step::blocked;
    case run_end::cut: break;
  }
  switch (run_.why()) {
    case graph_run::ending::none: return step::cut;
    case graph_run::ending::refused: return step::refused;
    case graph_run::ending::inconsistent: ++inconsistent_; return step::inconsistent;
    case graph_run::ending::restart: break;
  }
  explorer_.restart();
  begun_ = false;
  complete_ = blocked_ = inconsistent_ = 0;
  return step::restart;
}

void graph_proof::again(execution& execution, const program& tested, execution::settings settings) {
  settings.graph = &run_;
  run_.set_repeating(true);
  (void)execution.run(tested, settings);
  run_.set_repeating(false);
}

std::optional<linear_order> graph_proof::order() {
  execution_graph& g = explorer_.graph();
  if (!explorer_.rules().make_total(g)) return std::nullopt;
  linear_order made;
  std::array<unsigned, lanes_max> done{};
  const auto ready = [&](unsigned lane) {
    if (done[lane] == g.length(lane)) return false;
    const event& e = g[g.at(lane, done[lane])];
    for (unsigned other = 0; other < lanes_max; ++other)
      if (other != lane && e.total.at[other] > done[other]) return false;
    return !e.pending;
  };
  for (unsigned lane = 0;;) {
    if (!ready(lane)) {
      lane = 0;
      while (lane < lanes_max && !ready(lane)) ++lane;
      if (lane == lanes_max) return made;
    }
    const event& e = g[g.at(lane, done[lane]++)];
    const unsigned slot = run_.slot_of(lane);
    // Of who is notified, an interleaving asks where several wait only. Whether a wait times out is told by its step.
    if (e.kind == event_kind::choice && (e.order != internal_choice || e.location > 1)) made.outcomes[slot].push_back(e.value);
    if (run_.is_step(e)) made.slots.push_back(slot);
  }
}

state_key graph_proof::key() {
  execution_graph& g = explorer_.graph();
  const auto name = [&](place at) -> std::uint64_t { return at == no_place ? no_place : g[at].lane * 256U + g[at].index; };
  state_key sum{};  // commutative over events and locations
  const auto add = [&sum](const state_key& one) {
    sum.low += one.low;
    sum.high += one.high;
  };
  for (unsigned at = 0; at < g.size(); ++at) {
    const event& e = g[at];
    const std::uint64_t location = reads(e) || writes(e) ? run_.identity(e.location) : 0;
    state_key one = mix({name(static_cast<place>(at)), static_cast<std::uint64_t>(e.kind) << 32U | location}, 1);
    if (reads(e)) one = mix(one, name(e.source));
    if (writes(e)) one = mix(one, e.mo == 0 ? no_place : name(g.on(e.location).writes[e.mo - 1U]));
    if (e.kind == event_kind::choice) one = mix(one, e.value);
    add(one);
  }
  return sum;
}

}  // namespace kvrace::detail
