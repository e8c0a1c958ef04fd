// Many runs: the outer of the two loops.
#include <kvrace/check.h>
#include <kvrace/shrink.h>

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include <absl/container/flat_hash_set.h>

#include "proof/bounded_search.h"
#include "proof/graph_search.h"
#include "runtime/claim.h"
#include "runtime/execution.h"
#include "runtime/recorder.h"
#include "runtime/stopwatch.h"
#include "runtime/workers.h"
#include "strategies/replay.h"

namespace kvrace {

namespace detail {

run run_access::make() { return {}; }

void messages_exhausted() {
  active->fail_and_end([] {
    return run_failure{"step_bound", "", "the run used more synchronisation objects than the harness has room for", {}};
  });
}

namespace {

constexpr std::size_t trace_max = 4'000;
constexpr std::size_t ledger_max = 2'000;
// Longer schedules are not kept while sampling, so that memory stays flat in runs of millions of requests: a run that fails is
// then sampled again, with everything kept.
constexpr std::size_t deviations_sampled_max = 100'000;
// So many runs are executed before other processes are asked for the rest: a search that is over by then needs none, and a
// strategy has learnt what it learns in its first runs.
constexpr std::uint64_t runs_before_workers = 64;

// One search at a time: primitives find the execution through a global.
class session {
 public:
  session() {
    if (busy().exchange(true))
      throw std::logic_error("kvrace: check(), prove() and replay() do not nest, and run on one thread at a time");
    if (state.messages == nullptr) reserve_messages();
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session() { busy() = false; }

 private:
  static std::atomic<bool>& busy() {
    static std::atomic<bool> flag{false};
    return flag;
  }
  // Address space only: pages are backed as clocks come into use.
  static void reserve_messages() {
    void* memory = ::mmap(nullptr, sizeof(message_clock) * messages_max, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    state.messages = static_cast<message_clock*>(memory);
  }
};

execution& the_execution() {
  static execution instance;
  return instance;
}

// What the three front doors share: runs, tallies, findings.
class search {
 public:
  search(const limits& limits, const std::vector<std::string>& metrics, search_observer* observer)
      : limits_(limits), observer_(observer), metrics_(metrics.size()) {
    for (const std::string& name : metrics) found_.metrics.emplace_back(name, 0);
  }

  struct budget {
    std::uint64_t runs = 0;  // 0: none
    double time_s = 0;       // 0: none
    bool stop_at_violation = true;
    bool count_distinct = false;
    schedule::setting set_up = schedule::setting::sampled;
    std::string sought = {};  // the only signature that counts as a violation; empty: any
  };
  // True if the strategy came to its end, false if a budget, a violation or an interrupt ended the loop.
  bool loop(strategy& strategy, const program& tested, const budget& limit, const bounded_search* bounded);

  // Runs [found().counts.runs, limit.runs) in `jobs` processes, with the same outcome as loop().
  void loop_in_workers(strategy& strategy, const program& tested, const budget& limit, unsigned jobs);
  [[nodiscard]] std::uint64_t runs_outside() const { return runs_outside_; }  // of the bound, by other processes

  // Re-executes a schedule and records it.
  finding record(const schedule& schedule, const program& tested, std::uint64_t run, bool* reproduced);

  // A search that saw no violation repeats its first run: what happens otherwise then makes its claim void.
  void repeat_first(const program& tested);
  // Counts the run that was executed last.
  void tally(const execution& done);

  result& found() { return found_; }
  [[nodiscard]] bool cut() const { return cut_; }
  [[nodiscard]] bool may_go_on(const budget& limit) const {
    return !cut_ && found_.verdict != verdict::unsound && !(limit.stop_at_violation && found_.verdict == verdict::violation);
  }
  void finish_metrics() {
    for (std::size_t i = 0; i < metrics_.size(); ++i) found_.metrics[i].second = metrics_[i];
  }

 private:
  run_end run_again(strategy& strategy, const program& tested, const budget& limit, std::uint64_t index, bool whole);
  bool end_as_unsound(std::uint64_t index);
  run_block execute_block(strategy& strategy, const program& tested, const budget& limit, std::uint64_t first,
                          std::uint64_t last);
  bool take_in(const run_block& block, strategy& strategy, const program& tested, const budget& limit);
  bool handle_failure(const program& tested, std::uint64_t run, const budget& limit);
  [[nodiscard]] bool progress(const budget& limit, double elapsed_s, const bounded_search* bounded);

  limits limits_;
  search_observer* observer_;
  std::vector<std::uint64_t> metrics_;
  result found_;
  std::map<std::string, std::size_t> by_signature_;  // index into found_.findings
  absl::flat_hash_set<std::uint64_t> schedules_;  // only its size is ever looked at: its order differs from run to run
  std::optional<schedule> first_;  // of the first run
  run_summary first_summary_;
  bool cut_ = false;  // a budget or the observer has ended the search
  std::uint64_t runs_outside_ = 0;
  std::map<std::uint64_t, std::string> signatures_;  // of the findings, by hash
};

std::string signature_of(const run_failure& failure) {
  finding probe;
  probe.oracle = failure.oracle;
  probe.subject = failure.subject;
  probe.sites = failure.sites;
  return probe.signature();
}

std::uint64_t hash_of(std::string_view text) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return hash;
}

void add_run(search_counts& counts, const execution& done) {
  const run_summary summary = done.summary();
  ++counts.runs;
  counts.steps += summary.steps;
  counts.decisions += summary.decisions;
  counts.switches += done.switches();
  counts.blocked += summary.blocked ? 1 : 0;
  counts.tasks_max = std::max<std::uint64_t>(counts.tasks_max, summary.tasks);
  counts.decisions_max = std::max(counts.decisions_max, summary.decisions);
}

void search::tally(const execution& done) { add_run(found_.counts, done); }

bool search::progress(const budget& limit, double elapsed_s, const bounded_search* bounded) {
  if (limit.time_s > 0 && elapsed_s >= limit.time_s) {
    found_.interrupted = true;
    return false;
  }
  if (observer_ == nullptr) return true;
  search_progress now;
  now.runs = found_.counts.runs;
  now.runs_max = limit.runs;
  now.time_s = elapsed_s;
  now.time_s_max = limit.time_s;
  now.schedules_distinct = schedules_.size();
  now.violations = found_.counts.violations;
  now.run_virtual_s = static_cast<double>(state.now_ns) / 1e9;
  if (bounded != nullptr) {
    now.states_distinct = bounded->states_distinct();
    now.states_open = bounded->states_open();
    now.preemptions = bounded->preemptions();
  }
  if (observer_->on_progress(now)) return true;
  found_.interrupted = true;
  return false;
}

std::optional<observed_violation> observed(const std::optional<run_failure>& failure) {
  if (!failure) return std::nullopt;
  return observed_violation{failure->oracle, failure->subject, failure->sites, failure->step};
}
observed_run observed(const execution& done, std::uint64_t index, schedule::setting set_up) {
  return {index, done.summary(), observed(done.failure()), observed(done.last_failure()), set_up, done.deviations()};
}

bool search::loop(strategy& strategy, const program& tested, const budget& limit, const bounded_search* bounded) {
  execution& the_run = the_execution();
  const execution_view view(the_run);
  const double started_s = monotonic_time_s();
  paced_check pace(limit.time_s > 0 ? std::min(0.1, limit.time_s / 20) : 0.1);
  bool ended = false;
  const std::function<bool()> go_on = [&] {
    if (pace.due() && !progress(limit, monotonic_time_s() - started_s, bounded)) cut_ = true;
    return !cut_;
  };
  for (std::uint64_t index = 0;; ++index) {
    if (limit.runs != 0 && index == limit.runs) break;
    if (!go_on()) break;
    if (!strategy.begin_run(index, view)) {
      ended = true;
      break;
    }
    execution::settings settings{
        limits_, &strategy, nullptr, false, limit.set_up, metrics_, bounded != nullptr ? SIZE_MAX : deviations_sampled_max,
        false,   &go_on};
    run_end end = the_run.run(tested, settings);
    strategy.end_run(the_run.summary());
    tally(the_run);
    if (the_run.failure() && !the_run.deviations_complete()) end = run_again(strategy, tested, limit, index, false);
    if (index == 0 && !the_run.failure() && the_run.deviations_complete() && end != run_end::cut) {
      first_ = {limit.set_up, the_run.deviations()};
      first_summary_ = the_run.summary();
    }
    if (limit.count_distinct) schedules_.insert(the_run.schedule_hash());
    if (observer_ != nullptr) observer_->on_run(observed(the_run, index, limit.set_up));
    if (!the_run.failure()) continue;
    if (end == run_end::unsound) {
      end_as_unsound(index);
      break;
    }
    if (!handle_failure(tested, index, limit)) break;
  }
  found_.counts.schedules_distinct = schedules_.size();
  found_.time_s = monotonic_time_s() - started_s;
  return ended;
}

// Executes a run once more, and counts nothing: the whole run as loop() does, or up to its violation, with everything kept.
run_end search::run_again(strategy& strategy, const program& tested, const budget& limit, std::uint64_t index, bool whole) {
  execution& the_run = the_execution();
  std::vector<std::uint64_t> scratch(metrics_.size());
  (void)strategy.begin_run(index, execution_view(the_run));
  const std::size_t deviations_max = whole ? deviations_sampled_max : SIZE_MAX;
  return the_run.run(tested, {limits_, &strategy, nullptr, !whole, limit.set_up, scratch, deviations_max, true, nullptr});
}

bool search::end_as_unsound(std::uint64_t index) {
  found_.verdict = verdict::unsound;
  finding& broken = found_.findings.emplace_back();
  broken.oracle = "unsound";
  broken.message = the_execution().failure()->message;
  broken.run = index;
  return false;
}

// In a process of its own. A run that fails ends the block if it ends the search.
run_block search::execute_block(strategy& strategy, const program& tested, const budget& limit, std::uint64_t first,
                                std::uint64_t last) {
  execution& the_run = the_execution();
  const execution_view view(the_run);
  run_block block;
  block.metrics.resize(metrics_.size());
  const auto outside = [&] { return strategy.bound() ? strategy.bound()->runs_outside : 0; };
  const std::uint64_t outside_before = outside();
  for (std::uint64_t index = first; index < last; ++index) {
    (void)strategy.begin_run(index, view);
    (void)the_run.run(tested,
                      {limits_, &strategy, nullptr, false, limit.set_up, block.metrics, deviations_sampled_max, false, nullptr});
    strategy.end_run(the_run.summary());
    add_run(block.counts, the_run);
    if (limit.count_distinct) block.schedules.push_back(the_run.schedule_hash());
    if (!the_run.failure()) continue;
    block.failures.emplace_back(index, hash_of(signature_of(*the_run.failure())));
    if (limit.stop_at_violation) break;
  }
  block.runs_outside = outside() - outside_before;
  return block;
}

// False: the search is over.
bool search::take_in(const run_block& block, strategy& strategy, const program& tested, const budget& limit) {
  search_counts& counts = found_.counts;
  counts.runs += block.counts.runs;
  counts.steps += block.counts.steps;
  counts.decisions += block.counts.decisions;
  counts.switches += block.counts.switches;
  counts.blocked += block.counts.blocked;
  counts.tasks_max = std::max(counts.tasks_max, block.counts.tasks_max);
  counts.decisions_max = std::max(counts.decisions_max, block.counts.decisions_max);
  runs_outside_ += block.runs_outside;
  for (std::size_t i = 0; i < metrics_.size(); ++i) metrics_[i] += block.metrics[i];
  schedules_.insert(block.schedules.begin(), block.schedules.end());
  for (const auto& [index, hash] : block.failures) {
    if (const auto known = signatures_.find(hash); known != signatures_.end()) {
      ++counts.violations;
      ++found_.findings[by_signature_.at(known->second)].occurrences;
      continue;
    }
    run_end end = run_again(strategy, tested, limit, index, true);
    if (!the_execution().deviations_complete()) end = run_again(strategy, tested, limit, index, false);
    if (end == run_end::unsound) return end_as_unsound(index);
    if (!the_execution().failure()) {
      found_.verdict = verdict::unsound;
      finding& broken = found_.findings.emplace_back();
      broken.oracle = "unsound";
      broken.run = index;
      broken.message =
          "run " + std::to_string(index) + " failed in another process and not when repeated: the program is not deterministic";
      return false;
    }
    if (!handle_failure(tested, index, limit)) return false;
  }
  return true;
}

void search::loop_in_workers(strategy& strategy, const program& tested, const budget& limit, unsigned jobs) {
  constexpr std::uint64_t block_runs_max = 256;
  const double started_s = monotonic_time_s();
  const double before_s = found_.time_s;
  const std::uint64_t first = found_.counts.runs;
  const std::uint64_t last = limit.runs == 0 ? UINT64_MAX : limit.runs;
  const std::uint64_t block_runs = std::clamp<std::uint64_t>((last - first) / (std::uint64_t{jobs} * 16), 1, block_runs_max);
  workers others(jobs, first, last, block_runs,
                 [&](std::uint64_t from, std::uint64_t to) { return execute_block(strategy, tested, limit, from, to); });
  paced_check pace(limit.time_s > 0 ? std::min(0.1, limit.time_s / 20) : 0.1);
  run_block block;
  for (;;) {
    if (pace.due() && !progress(limit, before_s + monotonic_time_s() - started_s, nullptr)) cut_ = true;
    if (cut_) break;
    const workers::next_is next = others.next(block);
    if (next == workers::next_is::end) break;
    if (next == workers::next_is::block && !take_in(block, strategy, tested, limit)) break;
  }
  found_.counts.schedules_distinct = schedules_.size();
  found_.time_s = before_s + monotonic_time_s() - started_s;
}

// False: the search is over.
bool search::handle_failure(const program& tested, std::uint64_t run, const budget& limit) {
  const execution& execution = the_execution();
  ++found_.counts.violations;
  const run_failure failure = *execution.failure();
  const std::string signature = signature_of(failure);
  const bool counts = limit.sought.empty() || signature == limit.sought;
  if (counts) found_.verdict = verdict::violation;
  const bool goes_on = !(counts && limit.stop_at_violation);
  if (const auto known = by_signature_.find(signature); known != by_signature_.end()) {
    ++found_.findings[known->second].occurrences;
    return goes_on;
  }
  bool reproduced = false;
  finding recorded = record({limit.set_up, execution.deviations()}, tested, run, &reproduced);
  if (!reproduced || recorded.oracle != failure.oracle) {
    found_.verdict = verdict::unsound;
    recorded.message = "replaying the schedule of a violation (" + failure.oracle + ": " + failure.message +
                       ") gave another outcome (" + (recorded.message.empty() ? std::string("no violation") : recorded.message) +
                       "): the program is not deterministic";
    recorded.oracle = "unsound";
    found_.findings.insert(found_.findings.begin(), std::move(recorded));
    return false;
  }
  // The sought one comes first, whatever was met before.
  const bool first = counts && !limit.sought.empty();
  if (first)
    for (auto& [other, index] : by_signature_) ++index;
  signatures_.emplace(hash_of(signature), signature);
  by_signature_.emplace(signature, first ? 0 : found_.findings.size());
  found_.findings.insert(first ? found_.findings.begin() : found_.findings.end(), std::move(recorded));
  return goes_on;
}

void search::repeat_first(const program& tested) {
  if (!first_ || found_.verdict == verdict::violation || found_.verdict == verdict::unsound) return;
  execution& execution = the_execution();
  const execution_view view(execution);
  const std::unique_ptr<strategy> follow = make_replay(*first_);
  (void)follow->begin_run(0, view);
  std::vector<std::uint64_t> scratch(metrics_.size());
  (void)execution.run(tested, {limits_, follow.get(), nullptr, false, first_->set_up, scratch, SIZE_MAX, true});
  follow->end_run(execution.summary());
  const run_summary again = execution.summary();
  const bool same = !execution.failure() && !follow->divergence() && again.steps == first_summary_.steps &&
                    again.tasks == first_summary_.tasks && again.complete == first_summary_.complete;
  if (same) return;
  found_.verdict = verdict::unsound;
  finding& broken = found_.findings.emplace_back();
  broken.oracle = "unsound";
  broken.schedule = *first_;
  broken.message = "the first run, repeated along its schedule, went otherwise: the program is not deterministic";
}

finding search::record(const schedule& schedule, const program& tested, std::uint64_t run, bool* reproduced) {
  execution& execution = the_execution();
  const execution_view view(execution);
  const std::unique_ptr<strategy> follow = make_replay(schedule);
  (void)follow->begin_run(0, view);
  recorder record(trace_max, ledger_max);
  std::vector<std::uint64_t> scratch(metrics_.size());
  const run_end end = execution.run(tested, {limits_, follow.get(), &record, true, schedule.set_up, scratch, SIZE_MAX, true});
  follow->end_run(execution.summary());

  finding made;
  made.run = run;
  made.schedule = schedule;
  for (unsigned id = 0; id <= execution.summary().tasks; ++id) made.tasks.push_back(execution.name_of_task(id));
  *reproduced = end != run_end::unsound && execution.failure().has_value();
  if (const auto& failure = execution.failure()) {
    made.oracle = failure->oracle;
    made.subject = failure->subject;
    made.message = failure->message;
    made.sites = failure->sites;
    made.step = failure->step;
  }
  if (const auto divergence = follow->divergence()) {
    *reproduced = false;
    made.oracle = "unsound";
    made.message = *divergence;
  }
  record.hand_over(made);
  return made;
}

}  // namespace

}  // namespace detail

result check(const check_options& options, const program& tested) {
  if (options.runs == 0 && options.time_s <= 0 && options.observer == nullptr)
    throw std::invalid_argument("kvrace: check() would never end: give it a number of runs, a time, or an observer that ends it");
  if (options.strategy == nullptr) throw std::invalid_argument("kvrace: check() needs a strategy");
  const detail::session session;
  detail::search search(options.limits, options.metrics, options.observer);
  const std::unique_ptr<strategy> strategy = options.strategy->make(options.seed);
  const std::uint64_t runs = options.runs;
  detail::search::budget limit{runs, options.time_s, options.stop_at_violation, options.count_distinct,
                               options.timeouts_any_time ? schedule::setting::timeouts_any_time : schedule::setting::sampled};
  const bool shared = options.jobs > 1 && (runs == 0 || runs > detail::runs_before_workers);
  if (shared) limit.runs = detail::runs_before_workers;
  search.loop(*strategy, tested, limit, nullptr);
  limit.runs = runs;
  if (shared && search.may_go_on(limit)) search.loop_in_workers(*strategy, tested, limit, options.jobs);

  if (search.found().counts.runs > 1) search.repeat_first(tested);
  result& found = search.found();
  search.finish_metrics();
  found.strategy = strategy->describe();
  found.seed = options.seed;
  if (found.verdict == verdict::not_found && (found.counts.runs < runs || search.cut() || detail::tested_nothing(found.counts)))
    found.verdict = verdict::incomplete;
  auto bound = strategy->bound();
  if (bound) bound->runs_outside += search.runs_outside();
  if (bound) found.pct_bound = bound->probability;
  found.claim = detail::claim_of(found, options.limits, bound);
  return std::move(found);
}

result prove(const prove_options& options, const program& tested) { return search_for("", options, tested); }

result search_for(const std::string& signature, const prove_options& options, const program& tested) {
  const bool graphs = detail::by_graphs(options);
  const detail::session session;
  if (graphs) return detail::prove_by_graphs(options, tested, detail::the_execution());
  detail::search search(options.limits, options.metrics, options.observer);
  detail::bounded_search bounded(options.preemptions_max, options.states_max, options.yields_max);
  const bool ended =
      search.loop(bounded, tested, {options.runs, options.time_s, true, false, schedule::setting::search, signature}, &bounded);

  search.repeat_first(tested);
  result& found = search.found();
  search.finish_metrics();
  found.strategy = bounded.describe();
  found.counts.executions_distinct = bounded.executions_distinct();
  found.counts.states_distinct = bounded.states_distinct();
  found.counts.states_open = bounded.states_open();
  found.executions_by_bound = bounded.executions_by_bound();
  if (bounded.held_back()) found.yields_bound = options.yields_max;
  if (found.verdict == verdict::not_found) {
    if (!ended || bounded.states_exhausted() || detail::tested_nothing(found.counts)) {
      found.verdict = verdict::incomplete;
    } else if (bounded.closed()) {
      found.verdict = verdict::proved;
    } else {
      found.verdict = verdict::exhausted;
      found.preemptions_bound = bounded.finished_bounds() - 1;
    }
  }
  found.claim = detail::claim_of(found, options.limits, std::nullopt);
  return std::move(found);
}

result replay(const replay_options& options, const schedule& schedule, const program& tested) {
  const detail::session session;
  detail::search search(options.limits, options.metrics, nullptr);
  bool reproduced = false;
  const double started_s = detail::monotonic_time_s();
  finding recorded = search.record(schedule, tested, 0, &reproduced);
  result& found = search.found();
  found.strategy = "replay";
  found.time_s = detail::monotonic_time_s() - started_s;
  search.tally(detail::the_execution());
  if (reproduced) {
    found.verdict = verdict::violation;
    found.counts.violations = 1;
  } else if (!recorded.oracle.empty()) {
    found.verdict = verdict::unsound;
  }
  if (recorded.oracle.empty())
    found.trace = std::move(recorded.trace);
  else
    found.findings.push_back(std::move(recorded));
  found.claim = detail::claim_of_replay(found);
  return std::move(found);
}

}  // namespace kvrace
