#include "proof/graph_search.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <absl/container/flat_hash_set.h>

#include "proof/graph_claim.h"
#include "proof/graph_proof.h"
#include "runtime/recorder.h"
#include "runtime/stopwatch.h"

namespace kvrace::detail {

namespace {

using step = graph_proof::step;

constexpr std::size_t trace_max = 4'000;
constexpr std::size_t ledger_max = 2'000;

graph_model model_of(memory_model model) {
  switch (model) {
    case memory_model::sc: return graph_model::sc;
    case memory_model::rc11: return graph_model::rc11;
    case memory_model::rc11_genmc: break;
  }
  return graph_model::rc11_genmc;
}

class graph_search {
 public:
  graph_search(const prove_options& options, const program& tested, execution& execution, const record_schedule& record)
      : options_(options),
        tested_(tested),
        execution_(execution),
        record_schedule_(record),
        proof_(model_of(options.memory_model)),
        metrics_(options.metrics.size()) {}

  result run() {
    started_s_ = monotonic_time_s();
    const bool explored = explore();
    search_counts& counts = found_.counts;
    counts.executions_distinct = proof_.complete();
    counts.blocked = proof_.blocked();
    counts.graphs_inconsistent = proof_.inconsistent();
    counts.graphs_judged = proof_.judged();
    counts.graphs_unjudged = proof_.unjudged();
    for (std::size_t i = 0; i < metrics_.size(); ++i) found_.metrics.emplace_back(options_.metrics[i], metrics_[i]);
    found_.memory_model = options_.memory_model;
    found_.strategy = std::string("execution graphs, ") + to_string(options_.memory_model);
    found_.refusal = proof_.refusal();
    found_.yields_bound = proof_.waited_in_loop() ? 3 : 0;
    if (found_.verdict == verdict::not_found)
      found_.verdict = explored && proof_.complete() != 0 && found_.counts.undecided == 0 ? verdict::proved : verdict::incomplete;
    found_.claim = claim_of_graphs(found_, options_.limits);
    found_.time_s = monotonic_time_s() - started_s_;
    return std::move(found_);
  }

 private:
  // True if every graph was explored.
  bool explore() {
    paced_check pace(options_.time_s > 0 ? std::min(0.1, options_.time_s / 20) : 0.1);
    const std::function<bool()> go_on = [&] { return !cut_ && (!pace.due() || progress()); };
    const execution::settings settings{
        .limits = options_.limits, .set_up = schedule::setting::search, .metrics = metrics_, .go_on = &go_on};
    for (std::uint64_t index = 0; (options_.runs == 0 || index < options_.runs) && go_on(); ++index) {
      const step came = proof_.next(execution_, tested_, settings);
      if (came == step::explored) return true;
      if (came == step::refused || came == step::cut) return false;
      tally(came);
      if (options_.observer != nullptr) observe(index);
      if (came != step::violation && came != step::unsound) continue;
      found_.verdict = came == step::violation ? verdict::violation : verdict::unsound;
      found_.counts.violations += came == step::violation ? 1 : 0;
      record(index);
      return false;
    }
    return false;
  }

  void tally(step came) {
    search_counts& counts = found_.counts;
    const run_summary summary = execution_.summary();
    ++counts.runs;
    counts.steps += summary.steps;
    counts.tasks_max = std::max<std::uint64_t>(counts.tasks_max, summary.tasks);
    counts.undecided += state.history_undecided ? 1 : 0;
    found_.calls_ordered_causally |= state.histories_causal;
    if (came == step::restart) {
      known_.clear();
      counts.graphs_duplicate = 0;
    }
    if (came == step::complete && options_.count_distinct && !known_.insert(proof_.key().low).second) ++counts.graphs_duplicate;
  }

