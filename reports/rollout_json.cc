#include "reports/rollout_json.h"

#include <utility>

#include "reports/json_values.h"

namespace kvrace::reports {
namespace {

using json = nlohmann::ordered_json;  // members in the order in which they are written

json to_json(const rollout_population& of) {
  return {{"queries", count(of.queries)},
          {"tokens_queried", count(of.tokens_queried)},
          {"tokens_hit", count(of.tokens_hit)},
          {"queries_triggering", count(of.queries_triggering)},
          {"similarity", {{"count", count(of.similarity_count)}, {"mean", real(of.similarity_mean)}}},
          {"isolation_violations", count(of.isolation_violations)},
          {"polluted", count(of.polluted)}};
}

json to_json(const rollout_point& point) {
  return {{"time_s", real(point.time_s)},
          {"split",
           {{"stable", point.stable_permille}, {"candidate", point.candidate_permille}, {"baseline", point.baseline_permille}}},
          {"stable", to_json(point.stable)},
          {"candidate", to_json(point.candidate)},
          {"baseline", to_json(point.baseline)},
          {"judgement", point.judgement},
          {"failed", point.failed},
          {"decision", point.decision}};
}

json seconds(const std::optional<double>& time) { return time ? real(*time) : json(nullptr); }

json to_json(const rollout_alert& alert) {
  return {{"name", alert.name},
          {"pending_s", real(alert.pending_s)},
          {"firing_s", seconds(alert.firing_s)},
          {"resolved_s", seconds(alert.resolved_s)}};
}

json to_json(const rollout_served& served) { return {{"wrong", count(served.wrong)}, {"served", count(served.served)}}; }

template <class T>
json list(const std::vector<T>& items) {
  json out = json::array();
  for (const T& item : items) out.push_back(to_json(item));
  return out;
}

rollout_population read_population(const node& at) {
  at.expect_members(
      {"queries", "tokens_queried", "tokens_hit", "queries_triggering", "similarity", "isolation_violations", "polluted"});
  const node similarity = at.member("similarity");
  similarity.expect_members({"count", "mean"});
  return {.queries = at.member("queries").count(),
          .tokens_queried = at.member("tokens_queried").count(),
          .tokens_hit = at.member("tokens_hit").count(),
          .queries_triggering = at.member("queries_triggering").count(),
          .similarity_count = similarity.member("count").count(),
          .similarity_mean = similarity.member("mean").real(),
          .isolation_violations = at.member("isolation_violations").count(),
          .polluted = at.member("polluted").count()};
}

rollout_point read_point(const node& at) {
  at.expect_members({"time_s", "split", "stable", "candidate", "baseline", "judgement", "failed", "decision"});
  const node split = at.member("split");
  split.expect_members({"stable", "candidate", "baseline"});
  return {.time_s = at.member("time_s").real(),
          .stable_permille = split.member("stable").small_count(),
          .candidate_permille = split.member("candidate").small_count(),
          .baseline_permille = split.member("baseline").small_count(),
          .stable = read_population(at.member("stable")),
          .candidate = read_population(at.member("candidate")),
          .baseline = read_population(at.member("baseline")),
          .judgement = at.member("judgement").text(),
          .failed = at.member("failed").list([](const node& rule) { return rule.text(); }),
          .decision = at.member("decision").text()};
}

std::optional<double> read_seconds(const node& at) {
  if (at.is_null()) return std::nullopt;
  return at.real();
}

rollout_alert read_alert(const node& at) {
  at.expect_members({"name", "pending_s", "firing_s", "resolved_s"});
  return {.name = at.member("name").text(),
          .pending_s = at.member("pending_s").real(),
          .firing_s = read_seconds(at.member("firing_s")),
          .resolved_s = read_seconds(at.member("resolved_s"))};
}

rollout_served read_served(const node& at) {
  at.expect_members({"wrong", "served"});
  return {.wrong = at.member("wrong").count(), .served = at.member("served").count()};
}

}  // namespace

json rollout_to_json(const rollout_facts& facts) {
  return {{"start_s", real(facts.start_s)},
          {"outcome", facts.outcome},
          {"decided_s", seconds(facts.decided_s)},
          {"reason", facts.reason},
          {"until_decided", to_json(facts.until_decided)},
          {"without_canary", facts.without_canary ? to_json(*facts.without_canary) : json(nullptr)},
          {"stable", to_json(facts.stable)},
          {"candidate", to_json(facts.candidate)},
          {"baseline", to_json(facts.baseline)},
          {"alerts", list(facts.alerts)},
          {"points", list(facts.points)}};
}

rollout_facts rollout_from_json(const node& at) {
  at.expect_members({"start_s", "outcome", "decided_s", "reason", "until_decided", "without_canary", "stable", "candidate",
                     "baseline", "alerts", "points"});
  const node without = at.member("without_canary");
  return {.start_s = at.member("start_s").real(),
          .points = at.member("points").list(read_point),
          .alerts = at.member("alerts").list(read_alert),
          .outcome = at.member("outcome").text(),
          .decided_s = read_seconds(at.member("decided_s")),
          .reason = at.member("reason").text(),
          .stable = read_population(at.member("stable")),
          .candidate = read_population(at.member("candidate")),
          .baseline = read_population(at.member("baseline")),
          .until_decided = read_served(at.member("until_decided")),
          .without_canary = without.is_null() ? std::nullopt : std::optional(read_served(without))};
}

}  // namespace kvrace::reports
