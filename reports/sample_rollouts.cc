#include "reports/sample_reports.h"

namespace kvrace::reports::sample {
namespace {

rollout_population population(std::uint64_t queries, double similarity, std::uint64_t polluted) {
  rollout_population of;
  if (queries == 0) return of;
  of.queries = queries;
  of.tokens_queried = queries * 10;
  of.tokens_hit = queries * 9;
  of.queries_triggering = queries / 50;
  of.similarity_count = queries;
  of.similarity_mean = similarity;
  of.polluted = polluted;
  return of;
}

rollout_point point(double time, unsigned candidate_permille, double similarity) {
  const unsigned baseline_permille = candidate_permille > 500 ? 1000 - candidate_permille : candidate_permille;
  const bool bad = similarity < 0.95;
  rollout_point made;
  made.time_s = time;
  made.stable_permille = 1000 - candidate_permille - baseline_permille;
  made.candidate_permille = candidate_permille;
  made.baseline_permille = baseline_permille;
  made.stable = population(4 * made.stable_permille, 1, 0);
  made.candidate = population(4 * candidate_permille, similarity, bad ? candidate_permille : 0);
  made.baseline = population(4 * baseline_permille, 1, 0);
  made.judgement = candidate_permille == 0 ? "no data" : bad ? "bad" : "good";
  if (bad && candidate_permille != 0) made.failed = {"similarity"};
  made.decision = "hold";
  return made;
}

rollout_facts rolled_back() {
  rollout_facts facts;
  for (int i = 1; i <= 12; ++i) facts.points.push_back(point(5 * i, i <= 7 ? 50 : 0, i <= 7 && i > 1 ? 0.75 : i == 1 ? 0.9 : 1));
  facts.points[6].decision = "roll back";
  facts.alerts = {{.name = "similarity", .pending_s = 5, .firing_s = 35, .resolved_s = 45},
                  {.name = "anomaly", .pending_s = 5, .firing_s = 35, .resolved_s = 45}};
  facts.outcome = "rolled back";
  facts.decided_s = 35;
  facts.reason = "the candidate was bad from 5 s to 35 s: similarity";
  facts.stable = population(45'000, 1, 0);
  facts.candidate = population(1'400, 0.77, 350);
  facts.baseline = population(1'400, 1, 0);
  facts.until_decided = {.wrong = 350, .served = 28'000};
  facts.without_canary = rollout_served{.wrong = 7'000, .served = 28'000};
  return facts;
}

rollout_facts promoted() {
  rollout_facts facts;
  facts.start_s = 60;
  for (int i = 1; i <= 36; ++i) facts.points.push_back(point(60 + 5 * i, i <= 12 ? 50 : i <= 24 ? 500 : 1000, 1));
  facts.points[11].decision = facts.points[23].decision = "next step";
  facts.points[35].decision = "promote";
  facts.outcome = "promoted";
  facts.decided_s = 240;
  facts.reason = "the candidate was healthy through all 3 steps";
  facts.stable = population(43'200, 1, 0);
  facts.candidate = population(74'400, 1, 0);
  facts.baseline = population(26'400, 1, 0);
  facts.until_decided = {.wrong = 0, .served = 144'000};
  return facts;
}

}  // namespace

report rollouts() {
  report out = traffic();
  out.scenario.name = "a flawed candidate, and its repair";
  out.traffic = std::nullopt;
  out.rollouts = {rolled_back(), promoted()};
  return out;
}

}  // namespace kvrace::reports::sample
