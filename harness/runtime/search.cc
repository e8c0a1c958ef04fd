#include "runtime/search.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "runtime/memory_use.h"
#include "runtime/recorder.h"
#include "runtime/stopwatch.h"
#include "strategies/replay.h"

namespace kvrace::detail {

namespace {

constexpr std::size_t trace_max = 4'000;
constexpr std::size_t ledger_max = 2'000;

}  // namespace

execution& the_execution() {
  static execution instance;
  return instance;
}

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
  counts.undecided += state.history_undecided ? 1 : 0;
}

void search::tally(const execution& done) {
  add_run(found_.counts, done);
  found_.calls_ordered_causally |= state.histories_causal;
}

bool search::progress(const budget& limit, double elapsed_s, const bounded_search* bounded) {
  if ((limit.time_s > 0 && elapsed_s >= limit.time_s) || exceeds_memory(limit.memory_bytes_max)) {
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
    now.states_distinct = bounded->so_far().states;
    now.states_open = static_cast<std::uint64_t>(bounded->so_far().open);
    now.preemptions = bounded->preemptions();
  }
  if (observer_->on_progress(now)) return true;
  found_.interrupted = true;
  return false;
}

namespace {

std::optional<observed_violation> observed(const std::optional<run_failure>& failure) {
  if (!failure) return std::nullopt;
  return observed_violation{failure->oracle, failure->subject, failure->sites, failure->step};
}
observed_run observed(const execution& done, std::uint64_t index, schedule::setting set_up) {
  return {index, done.summary(), observed(done.failure()), observed(done.last_failure()), set_up, done.deviations()};
}

}  // namespace

bool search::loop(strategy& strategy, const program& tested, const budget& limit, bounded_search* bounded) {
  execution& the_run = the_execution();
  const execution_view view(the_run);
  const double started_s = monotonic_time_s();
  paced_check pace(limit.time_s > 0 ? std::min(0.1, limit.time_s / 20) : 0.1);
  bool ended = false;
  std::vector<std::uint64_t> of_one_run(bounded != nullptr ? metrics_.size() : 0);
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
    std::fill(of_one_run.begin(), of_one_run.end(), 0);
    const std::span<std::uint64_t> metrics = bounded != nullptr ? of_one_run : metrics_;
    execution::settings settings{
        limits_, &strategy, nullptr, false, limit.set_up, metrics, bounded != nullptr ? SIZE_MAX : deviations_sampled_max,
        false,   &go_on};
    run_end end = the_run.run(tested, settings);
    strategy.end_run(the_run.summary());
    if (bounded != nullptr) bounded->count_run(the_run, metrics);
    tally(the_run);
    if (the_run.failure() && !the_run.deviations_complete()) end = run_again(strategy, tested, limit, index, false);
    if (index == 0 && !the_run.failure() && the_run.deviations_complete() && end != run_end::cut) {
      first_ = {limit.set_up, the_run.deviations()};
      first_summary_ = the_run.summary();
    }
    if (limit.count_distinct) schedules_.insert(the_run.schedule_hash());
    if (observer_ != nullptr) observer_->on_run(observed(the_run, index, limit.set_up));
    if (!the_run.failure()) {
      const std::optional<std::string> lost = strategy.divergence();
      if (!lost) continue;
      give_up(index, *lost);
      break;
    }
    if (end == run_end::unsound) {
      give_up(index, the_run.failure()->message);
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
  const execution_view view(the_run);  // strategies keep its address
  (void)strategy.begin_run(index, view);
  const std::size_t deviations_max = whole ? deviations_sampled_max : SIZE_MAX;
  return the_run.run(tested, {limits_, &strategy, nullptr, !whole, limit.set_up, scratch, deviations_max, true, nullptr});
}

bool search::give_up(std::uint64_t run, const std::string& why) {
  found_.verdict = verdict::unsound;
  finding& broken = found_.findings.emplace_back();
  broken.oracle = "unsound";
  broken.message = why;
  broken.run = run;
  return false;
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

}  // namespace kvrace::detail
