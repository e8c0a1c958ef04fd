#include "proof/graph_proof.h"

#include <algorithm>
#include <span>
#include <utility>

#include "proof/graph_bytes.h"

namespace kvrace::detail {

graph_proof::step graph_proof::next(execution& execution, const program& tested, const execution::settings& settings) {
  if (begun_ && !explorer_.next()) return step::explored;
  run_.set_first(!begun_);
  begun_ = true;
  return execute(execution, tested, settings);
}

graph_proof::step graph_proof::execute(execution& execution, const program& tested, execution::settings settings) {
  const std::span<std::uint64_t> metrics = std::exchange(settings.metrics, {});
  settings.graph = &run_;
  const run_end end = run(execution, tested, settings, metrics_of_graph_, metrics.size());
  const bool failed = execution.failure().has_value();
  const auto count = [metrics](const std::vector<std::uint64_t>& of) {
    for (std::size_t i = 0; i < metrics.size(); ++i) metrics[i] += of[i];
  };
  judged_ = judgement::none;
  if (end == run_end::complete && !failed && execution.asks_interleaving()) {
    if (const auto came = judge(execution, tested, settings, metrics.size())) {
      judged_ = judgement::made;
      count(metrics_of_order_);
      return *came;
    }
    judged_ = judgement::impossible;
  }
  count(metrics_of_graph_);
  switch (end) {
    case run_end::complete: return failed ? step::violation : step::complete;
    case run_end::violation: return step::violation;
    case run_end::unsound: return step::unsound;
    case run_end::blocked: return step::blocked;
    case run_end::cut: break;
  }
  switch (run_.why()) {
    case graph_run::ending::none: return step::cut;
    case graph_run::ending::refused: return step::refused;
    case graph_run::ending::inconsistent: return step::inconsistent;
    case graph_run::ending::restart: break;
  }
  return step::restart;
}

void graph_proof::restart() {
  explorer_.restart();
  begun_ = false;
}

void graph_proof::load(std::string_view item) {
  explorer_.load(item, locations_);
  begun_ = true;
}

void graph_proof::drop() {
  explorer_.drop();
  begun_ = true;
}

graph_proof::step graph_proof::execute_saved(std::string_view item, execution& execution, const program& tested,
                                             const execution::settings& settings) {
  load(item);
  run_.set_first(false);
  return execute(execution, tested, settings);
}

void graph_proof::save_knowledge(byte_writer& to) const {
  to.put(explorer_.rules().sequential_seen());
  run_.save_knowledge(to);
}

void graph_proof::load_knowledge(byte_reader& from) {
  if (from.get<bool>()) (void)explorer_.rules().sees(sequential);
  run_.load_knowledge(from);
}

void graph_proof::again(execution& execution, const program& tested, execution::settings settings) {
  settings.graph = &run_;
  run_.set_repeating(true);
  (void)execution.run(tested, settings);
  run_.set_repeating(false);
}

run_end graph_proof::run(execution& execution, const program& tested, execution::settings settings,
                         std::vector<std::uint64_t>& metrics, std::size_t size) {
  metrics.assign(size, 0);
  settings.metrics = metrics;
  return execution.run(tested, settings);
}

// Executes the complete graph as an interleaving: audits are made at its quiescent points, and whatever keeps books judges.
// nullopt if no interleaving is like it.
std::optional<graph_proof::step> graph_proof::judge(execution& execution, const program& tested, execution::settings settings,
                                                    std::size_t metrics) {
  const linear_order* const order = this->order();
  if (order == nullptr) return std::nullopt;
  linear_strategy strategy(*order);
  const execution_view view(execution);
  (void)strategy.begin_run(0, view);
  settings.graph = nullptr;
  settings.strategy = &strategy;
  settings.repeated = true;
  switch (run(execution, tested, settings, metrics_of_order_, metrics)) {
    case run_end::complete:
    case run_end::violation: return execution.failure() ? step::violation : step::complete;
    case run_end::cut: return step::cut;
    case run_end::blocked:
    case run_end::unsound: break;
  }
  return std::nullopt;
}

const linear_order* graph_proof::order() {
  execution_graph& g = explorer_.graph();
  if (!explorer_.rules().make_total(g)) return nullptr;
  linear_order& made = order_;
  made.clear();
  run_.waited_in(made.waited_in);
  std::array<unsigned, lanes_max> done{};
  const auto ready = [&](unsigned lane) {
    if (done[lane] == g.length(lane)) return false;
    const event& e = g[g.at(lane, done[lane])];
    // Nothing comes between the parts of an update, nor between entering a condition variable and giving back its mutex.
    const unsigned further = e.kind != event_kind::update_read ? 0 : e.operation == graph_operation::enqueue ? 2 : 1;
    const event& last = g[g.at(lane, std::min(done[lane] + further, g.length(lane) - 1))];
    for (unsigned other = 0; other < lanes_max; ++other)
      if (other != lane && last.total.at[other] > done[other]) return false;
    return !e.pending;
  };
  for (unsigned lane = 0;;) {
    if (!ready(lane)) {
      lane = 0;
      while (lane < lanes_max && !ready(lane)) ++lane;
      if (lane == lanes_max) return &made;  // all, or as far as a blocked graph goes
    }
    const event& e = g[g.at(lane, done[lane]++)];
    const unsigned slot = run_.slot_of(lane);
    // Of who is notified, an interleaving asks where several wait only. Whether a wait times out is told by its step.
    if (e.kind == event_kind::choice && (e.order != internal_choice || e.location > 1)) made.outcomes[slot].push_back(e.value);
    if (run_.is_step(e)) made.slots.push_back(slot);
  }
}

}  // namespace kvrace::detail
