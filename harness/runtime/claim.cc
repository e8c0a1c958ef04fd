#include "runtime/claim.h"

#include <sstream>

#include "memory/store_history.h"

namespace kvrace::detail {

std::string plural(std::uint64_t count, const char* noun) { return std::to_string(count) + " " + noun + (count == 1 ? "" : "s"); }

// Digits in groups: 1,234,567.
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string faults_of(const fault_budget& faults) {
  std::string text;
  const auto add = [&text](unsigned count, const char* noun) {
    if (count != 0) text += (text.empty() ? "at most " : ", ") + plural(count, noun);
  };
  add(faults.spurious_wakeups, "spurious wakeup");
  add(faults.weak_failures, "spurious failure");
  add(faults.allocation_failures, "allocation failure");
  add(faults.cancellations, "cancellation");
  return text.empty() ? "no spurious wakeups or failures" : text + " a task and no other";
}

std::string addresses_of(const fault_budget& faults) {
  if (faults.address_reuses == 0) return "no address of a destroyed object is reused";
  return "an address is reused by the task that gave it back only, at most " + plural(faults.address_reuses, "time") + " by each";
}

namespace {

std::string program_of(const result& result) {
  return plural(result.counts.tasks_max, "task") + " and the body, inputs as written";
}

// What holds for every exhaustive claim.
std::string exhaustive_bounds(const result& result, const limits& limits) {
  return "Values are sequentially consistent, happens-before follows the C++ memory orders; " + faults_of(limits.faults) +
         "; timed waits may time out at any point; " + addresses_of(limits.faults) + "; at most " + grouped(limits.steps_max) +
         " operations a run" +
         (result.yields_bound != 0 ? "; a task that has given way " + plural(result.yields_bound, "time") +
                                         " waits, where it does so again, until no other can go on"
                                   : "") +
         (result.calls_ordered_causally
              ? "; of the calls of a history, one precedes another if its last operation happens before the other's first"
              : "") +
         (limits.call_steps_max != 0 ? "; no call takes more than " + plural(limits.call_steps_max, "step") + " of its own"
                                     : "") +
         (limits.lock_order ? "; no locks are taken in orders that contradict each other" : "") +
         (limits.data_races ? "; plain data in var and shadow is free of races." : "; data races were not looked for.");
}

std::string sampled_values(const result& result) {
  if (result.memory_model == memory_model::sc) return "sequentially consistent values";
  return "values that RC11 allows: a load reads one of the last " + std::to_string(stores_kept) +
         " stores to its object in the order of execution, which is their modification order, and none that is yet to come";
}

std::string explored(const result& result) {
  const search_counts& counts = result.counts;
  return grouped(counts.executions_distinct) + " complete executions up to happens-before equivalence, " +
         grouped(counts.states_distinct) + " states" +
         (counts.blocked != 0 ? ", " + grouped(counts.blocked) + " blocked by an unmet assumption" : "");
}

std::string nothing_claimed(const result& result) {
  return "Nothing is claimed: " +
         (result.findings.empty() ? std::string("the execution left the harness's control") : result.findings.front().message) +
         ".";
}

// Of a bounded search, how many runs it took depends on who explored what when: its claims count executions and states.
bool by_states(const result& result) { return result.counts.states_distinct != 0; }

std::string undecided(const result& result) {
  const search_counts& counts = result.counts;
  const std::string of = by_states(result) ? grouped(counts.executions_distinct) + " executions" : plural(counts.runs, "run");
  return "Whether a history is linearizable was not decided within its budget in " + grouped(counts.undecided) + " of " + of +
         " (" + result.strategy +
         "); none was seen to violate an oracle. Raise the budget of the history, or make fewer calls on one key.";
}

std::string incomplete(const result& result) {
  const search_counts& counts = result.counts;
  if (tested_nothing(counts))
    return "Nothing was tested: each of " + grouped(by_states(result) ? counts.blocked : counts.runs) + " runs (" +
           result.strategy + ") was blocked by an assumption of the program that was not met.";
  if (counts.undecided != 0) return undecided(result);
  const char* const ended = result.interrupted ? "The search was interrupted, by a budget of time or memory or from outside,"
                                               : "A budget ended the search";
  const std::string way_on = result.interrupted ? "" : " Raise the budget to go on.";
  if (!by_states(result))
    return std::string(ended) + " after " + grouped(counts.runs) + " runs (" + result.strategy + ") without a violation." +
           way_on;
  return std::string(ended) + " (" + result.strategy + ") without a violation: " + grouped(counts.states_distinct) +
         " states visited" +
         (counts.states_open != 0 ? ", " + grouped(counts.states_open) + " known and not visited" : std::string()) +
         (result.executions_by_bound.empty()
              ? std::string()
              : "; exhausted up to " + plural(result.executions_by_bound.size() - 1, "preemption") + ", " +
                    grouped(result.executions_by_bound.back()) + " executions") +
         "." + way_on;
}

}  // namespace

std::string claim_of(const result& result, const limits& limits, const std::optional<strategy::probability_bound>& bound) {
  const search_counts& counts = result.counts;
  std::ostringstream text;
  switch (result.verdict) {
    case verdict::proved:
      text << "Every sc execution of this program (" << program_of(result)
           << ") was explored and none violates an oracle: " << explored(result)
           << "; the visited states are closed under every enabled operation. " << exhaustive_bounds(result, limits);
      break;
    case verdict::exhausted:
      text << "Every sc execution of this program (" << program_of(result) << ") with at most "
           << plural(result.preemptions_bound, "preemption") << " was explored and none violates an oracle: " << explored(result)
           << "; " << grouped(counts.states_open) << " successor states need more preemptions. "
           << exhaustive_bounds(result, limits);
      break;
    case verdict::not_found:
      text << "No violation in " << grouped(counts.runs) << (counts.runs == 1 ? " sampled schedule (" : " sampled schedules (")
           << result.strategy << ", seed " << result.seed << ") of " << program_of(result) << ", at most "
           << grouped(counts.decisions_max) << " decisions a run, " << sampled_values(result)
           << (faults_of(limits.faults) == faults_of({}) ? "" : ", " + faults_of(limits.faults))
           << (counts.blocked != 0 ? "; " + grouped(counts.blocked) + " of them were blocked by an unmet assumption" : "")
           << ". A sample shows effort, not absence.";
      break;
    case verdict::violation:
      text << "An oracle failed: " << (result.findings.empty() ? std::string("unknown") : result.findings.front().oracle)
           << ", in " << grouped(counts.violations) << " of " << grouped(counts.runs) << (counts.runs == 1 ? " run (" : " runs (")
           << result.strategy << ", seed " << result.seed
           << (result.memory_model == memory_model::sc ? std::string()
                                                       : std::string(", values under ") + to_string(result.memory_model))
           << ").";
      break;
    case verdict::incomplete: text << incomplete(result); break;
    case verdict::unsound: text << nothing_claimed(result); break;
  }
  if (bound && result.verdict != verdict::unsound && bound->runs_outside == result.counts.runs) {
    text << " No run was within the " << grouped(bound->decisions_max)
         << " decisions for which PCT promises a probability: none is claimed.";
  } else if (bound && result.verdict != verdict::unsound) {
    text << " A bug of depth " << bound->depth << " is hit by one run with probability at least " << bound->probability
         << " (valid for runs of at most " << grouped(bound->decisions_max) << " decisions";
    if (bound->runs_outside != 0) text << "; " << grouped(bound->runs_outside) << " runs were longer and are outside the bound";
    text << ").";
  }
  return text.str();
}

std::string claim_of_replay(const result& result) {
  if (result.verdict == verdict::unsound) return nothing_claimed(result);
  if (result.verdict == verdict::violation)
    return "The schedule was followed, and an oracle failed: " + result.findings.front().oracle + ".";
  if (result.counts.undecided != 0)
    return "The schedule was followed and no oracle failed, but whether a history of its run is linearizable was not decided "
           "within its budget. Raise the budget of the history, or make fewer calls on one key.";
  if (result.counts.blocked != 0)
    return "The schedule was followed, and its run was blocked by an assumption of the program that was not met.";
  return "The schedule was followed to its end and no oracle failed. It is one of many: nothing is claimed about the others.";
}

}  // namespace kvrace::detail
