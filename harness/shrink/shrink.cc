#include <kvrace/shrink.h>

#include <algorithm>
#include <map>

#include "runtime/stopwatch.h"

namespace kvrace {

namespace {

class shrinker {
 public:
  shrinker(const shrink_options& options, const finding& from, const program& tested)
      : options_(options), tested_(tested), signature_(from.signature()) {
    best_.minimal = from;
    best_.preemptions = preemptions_of(from);
  }

  shrunk run() {
    best_.interrupted = !go_on();
    leave_out_answers();
    search_with_fewer_preemptions();
    compare_with_passing();
    best_.time_s = elapsed_s();
    return std::move(best_);
  }

 private:
  [[nodiscard]] double elapsed_s() const { return detail::monotonic_time_s() - started_s_; }
  bool spent() {
    if (!best_.interrupted && pace_.due() && !go_on()) best_.interrupted = true;
    return best_.interrupted || best_.runs >= options_.runs;
  }
  [[nodiscard]] bool go_on() const {
    const double time_s = elapsed_s();
    if (options_.time_s > 0 && time_s >= options_.time_s) return false;
    if (options_.observer == nullptr) return true;
    search_progress progress;
    progress.runs = best_.runs;
    progress.runs_max = options_.runs;
    progress.time_s = time_s;
    progress.time_s_max = options_.time_s;
    return options_.observer->on_progress(progress);
  }

  // The run of `candidate`; its verdict is UNSOUND if the program cannot follow it.
  result attempt(const schedule& candidate) {
    ++best_.runs;
    return replay({options_.limits, options_.metrics}, candidate, tested_);
  }

  bool adopt(const result& found) {
    if (found.verdict != verdict::violation || found.findings.front().signature() != signature_) return false;
    const finding& candidate = found.findings.front();
    const unsigned preemptions = preemptions_of(candidate);
    if (preemptions > best_.preemptions) return false;
    const std::uint64_t run = best_.minimal.run;
    const std::uint64_t occurrences = best_.minimal.occurrences;
    best_.minimal = candidate;
    best_.minimal.run = run;
    best_.minimal.occurrences = occurrences;
    best_.preemptions = preemptions;
    return true;
  }

  // Delta debugging (Zeller, Hildebrandt 2002) on the deviations from the baseline.
  void leave_out_answers() {
    std::size_t chunk = (best_.minimal.schedule.deviations.size() + 1) / 2;
    while (chunk >= 1 && !spent()) {
      bool progress = false;
      for (std::size_t at = 0; at < best_.minimal.schedule.deviations.size() && !spent();) {
        if (adopt(attempt(without(at, chunk))))
          progress = true;
        else
          at += chunk;
      }
      if (!progress || chunk > best_.minimal.schedule.deviations.size()) chunk = chunk == 1 && progress ? 1 : chunk / 2;
    }
  }

  [[nodiscard]] schedule without(std::size_t at, std::size_t count) const {
    schedule candidate = best_.minimal.schedule;
    const auto first = candidate.deviations.begin() + static_cast<std::ptrdiff_t>(at);
    const auto last =
        candidate.deviations.begin() + static_cast<std::ptrdiff_t>(std::min(at + count, candidate.deviations.size()));
    candidate.deviations.erase(first, last);
    return candidate;
  }

  // The search raises its bound step by step, so the first violation it meets has the fewest preemptions there are.
  void search_with_fewer_preemptions() {
    if (best_.preemptions == 0) {
      best_.certified = true;  // there are no fewer
      return;
    }
    if (spent() || !options_.search) return;
    prove_options search;
    search.preemptions_max = best_.preemptions - 1;
    search.runs = options_.runs - best_.runs;
    search.states_max = options_.states_max;
    search.limits = options_.limits;
    search.metrics = options_.metrics;
    // What is left of the time, and not nothing, which would be no budget.
    if (options_.time_s > 0) search.time_s = std::max(options_.time_s - elapsed_s(), 1e-3);
    search.observer = options_.observer;
    const result found = search_for(signature_, search, tested_);
    best_.runs += found.counts.runs;
    best_.interrupted = found.interrupted;
    const bool whole = !schedule::has_stale_reads(best_.minimal.schedule.set_up);  // the search knows none
    if (found.verdict == verdict::proved || found.verdict == verdict::exhausted) best_.certified = whole;
    if (adopt(found))
      best_.certified = best_.preemptions == 0 || (whole && found.executions_by_bound.size() >= best_.preemptions);
  }

  // One answer left out; where each of these still fails, in whatever way, neighbours together.
  void compare_with_passing() {
    const std::size_t answers = best_.minimal.schedule.deviations.size();
    for (std::size_t count = 1; count <= answers; ++count) {
      for (std::size_t at = answers - count + 1; at-- > 0 && !spent();) {
        const schedule candidate = without(at, count);
        const result found = attempt(candidate);
        if (found.verdict != verdict::not_found) continue;
        best_.passing = candidate;
        find_decisive_pair(found);
        return;
      }
    }
  }

  // A step of a run by what does not depend on the schedule: its task and that task's own count.
  using event = std::pair<unsigned, std::uint64_t>;

  void find_decisive_pair(const result& passing) {
    std::map<event, std::uint64_t> position;
    for (const trace_step& step : passing.trace)
      if (step.operation != 0) position[{step.task, step.operation}] = step.step;
    const std::vector<trace_step>& failing = best_.minimal.trace;
    for (std::size_t later = failing.size(); later-- > 0;) {
      for (std::size_t earlier = later; earlier-- > 0;) {
        const trace_step& a = failing[earlier];
        const trace_step& b = failing[later];
        if (a.task == b.task || a.object.empty() || a.object != b.object || a.operation == 0 || b.operation == 0) continue;
        const auto before = position.find({a.task, a.operation});
        const auto after = position.find({b.task, b.operation});
        if (before == position.end() || after == position.end() || before->second < after->second) continue;
        best_.decisive = {a.step, b.step};
        return;
      }
    }
  }

  const shrink_options& options_;
  const program& tested_;
  std::string signature_;
  shrunk best_;
  double started_s_ = detail::monotonic_time_s();
  detail::paced_check pace_{0.1};
};

}  // namespace

unsigned preemptions_of(const finding& recorded) {
  return static_cast<unsigned>(
      std::count_if(recorded.trace.begin(), recorded.trace.end(), [](const trace_step& step) { return step.preempts; }));
}

shrunk shrink(const shrink_options& options, const finding& from, const program& tested) {
  return shrinker(options, from, tested).run();
}

}  // namespace kvrace
