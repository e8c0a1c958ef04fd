#include "proof/graph_search.h"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

#include "proof/graph_checkpoint.h"
#include "proof/graph_claim.h"
#include "proof/graph_estimate.h"
#include "proof/graph_sharing.h"
#include "proof/graph_walk.h"
#include "runtime/memory_use.h"
#include "runtime/recorder.h"
#include "runtime/stopwatch.h"

namespace kvrace::detail {

namespace {

using step = graph_walk::step;

constexpr std::size_t trace_max = 4'000;
constexpr std::size_t ledger_max = 2'000;
constexpr std::size_t compared_max = 4'096;
// So many executions come first before other processes are asked: a proof that is over by then needs none.
constexpr std::uint64_t executions_before_sharing = 256;

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
        walk_(model_of(options.memory_model), options.limits, tested, execution) {}

  result run() {
    started_s_ = saved_s_ = looked_s_ = monotonic_time_s();
    if (!options_.resume.empty()) resume();
    const bool explored = explore();
    if (found_.verdict == verdict::not_found && found_.refusal.empty()) save();
    const graph_tally& tally = account_.tally;
    search_counts& counts = found_.counts;
    counts.runs = tally.executions;
    counts.steps = tally.steps;
    counts.tasks_max = tally.tasks_max;
    counts.executions_distinct = tally.complete;
    counts.blocked = tally.blocked;
    counts.undecided = tally.undecided;
    counts.graphs_inconsistent = tally.inconsistent;
    counts.graphs_judged = tally.judged;
    counts.graphs_unjudged = tally.unjudged;
    counts.graphs_duplicate = account_.sample.duplicates();
    for (std::size_t i = 0; i < options_.metrics.size(); ++i)
      found_.metrics.emplace_back(options_.metrics[i], account_.metrics[i]);
    found_.memory_model = options_.memory_model;
    found_.strategy = std::string("execution graphs, ") + to_string(options_.memory_model);
    found_.yields_bound = tally.waited_in_loop ? 3 : 0;
    found_.calls_ordered_causally = tally.calls_ordered_causally;
    if (found_.verdict == verdict::not_found) conclude(explored);
    found_.claim = claim_of_graphs(found_, options_.limits, final_estimate(explored));
    found_.time_s = monotonic_time_s() - started_s_;
    return std::move(found_);
  }

 private:
  [[nodiscard]] graph_account nothing() const {
    return {options_.metrics.size(), options_.count_distinct ? SIZE_MAX : compared_max};
  }

  // ---- exploring ----

  [[nodiscard]] double look_every_s() const { return options_.time_s > 0 ? std::min(0.1, options_.time_s / 20) : 0.1; }

  // True if every graph was explored.
  bool explore() {
    paced_check pace(look_every_s());
    const std::function<bool()> go_on = [&] { return !cut_ && (!pace.due() || progress()); };
    std::uint64_t here = 0;
    while (options_.runs == 0 || here < options_.runs) {
      if (!go_on()) return false;
      do_what_is_due();
      std::optional<step> came;
      if (options_.jobs > 1 && options_.runs == 0 && here >= executions_before_sharing)
        came = share();
      else
        came = walk_.next(account_, &go_on);
      ++here;
      if (came == step::explored) {
        if (left_.empty()) return true;
        walk_.proof().load(left_.front());
        left_.pop_front();
      } else if (came == step::restart) {
        walk_.proof().restart();
        account_ = nothing();
        left_.clear();
        estimate_.clear();
        resumed_ = false;
        here = 0;
      } else if (!came || found_.verdict == verdict::unsound || !handle(*came)) {
        return false;
      }
    }
    return false;
  }

  // Between two executions: progress() may be called within one.
  void do_what_is_due() {
    if (save_is_due_) save();
    if (probe_for_s_ > 0) estimate_.probe(walk_, std::exchange(probe_for_s_, 0));
  }

  // False: the search is over.
  bool handle(step came) {
    if (came == step::cut) {
      in_between_ = false;
      return false;
    }
    if (came == step::refused) {
      found_.refusal = walk_.proof().refusal();
      return false;
    }
    const std::uint64_t index = account_.tally.executions - 1;
    if (index == 0 && !resumed_) first_ = key_after(came);
    if (options_.observer != nullptr) observe(index);
    if (came != step::violation && came != step::unsound) return true;
    found_.verdict = came == step::violation ? verdict::violation : verdict::unsound;
    found_.counts.violations = came == step::violation ? 1 : 0;
    record(index);
    return false;
  }

  // In several processes, up to the end or to the execution that ends it or its beginnings, which is then made here; nothing if
  // the search is to end.
  std::optional<step> share() {
    std::vector<std::string> items{walk_.proof().save()};
    items.insert(items.end(), left_.begin(), left_.end());
    left_.clear();
    walk_.proof().drop();
    sharing_.emplace(options_.jobs, walk_, nothing(), items);
    double look_s = monotonic_time_s();
    const graph_sharing::end end = sharing_->run(
        [&] {
          // Calls are milliseconds apart: each looks at the clock.
          const double now_s = monotonic_time_s();
          if (cut_) return false;
          if (now_s < look_s) return true;
          look_s = now_s + look_every_s();
          if (!progress()) return false;
          do_what_is_due();
          return true;
        },
        account_);
    std::optional<step> came;
    if (end == graph_sharing::end::explored) came = step::explored;
    if (end == graph_sharing::end::event) {
      graph_account counted_already = nothing();
      came = walk_.execute_saved(sharing_->executed(), counted_already);
      if (came == step::complete || came == step::blocked || came == step::inconsistent)
        lose("an execution that failed in another process did not fail when repeated: the program is not deterministic");
    }
    for (std::string& item : sharing_->items()) left_.push_back(std::move(item));
    sharing_.reset();
    return came;
  }

