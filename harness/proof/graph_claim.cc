#include "proof/graph_claim.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "runtime/claim.h"

namespace kvrace::detail {

namespace {

std::string program_of(const result& result) {
  return plural(result.counts.tasks_max, "task") + " and the body, inputs as written";
}

std::string explored(const result& result) {
  const search_counts& counts = result.counts;
  return grouped(counts.executions_distinct) + " complete, " + grouped(counts.blocked) +
         " blocked (by an unmet assumption, in a loop that waits, or behind a writer that waits for a shared_mutex), " +
         grouped(counts.runs) + " executions";
}

std::string values_of(const result& result) {
  switch (result.memory_model) {
    case memory_model::sc: return "Values are sequentially consistent, happens-before follows the C++ memory orders";
    case memory_model::rc11:
      return "Values are those RC11 allows with the release sequences of C++20; load buffering (a cycle of program order and "
             "reads-from) is not explored";
    case memory_model::rc11_genmc: break;
  }
  return "Values are those RC11 allows as the tool GenMC defines it; load buffering is not explored";
}

// Of audits, and of oracles that wait for an interleaving.
std::string judged(const result& result) {
  const search_counts& counts = result.counts;
  if (counts.graphs_judged + counts.graphs_unjudged == 0) return {};
  std::string text =
      "; audits were made, at quiescent points, and oracles that keep books and histories judged, in one order of " +
      grouped(counts.graphs_judged) + " of the complete executions";
  if (counts.graphs_unjudged != 0)
    text += ", but not of the other " + grouped(counts.graphs_unjudged) +
            ", which no interleaving is like: of those only what the engine itself detects is claimed";
  return text;
}

std::string bounds(const result& result, const limits& limits) {
  const char* loops = result.yields_bound != 0
                          ? "; a task that gave way three times with the same loads and nothing else in between was taken to "
                            "wait in a loop, which "
                            "ends without one of them reading something else only where nobody else could go on"
                          : "";
  return values_of(result) + "; " + faults_of(limits.faults) + "; timed waits may time out at any point" + loops + "; " +
         addresses_of(limits.faults) +
         "; what tasks share outside of primitives, var and shadow was seen in one order of "
         "each execution" +
         judged(result) + "; at most " + grouped(limits.steps_max) +
         " operations a run; plain data in var and shadow is free of races.";
}

// How much there is in all, as far as random probes tell.
std::string left(const result& result, const std::optional<work_estimate>& estimate) {
  if (!estimate) return {};
  const auto rounded = [](double value) { return grouped(static_cast<std::uint64_t>(std::llround(std::min(value, 1e18)))); };
  const std::string probes = grouped(estimate->probes) + " random probes";
  if (estimate->executions <= static_cast<double>(result.counts.runs))
    return " How many executions there are in all is not known: by " + probes +
           " there would be fewer than were made, as rare paths lead far.";
  const double done = static_cast<double>(result.counts.runs) / estimate->executions;
  std::ostringstream percent;
  percent.precision(2);
  percent << 100 * done;
  return " There are about " + rounded(estimate->executions) + " executions in all, with a standard error of " +
         rounded(estimate->error) + " (" + probes +
         ", which miss rare paths that lead far: too low more often than too high), of which " + percent.str() + " % were made.";
}

}  // namespace

std::string claim_of_graphs(const result& result, const limits& limits, const std::optional<work_estimate>& estimate) {
  std::ostringstream text;
  switch (result.verdict) {
    case verdict::proved:
      text << "Every execution graph of this program (" << program_of(result) << ") under " << to_string(result.memory_model)
           << " was visited once and none violates an oracle: " << explored(result) << ". " << bounds(result, limits);
      break;
    case verdict::incomplete:
      if (result.counts.executions_distinct == 0 && result.counts.blocked != 0)
        text << "Nothing was tested: no execution graph is complete. " << explored(result) << '.';
      else if (!result.refusal.empty())
        text << "Nothing is claimed: the program uses what execution graphs do not model (" << result.refusal << ").";
      else
        text << (result.interrupted ? "The exploration was interrupted, by a budget of time or memory or from outside,"
                                    : "A budget ended the exploration")
             << " without a violation: " << explored(result) << "." << left(result, estimate) << " Raise the budget to go on.";
      break;
    default: return claim_of(result, limits, std::nullopt);
  }
  return text.str();
}

graph_certificate certificate_of(const result& result, const limits& limits, const graph_account& account) {
  graph_certificate made{.memory_model = result.memory_model,
                         .steps_max = limits.steps_max,
                         .yields_bound = result.yields_bound,
                         .complete = account.tally.complete,
                         .blocked = account.tally.blocked,
                         .duplicates = account.sample.duplicates(),
                         .compared = account.sample.size()};
  const fault_budget& faults = limits.faults;
  state_key all = account.tally.digest;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(made.memory_model), made.steps_max, std::uint64_t{made.yields_bound}, made.complete,
        made.blocked, std::uint64_t{faults.weak_failures}, std::uint64_t{faults.spurious_wakeups},
        std::uint64_t{faults.allocation_failures}, std::uint64_t{faults.cancellations}, std::uint64_t{faults.address_reuses}})
    all = mix(all, part);
  made.digest = {all.high, all.low};
  return made;
}

}  // namespace kvrace::detail
