#include "scenarios/sweep.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>

#include <kvrace/shared_work.h>

#include "scenarios/interval.h"
#include "scenarios/outcome.h"
#include "scenarios/program.h"
#include "scenarios/scenario.h"
#include "scenarios/traffic_account.h"
#include "scenarios/traffic_program.h"

namespace kvrace::scenarios {
namespace {

bool makes_sense(const std::string& flaw, const std::string& locking) {
  for (const cache::flaw_description& each : cache::flaws())
    if (each.name == flaw) return std::find(each.locking.begin(), each.locking.end(), locking) != each.locking.end();
  return false;
}

std::uint64_t metric(const kvrace::result& result, cache::metric which) {
  return result.metrics[static_cast<std::size_t>(which)].second;
}

// Sums are the same on every machine; what is computed of them is rounded, as libraries differ in last places.
double rounded(double value) { return std::round(value * 1e9) / 1e9; }

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", share * 100);
  return text;
}

double mean_of(const std::vector<swept_run>& runs, double swept_run::* what) {
  double sum = 0;
  for (const swept_run& each : runs) sum += each.*what;
  return runs.empty() ? 0 : rounded(sum / static_cast<double>(runs.size()));
}
std::uint64_t sum_of(const std::vector<swept_run>& runs, std::uint64_t swept_run::* what) {
  std::uint64_t sum = 0;
  for (const swept_run& each : runs) sum += each.*what;
  return sum;
}

reports::sweep_point describe(double qps, const std::vector<swept_run>& all) {
  reports::sweep_point point;
  point.qps = qps;
  point.runs = all.size();
  std::vector<swept_run> runs;
  std::vector<double> shares;
  for (const swept_run& each : all) {
    point.violations += each.violation ? 1 : 0;
    point.cut_short += each.ended ? 0 : 1;
    if (!each.ended) continue;
    runs.push_back(each);
    if (each.completed != 0) shares.push_back(static_cast<double>(each.polluted) / static_cast<double>(each.completed));
  }
  point.completed = sum_of(runs, &swept_run::completed);
  point.polluted = sum_of(runs, &swept_run::polluted);
  for (std::size_t way = 0; way < cache::pollution_ways; ++way) {
    std::uint64_t count = 0;
    for (const swept_run& each : runs) count += each.polluted_by[way];
    point.ways.emplace_back(to_string(static_cast<cache::pollution_way>(way)), count);
  }
  if (!shares.empty()) {
    const interval around = mean_with_interval(shares);
    point.mean = rounded(around.mean);
    point.low = rounded(std::max(around.low, 0.0));
    point.high = rounded(std::min(around.high, 1.0));
  }
  point.qps_reached = mean_of(runs, &swept_run::qps_reached);
  point.in_flight = mean_of(runs, &swept_run::in_flight);
  point.p50_ms = mean_of(runs, &swept_run::p50_ms);
  point.p99_ms = mean_of(runs, &swept_run::p99_ms);
  point.hit = {"hit", sum_of(runs, &swept_run::tokens_hit), sum_of(runs, &swept_run::tokens_queried)};
  point.starved = sum_of(runs, &swept_run::starved);
  return point;
}

bool concerns(const sweep::answer& answer, const reports::sweep_curve& curve) {
  const bool any = answer.locking.empty();
  return curve.flaw_set == answer.flaw_set &&
         (any || std::find(answer.locking.begin(), answer.locking.end(), curve.locking) != answer.locking.end());
}

// Of the points that were swept; an answer about no such point is left out.
std::vector<reports::sweep_answer> judge_points(const sweep& asked, const std::vector<reports::sweep_curve>& curves) {
  std::vector<reports::sweep_answer> answers;
  for (const sweep::answer& answer : asked.answers)
    for (const reports::sweep_curve& curve : curves) {
      if (!concerns(answer, curve)) continue;
      double low = 1;
      double high = 0;
      for (const reports::sweep_point& point : curve.points) {
        if (answer.qps && *answer.qps != point.qps) continue;
        low = std::min(low, point.mean);
        high = std::max(high, point.mean);
      }
      if (low > high) continue;
      const double min = answer.percent_min / 100;
      const double max = answer.percent_max / 100;
      char load[64];
      std::snprintf(load, sizeof load, "%g requests a second", answer.qps.value_or(0));
      answers.push_back({.expected = (min == max ? percent(min) : percent(min) + " to " + percent(max)) + " polluted at " +
                                     (answer.qps ? load : "every load") + " with " + curve.locking + ", flaws '" +
                                     curve.flaw_set + "'",
                         .outcome = low == high ? percent(low) : percent(low) + " to " + percent(high),
                         .met = low >= min && high <= max});
    }
  return answers;
}

// Where no flaw is planted, no oracle may fail; and a run that was cut short has measured nothing.
std::string complaint_about(const std::vector<reports::sweep_curve>& curves) {
  for (const reports::sweep_curve& curve : curves)
    for (const reports::sweep_point& point : curve.points) {
      const bool unexpected = curve.flaws.empty() && point.violations != 0;
      if (!unexpected && point.cut_short == 0) continue;
      char load[32];
      std::snprintf(load, sizeof load, "%g", point.qps);
      return (unexpected ? std::to_string(point.violations) + " runs with a violation"
                         : std::to_string(point.cut_short) + " runs cut short") +
             " at " + load + " requests a second with " + curve.locking + ", flaws '" + curve.flaw_set + "'";
    }
  return {};
}

reports::expectation_facts judge(const std::vector<reports::sweep_answer>& answers,
                                 const std::vector<reports::sweep_curve>& curves) {
  reports::expectation_facts facts{.expected = std::to_string(answers.size()) + " answers of the scenario",
                                   .outcome = "all as expected",
                                   .met = true,
                                   .exit_code = exit_as_expected};
  const auto missed = std::count_if(answers.begin(), answers.end(), [](const auto& each) { return !each.met; });
  if (missed != 0)
    facts = {.expected = facts.expected,
             .outcome = std::to_string(missed) + " of them did not come out",
             .met = false,
             .exit_code = exit_not_shown};
  if (const std::string complaint = complaint_about(curves); !complaint.empty())
    facts = {.expected = facts.expected, .outcome = complaint, .met = false, .exit_code = exit_violation};
  return facts;
}

}  // namespace

