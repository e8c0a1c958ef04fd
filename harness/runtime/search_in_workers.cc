// The part of a search that several processes share.
#include <algorithm>
#include <string>

#include "runtime/search.h"
#include "runtime/stopwatch.h"

namespace kvrace::detail {

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
    if (!the_run.failure() && !strategy.divergence()) continue;
    block.failures.emplace_back(index, the_run.failure() ? hash_of(signature_of(*the_run.failure())) : 0);
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
  counts.undecided += block.counts.undecided;
  counts.tasks_max = std::max(counts.tasks_max, block.counts.tasks_max);
  counts.decisions_max = std::max(counts.decisions_max, block.counts.decisions_max);
  runs_outside_ += block.runs_outside;
  for (std::size_t i = 0; i < metrics_.size(); ++i) metrics_[i] += block.metrics[i];
  schedules_.insert(block.schedules);
  for (const auto& [index, hash] : block.failures) {
    const auto known = std::find_if(by_signature_.begin(), by_signature_.end(),
                                    [hash](const auto& each) { return hash_of(each.first) == hash; });
    if (known != by_signature_.end()) {
      ++counts.violations;
      ++found_.findings[known->second].occurrences;
      continue;
    }
    run_end end = run_again(strategy, tested, limit, index, true);
    if (!the_execution().deviations_complete()) end = run_again(strategy, tested, limit, index, false);
    if (end == run_end::unsound) return give_up(index, the_execution().failure()->message);
    if (!the_execution().failure()) {
      const std::optional<std::string> lost = strategy.divergence();
      return give_up(index, lost.value_or("run " + std::to_string(index) +
                                          " failed in another process and not when repeated: the program is not deterministic"));
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

}  // namespace kvrace::detail
