// The runs of one search, one after the other or in several processes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kvrace/check.h>

#include "proof/bounded_search.h"
#include "runtime/distinct_hashes.h"
#include "runtime/execution.h"
#include "runtime/workers.h"

namespace kvrace::detail {

// So many runs are executed before other processes are asked for the rest: a search that is over by then needs none, and a
// strategy has learnt what it learns in its first runs.
inline constexpr std::uint64_t runs_before_workers = 64;

// Longer schedules are not kept while sampling, so that memory stays flat in runs of millions of requests: a run that fails is
// then sampled again, with everything kept.
inline constexpr std::size_t deviations_sampled_max = 100'000;

[[nodiscard]] execution& the_execution();
[[nodiscard]] std::string signature_of(const run_failure& failure);
[[nodiscard]] std::uint64_t hash_of(std::string_view text);
void add_run(search_counts& counts, const execution& done);

// What check(), prove() and replay() share: runs, tallies, findings. The outer of the two loops.
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
    std::uint64_t memory_bytes_max = 0;  // 0: none
  };
  // True if the strategy came to its end, false if a budget, a violation or an interrupt ended the loop.
  bool loop(strategy& strategy, const program& tested, const budget& limit, bounded_search* bounded);

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
  bool give_up(std::uint64_t run, const std::string& why);
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
  distinct_hashes schedules_;
  std::optional<schedule> first_;  // of the first run
  run_summary first_summary_;
  bool cut_ = false;  // a budget or the observer has ended the search
  std::uint64_t runs_outside_ = 0;
};

}  // namespace kvrace::detail