std::vector<swept_curve> curves_of(const sweep& asked) {
  std::vector<swept_curve> curves;
  for (const std::string& locking : asked.locking) {
    const std::size_t first = curves.size();
    for (const sweep::flaw_set& set : asked.flaw_sets) {
      swept_curve curve{locking, set.name, {}};
      for (const std::string& flaw : set.flaws)
        if (makes_sense(flaw, locking)) curve.flaws.push_back(flaw);
      const bool known = std::any_of(curves.begin() + static_cast<std::ptrdiff_t>(first), curves.end(),
                                     [&](const swept_curve& each) { return each.flaws == curve.flaws; });
      if (!known) curves.push_back(std::move(curve));
    }
  }
  return curves;
}

swept_run run_point(const scenario& from, const swept_curve& curve, double qps, std::uint64_t seed) {
  scenario point = from;
  point.cache.configuration.locking = curve.locking;
  point.cache.configuration.flaws = curve.flaws;
  point.traffic->qps = qps;
  point.traffic->seed = seed;
  point.search.seed = seed;
  point.steps_max = std::max(from.steps_max, traffic_steps_max(*point.traffic));
  // What flaws lead to is counted, whether or not an oracle states it; a finding would be executed again for its report.
  if (!curve.flaws.empty())
    for (const cache::oracle_description& each : cache::oracles()) point.cache.oracles_off.emplace_back(each.name);
  traffic_account account(*point.traffic);
  const kvrace::result result = search_for_violations(point, nullptr, &account);
  const reports::traffic_window total = account.facts().total;
  swept_run run;
  run.violation = !result.findings.empty();
  run.ended = total.arrivals == total.completed + total.cancelled + total.invalidations;
  run.completed = metric(result, cache::metric::requests_completed);
  run.polluted = metric(result, cache::metric::requests_polluted);
  for (std::size_t way = 0; way < cache::pollution_ways; ++way)
    run.polluted_by[way] = result.metrics[static_cast<std::size_t>(cache::metric::polluted_by) + way].second;
  run.starved = metric(result, cache::metric::requests_starved);
  run.tokens_queried = metric(result, cache::metric::tokens_queried);
  run.tokens_hit = metric(result, cache::metric::tokens_hit);
  run.qps_reached = total.qps_reached;
  run.in_flight = total.in_flight.mean;
  run.p50_ms = total.latency_ms.p50;
  run.p99_ms = total.latency_ms.p99;
  return run;
}

std::optional<reports::sweep_facts> carry_out(const scenario& asked, unsigned jobs, kvrace::search_observer& observer) {
  static_assert(std::is_trivially_copyable_v<swept_run>);
  const sweep& grid = *asked.sweep;
  const std::vector<swept_curve> curves = curves_of(grid);
  const std::uint64_t seeds = grid.seed_count;
  const std::uint64_t loads = grid.qps.size();
  reports::sweep_facts facts;
  for (const swept_curve& each : curves) facts.curves.push_back({each.locking, each.flaw_set, each.flaws, {}});
  kvrace::search_progress progress{.runs_max = curves.size() * loads * seeds};
  std::vector<swept_run> of_a_point;
  const shared_work work{
      .pieces = progress.runs_max,
      .work =
          [&](std::uint64_t index) {
            const swept_run run = run_point(asked, curves[index / (loads * seeds)], grid.qps[index / seeds % loads],
                                            grid.seed_first + index % seeds);
            return std::string(reinterpret_cast<const char*>(&run), sizeof run);
          },
      .take =
          [&](std::uint64_t index, const std::string& came_to) {
            std::memcpy(&of_a_point.emplace_back(), came_to.data(), sizeof(swept_run));
            progress.runs = index + 1;
            if (of_a_point.size() < seeds) return;
            facts.curves[index / (loads * seeds)].points.push_back(describe(grid.qps[index / seeds % loads], of_a_point));
            of_a_point.clear();
          },
      .go_on =
          [&](double time_s) {
            progress.time_s = time_s;
            return observer.on_progress(progress);
          }};
  const shared_work_done done = do_shared(jobs, work);
  if (!done.complete) return std::nullopt;
  facts.time_s = done.time_s;

  facts.scenario = {.name = asked.name, .path = asked.source.path, .digest = asked.source.digest, .text = asked.source.text};
  facts.seed_first = grid.seed_first;
  facts.seed_count = seeds;
  facts.requests = asked.traffic->requests_expected();
  facts.interval = "95 %, Student's t over the shares of the runs";
  facts.answers = judge_points(grid, facts.curves);
  facts.expectation = judge(facts.answers, facts.curves);
  return facts;
}

}  // namespace kvrace::scenarios
