// The claim of a result as a sentence that says what was done, and nothing more.
#pragma once

#include <string>

#include <kvrace/check.h>
#include <kvrace/result.h>

namespace kvrace::detail {

// Not one run got past the program's own assumptions: a search that saw no violation has shown nothing.
[[nodiscard]] inline bool tested_nothing(const search_counts& counts) {
  if (counts.states_distinct != 0) return counts.executions_distinct == 0 && counts.blocked != 0;
  return counts.runs != 0 && counts.runs == counts.blocked;
}

[[nodiscard]] std::string claim_of(const result& result, const limits& limits,
                                   const std::optional<strategy::probability_bound>& bound);
// Of one schedule that was followed.
[[nodiscard]] std::string claim_of_replay(const result& result);

// "no spurious wakeups or failures", or how many of what.
std::string faults_of(const fault_budget& faults);
// What memory is handed out again in a proof.
[[nodiscard]] std::string addresses_of(const fault_budget& faults);
std::string plural(std::uint64_t count, const char* noun);
std::string grouped(std::uint64_t number);  // 1,234,567

}  // namespace kvrace::detail