  // ---- checkpoints ----

  // Of the execution just made; nothing unless it came to its end.
  [[nodiscard]] state_key key_after(step came) {
    return came == step::complete || came == step::blocked ? walk_.proof().key() : state_key{};
  }

  void resume() {
    graph_checkpoint from{{}, nothing(), {}};
    read_checkpoint(options_.resume, options_, walk_.proof(), from);
    graph_account scratch = nothing();
    const step came = walk_.next(scratch);
    if (!(key_after(came) == from.first)) throw checkpoint_error("expected a checkpoint of this program");
    first_ = from.first;
    account_ = std::move(from.account);
    left_.assign(std::make_move_iterator(from.items.begin()), std::make_move_iterator(from.items.end()));
    walk_.proof().drop();
    resumed_ = true;
  }

  void save() {
    save_is_due_ = false;
    if (options_.checkpoint == nullptr || !in_between_ || account_.tally.executions == 0) return;
    graph_checkpoint made{first_, account_, {}};
    if (sharing_) {
      made.account = sharing_->total(account_);
      made.items = sharing_->items();
    } else {
      made.items.push_back(walk_.proof().save());
      made.items.insert(made.items.end(), left_.begin(), left_.end());
    }
    options_.checkpoint(write_checkpoint(options_, walk_.proof(), made));
  }

  // False: the search is to end.
  bool progress() {
    const double now_s = monotonic_time_s();
    if (options_.checkpoint != nullptr && now_s - saved_s_ >= options_.checkpoint_s) {
      save_is_due_ = !sharing_ || others_asked_;
      others_asked_ = !save_is_due_;
      if (others_asked_)
        sharing_->ask_all();  // the next time they will have said what they have done
      else
        saved_s_ = now_s;
    }
    constexpr double share_of_probes = 0.02;
    constexpr double without_probes_s = 0.5;
    if (now_s - started_s_ > without_probes_s) probe_for_s_ = share_of_probes * (now_s - looked_s_);
    looked_s_ = now_s;
    if ((options_.time_s > 0 && now_s - started_s_ >= options_.time_s) || exceeds_memory(options_.memory_bytes_max)) {
      cut_ = found_.interrupted = true;
    } else if (options_.observer != nullptr) {
      search_progress now;
      now.runs = account_.tally.executions + (sharing_ ? sharing_->executions() : 0);
      now.runs_max = options_.runs;
      now.time_s = now_s - started_s_;
      now.time_s_max = options_.time_s;
      now.violations = found_.counts.violations;
      if (const std::optional<work_estimate> estimate = estimate_.now(now.runs)) {
        now.runs_estimated = estimate->executions;
        now.runs_estimated_error = estimate->error;
      }
      cut_ = found_.interrupted = !options_.observer->on_progress(now);
    }
    return !cut_;
  }

  // ---- what it came to ----

  void conclude(bool explored) {
    if (account_.sample.duplicates() != 0) {
      lose("an execution graph was visited twice, which is a bug of the harness");
    } else if (explored && account_.tally.complete != 0 && account_.tally.undecided == 0) {
      found_.verdict = verdict::proved;
      found_.certificate = certificate_of(found_, options_.limits, account_);
    } else {
      found_.verdict = verdict::incomplete;
    }
  }

  // Of a budget of counts, it must not depend on a clock.
  std::optional<work_estimate> final_estimate(bool explored) {
    constexpr unsigned probes = 2'000;
    constexpr double probe_s = 0.05;
    if (explored || found_.verdict != verdict::incomplete || !found_.refusal.empty() || !in_between_) return std::nullopt;
    if (found_.interrupted)
      estimate_.probe(walk_, probe_s);
    else
      estimate_.probe_anew(walk_, probes);
    return estimate_.now(account_.tally.executions);
  }

  void lose(std::string why) {
    found_.verdict = verdict::unsound;
    finding& broken = found_.findings.emplace_back();
    broken.oracle = "unsound";
    broken.message = std::move(why);
  }

  void observe(std::uint64_t index) {
    observed_run seen{index, execution_.summary(), std::nullopt, std::nullopt, schedule::setting::search, {}};
    if (const auto& failure = execution_.failure(); failure)
      seen.first = observed_violation{failure->oracle, failure->subject, failure->sites, failure->step};
    options_.observer->on_run(seen);
  }

  void record(std::uint64_t index) {
    if (found_.verdict == verdict::violation && record_interleaving(index)) return;
    recorder record(trace_max, ledger_max);
    std::vector<std::uint64_t> scratch(options_.metrics.size());
    finding& made = found_.findings.emplace_back();
    if (found_.verdict == verdict::violation) walk_.again(record, scratch);
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
    const linear_order* const order = walk_.proof().order();
    if (order == nullptr) return false;
    linear_strategy strategy(*order);
    const execution_view view(execution_);
    (void)strategy.begin_run(0, view);
    std::vector<std::uint64_t> scratch(options_.metrics.size());
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
  graph_walk walk_;
  graph_account account_ = nothing();
  std::deque<std::string> left_;  // to be explored after what `walk_` has, in order
  std::optional<graph_sharing> sharing_;
  state_key first_;
  graph_estimate estimate_{options_.metrics.size()};
  result found_;
  double started_s_ = 0;
  double looked_s_ = 0;
  double probe_for_s_ = 0;
  double saved_s_ = 0;
  bool save_is_due_ = false;
  bool others_asked_ = false;
  bool in_between_ = true;  // no execution was given up half-way
  bool resumed_ = false;
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
