#include "proof/bounded_proof.h"

#include <poll.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "proof/bounded_search.h"
#include "proof/search_team.h"
#include "runtime/claim.h"
#include "runtime/forked.h"
#include "runtime/memory_use.h"
#include "runtime/search.h"
#include "runtime/stopwatch.h"

namespace kvrace::detail {

namespace {

// Other processes' runs are not told, so that nobody may rely on those of this one either.
class progress_only final : public search_observer {
 public:
  explicit progress_only(search_observer* to) : to_(to) {}
  bool on_progress(const search_progress& now) override { return to_ == nullptr || to_->on_progress(now); }

 private:
  search_observer* to_;
};

void take_effort(search_counts& counts, const explored_counts& spent) {
  counts.runs = spent.runs;
  counts.steps = spent.steps;
  counts.decisions = spent.decisions;
  counts.switches = spent.switches;
  counts.decisions_max = spent.decisions_max;
}

void take_explored(result& found, const explored_counts& explored, const std::vector<std::uint64_t>& metrics) {
  search_counts& counts = found.counts;
  counts.blocked = explored.blocked;
  counts.undecided = explored.undecided;
  counts.tasks_max = explored.tasks_max;
  counts.executions_distinct = explored.executions;
  counts.states_distinct = explored.states;
  counts.states_open = static_cast<std::uint64_t>(std::max<std::int64_t>(explored.open, 0));
  found.calls_ordered_causally = explored.ordered_causally != 0;
  for (std::size_t i = 0; i < metrics.size(); ++i) found.metrics[i].second = metrics[i];
}

struct search_end {
  bool ended = false;  // not by a violation, a time, an interrupt or a number of runs
  bool out_of_states = false;
  explored_counts so_far;
  std::vector<std::uint64_t> metrics;
  search_team::outcome at_last_bound;
};

// Where a number of states ended the search, all else that is counted is that of the last bound that was exhausted: how far the
// next one got depends on who explored what when.
void conclude(result& found, const search_end& end, const prove_options& options) {
  found.strategy = "bounded search";
  found.executions_by_bound = end.at_last_bound.executions_by_bound;
  take_effort(found.counts, end.so_far);
  if (found.verdict == verdict::not_found && end.out_of_states) {
    take_explored(found, end.at_last_bound.counts, end.at_last_bound.metrics);
    found.counts.states_distinct = options.states_max != 0 ? options.states_max : end.so_far.states;
    found.counts.states_open = 0;
  } else {
    take_explored(found, end.so_far, end.metrics);
  }
  if (end.so_far.held_back != 0) found.yields_bound = options.yields_max;
  if (found.verdict == verdict::not_found) {
    if (!end.ended || end.out_of_states || found.counts.undecided != 0 || tested_nothing(found.counts)) {
      found.verdict = verdict::incomplete;
    } else if (end.so_far.open == 0) {
      found.verdict = verdict::proved;
    } else {
      found.verdict = verdict::exhausted;
      found.preemptions_bound = static_cast<unsigned>(found.executions_by_bound.size()) - 1;
    }
  }
  found.claim = claim_of(found, options.limits, std::nullopt);
}

result alone(const std::string& signature, const prove_options& options, const program& tested, bool* out_of_states) {
  search search(options.limits, options.metrics, options.observer);
  bounded_search bounded({options.preemptions_max, options.states_max, options.yields_max}, options.metrics.size());
  const bool ended = search.loop(
      bounded, tested,
      {options.runs, options.time_s, true, false, schedule::setting::search, signature, options.memory_bytes_max}, &bounded);
  search.repeat_first(tested);
  *out_of_states = bounded.states_exhausted();
  conclude(search.found(), {ended, *out_of_states, bounded.so_far(), bounded.metrics(), bounded.at_last_bound()}, options);
  return std::move(search.found());
}

// ---- several processes ----

void explore_as(unsigned member, search_team& team, const prove_options& options, const program& tested) {
  bounded_search part({options.preemptions_max, options.states_max, options.yields_max}, options.metrics.size(), &team, member);
  execution& the_run = the_execution();
  const execution_view view(the_run);
  std::vector<std::uint64_t> metrics(options.metrics.size());
  for (std::uint64_t index = 0; part.begin_run(index, view); ++index) {
    std::fill(metrics.begin(), metrics.end(), 0);
    (void)the_run.run(tested,
                      {options.limits, &part, nullptr, false, schedule::setting::search, metrics, 0, false, nullptr, nullptr});
    part.end_run(the_run.summary());
    part.count_run(the_run, metrics);
    if (the_run.failure() || part.divergence()) return team.stop_by_failure();
  }
}

// False: a budget of time or memory is used up, or an interrupt has come.
bool may_go_on(const search_team& team, const prove_options& options, double started_s) {
  const double time_s = monotonic_time_s() - started_s;
  if ((options.time_s > 0 && time_s >= options.time_s) || exceeds_memory(options.memory_bytes_max)) return false;
  if (options.observer == nullptr) return true;
  const explored_counts now = team.so_far();
  search_progress progress;
  progress.runs = now.runs;
  progress.time_s = time_s;
  progress.time_s_max = options.time_s;
  progress.states_distinct = now.states;
  progress.states_open = static_cast<std::uint64_t>(std::max<std::int64_t>(now.open, 0));
  progress.preemptions = team.bound();
  return options.observer->on_progress(progress);
}

// Waits for the end of all, or for a failure. One that dies may leave the others waiting for it. False: see may_go_on().
bool wait_for(forked_processes& members, const search_team& team, const prove_options& options, double started_s) {
  constexpr int pause_ms = 100;
  std::vector<pollfd> ends;
  for (unsigned job = 0; job < members.jobs(); ++job) ends.push_back({members.pipe_of(job), POLLIN, 0});
  for (unsigned working = members.jobs(); working > 0 && !team.failed();) {
    if (::poll(ends.data(), ends.size(), pause_ms) <= 0) {
      if (!may_go_on(team, options, started_s)) return false;
      continue;
    }
    for (unsigned job = 0; job < members.jobs(); ++job) {
      if (ends[job].fd < 0 || ends[job].revents == 0) continue;
      if (!members.ended_well(job))
        throw std::runtime_error("kvrace: a worker process " + members.how_it_ended(job) +
                                 " in a bounded search: repeat it with one job to see where");
      ends[job].fd = -1;  // poll() passes over it
      --working;
    }
  }
  return true;
}

result together(const prove_options& options, const program& tested, double started_s, bool* failed) {
  search_team team(options.jobs, options.metrics.size(), {options.preemptions_max, options.states_max});
  bool ended = false;
  {
    forked_processes members(options.jobs, [&](unsigned job, int) { explore_as(job, team, options, tested); });
    ended = wait_for(members, team, options, started_s);
  }
  *failed = team.failed();
  result found;
  for (const std::string& name : options.metrics) found.metrics.emplace_back(name, 0);
  found.interrupted = !ended;
  const search_team::outcome at_last_bound = team.at_last_bound();
  conclude(found, {ended, team.out_of_states(), team.so_far(), team.metrics_so_far(), at_last_bound}, options);
  found.time_s = monotonic_time_s() - started_s;
  return found;
}

double left_of(double time_s, double started_s) {
  return time_s > 0 ? std::max(time_s - (monotonic_time_s() - started_s), 1e-3) : 0;
}

}  // namespace

result prove_by_interleavings(const std::string& signature, const prove_options& options, const program& tested,
                              std::uint64_t states_alone) {
  bool out_of_states = false;
  // How many runs there are depends on who explored what when, and what else fails on the way to what is sought.
  if (options.jobs < 2 || options.runs != 0 || !signature.empty()) return alone(signature, options, tested, &out_of_states);

  const double started_s = monotonic_time_s();
  progress_only observer(options.observer);
  prove_options one = options;
  one.observer = &observer;
  one.states_max = options.states_max == 0 ? states_alone : std::min(options.states_max, states_alone);
  result first = alone(signature, one, tested, &out_of_states);
  if (!out_of_states || one.states_max == options.states_max || first.verdict == verdict::unsound) return first;

  bool failed = false;
  result found = together(options, tested, started_s, &failed);
  if (!failed) return found;
  // Which violation was met first depends on the processes. One alone finds the one that any number is to report.
  one.states_max = options.states_max;
  one.time_s = left_of(options.time_s, started_s);
  found = alone(signature, one, tested, &out_of_states);
  found.time_s = monotonic_time_s() - started_s;
  const bool undecided = found.interrupted || out_of_states;  // it would have been met later
  if (undecided || found.verdict == verdict::violation || found.verdict == verdict::unsound) return found;
  found.verdict = verdict::unsound;
  finding& broken = found.findings.emplace_back();
  broken.oracle = "unsound";
  broken.message = "a run failed in another process and none when the search was repeated: the program is not deterministic";
  found.claim = claim_of(found, options.limits, std::nullopt);
  return found;
}

}  // namespace kvrace::detail