  void observe(std::uint64_t index) {
    observed_run seen{index, execution_.summary(), std::nullopt, std::nullopt, schedule::setting::search, {}};
    if (const auto& failure = execution_.failure(); failure)
      seen.first = observed_violation{failure->oracle, failure->subject, failure->sites, failure->step};
    options_.observer->on_run(seen);
  }

  // False: the search is to end.
  bool progress() {
    const double elapsed_s = monotonic_time_s() - started_s_;
    if (options_.time_s > 0 && elapsed_s >= options_.time_s) {
      cut_ = true;
    } else if (options_.observer != nullptr) {
      search_progress now;
      now.runs = found_.counts.runs;
      now.runs_max = options_.runs;
      now.time_s = elapsed_s;
      now.time_s_max = options_.time_s;
      now.violations = found_.counts.violations;
      cut_ = found_.interrupted = !options_.observer->on_progress(now);
    }
    return !cut_;
  }

  void record(std::uint64_t index) {
    if (found_.verdict == verdict::violation && record_interleaving(index)) return;
    recorder record(trace_max, ledger_max);
    std::vector<std::uint64_t> scratch(metrics_.size());
    finding& made = found_.findings.emplace_back();
    if (found_.verdict == verdict::violation)
      proof_.again(execution_, tested_,
                   {.limits = options_.limits,
                    .record = &record,
                    .stop_at_violation = true,
                    .set_up = schedule::setting::search,
                    .metrics = scratch,
                    .repeated = true});
    made.run = index;
    made.schedule.set_up = schedule::setting::graph;
    for (unsigned id = 0; id < execution_.slots(); ++id) made.tasks.push_back(execution_.name_of_task(id));
    if (const auto& failure = execution_.failure(); failure) {
      made.oracle = failure->oracle;
      made.subject = failure->subject;
      made.message = failure->message;
      made.sites = failure->sites;
      made.step = failure->step;
    }
    record.hand_over(made);
  }

  // The graph of the violation as an interleaving, if it is one that fails: what audits and oracles say of it counts then.
  bool record_interleaving(std::uint64_t index) {
    const linear_order* const order = proof_.order();
    if (order == nullptr) return false;
    linear_strategy strategy(*order);
    const execution_view view(execution_);
    (void)strategy.begin_run(0, view);
    std::vector<std::uint64_t> scratch(metrics_.size());
    const run_end end = execution_.run(tested_, {.limits = options_.limits,
                                                 .strategy = &strategy,
                                                 .stop_at_violation = true,
                                                 .set_up = schedule::setting::search,
                                                 .metrics = scratch,
                                                 .repeated = true});
    bool reproduced = end != run_end::unsound && execution_.failure();
    if (!reproduced) return false;
    const std::string oracle = execution_.failure()->oracle;
    finding made = record_schedule_({schedule::setting::search, execution_.deviations()}, index, &reproduced);
    if (!reproduced || made.oracle != oracle) return false;
    found_.findings.push_back(std::move(made));
    return true;
  }

  const prove_options& options_;
  const program& tested_;
  execution& execution_;
  const record_schedule& record_schedule_;
  graph_proof proof_;
  std::vector<std::uint64_t> metrics_;
  result found_;
  absl::flat_hash_set<std::uint64_t> known_;  // only its size matters
  double started_s_ = 0;
  bool cut_ = false;
};

}  // namespace

bool by_graphs(const prove_options& options) {
  const bool sc = options.memory_model == memory_model::sc;
  if (options.engine == proof_engine::interleavings && !sc)
    throw std::invalid_argument("kvrace: interleavings are sequentially consistent: expected memory_model sc, or engine graphs");
  if (options.engine != proof_engine::graphs && sc) return false;
  if (!options.limits.data_races)
    throw std::invalid_argument(
        "kvrace: a proof by graphs needs the race check: plain data is right in executions without races only");
  return true;
}

result prove_by_graphs(const prove_options& options, const program& tested, execution& execution, const record_schedule& record) {
  return graph_search(options, tested, execution, record).run();
}

}  // namespace kvrace::detail
