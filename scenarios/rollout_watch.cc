#include "scenarios/rollout_watch.h"

#include <algorithm>
#include <span>
#include <string>

#include "cache_model/monitor/similarity.h"

namespace kvrace::scenarios {
namespace {

using std::chrono::nanoseconds;

constexpr std::uint64_t vectors_seed = 1;

double seconds(nanoseconds time) { return static_cast<double>(time.count()) / 1e9; }

monitor::counters& of(monitor::population_counters& all, cache::population which) {
  switch (which) {
    case cache::population::stable: return all.stable;
    case cache::population::baseline: return all.baseline;
    case cache::population::candidate: break;
  }
  return all.candidate;
}

// A token in its context has a vector of its own, as with a language model.
std::vector<std::uint32_t> tokens_of(std::span<const std::uint64_t> digests) {
  std::vector<std::uint32_t> tokens;
  for (const std::uint64_t digest : digests) tokens.push_back(static_cast<std::uint32_t>(digest ^ digest >> 32U));
  return tokens;
}

monitor::population_counters between(const monitor::population_counters& earlier, const monitor::population_counters& later) {
  return {.stable = monitor::between(earlier.stable, later.stable),
          .candidate = monitor::between(earlier.candidate, later.candidate),
          .baseline = monitor::between(earlier.baseline, later.baseline)};
}

reports::rollout_population describe(const monitor::counters& from) {
  const auto sum = static_cast<double>(from.similarity_sum) / static_cast<double>(monitor::similarity_one);
  return {.queries = from.queries,
          .tokens_queried = from.tokens_queried,
          .tokens_hit = from.tokens_hit,
          .queries_triggering = from.queries_triggering,
          .similarity_count = from.similarity_count,
          .similarity_mean = from.similarity_count == 0 ? 0 : sum / static_cast<double>(from.similarity_count),
          .isolation_violations = from.isolation_violations,
          .polluted = from.polluted};
}

reports::rollout_point describe(const monitor::evaluation& from) {
  reports::rollout_point point{.time_s = seconds(from.time),
                               .stable_permille = from.split.stable,
                               .candidate_permille = from.split.candidate,
                               .baseline_permille = from.split.baseline,
                               .stable = describe(from.window.stable),
                               .candidate = describe(from.window.candidate),
                               .baseline = describe(from.window.baseline),
                               .judgement = from.warming_up ? "warming up" : to_string(from.judged.overall),
                               .failed = {},
                               .decision = to_string(from.decision)};
  for (std::size_t rule = 0; rule < monitor::rule_count; ++rule)
    if (from.judged.by_rule[rule] == monitor::judgement::bad)
      point.failed.emplace_back(to_string(static_cast<monitor::rule>(rule)));
  return point;
}

reports::rollout_alert describe(const monitor::alert_record& from) {
  const auto time = [](const std::optional<nanoseconds>& at) { return at ? std::optional(seconds(*at)) : std::nullopt; };
  return {.name = from.name,
          .pending_s = seconds(from.pending_since),
          .firing_s = time(from.firing_since),
          .resolved_s = time(from.resolved_at)};
}

reports::rollout_served all_of(const monitor::population_counters& counters) {
  const auto sum = [&](std::uint64_t monitor::counters::* what) {
    return counters.stable.*what + counters.candidate.*what + counters.baseline.*what;
  };
  return {.wrong = sum(&monitor::counters::polluted), .served = sum(&monitor::counters::queries)};
}

cache::traffic_split routed(const monitor::traffic_split& split) {
  return {.candidate = split.candidate, .baseline = split.baseline};
}

}  // namespace

rollout_watch::rollout_watch(const rollout& asked) : asked_(asked), controller_(asked.rules, asked.ramp) {}

void rollout_watch::begin_run() { *this = rollout_watch(rollout(asked_)); }

void rollout_watch::count(cache::population which, const traffic_account::ended_request& request, const cache::text_read& text) {
  monitor::counters& counters = of(counters_, which);
  counters.tokens_queried += request.tokens_queried;
  counters.tokens_hit += request.tokens_hit;
  counters.isolation_violations += request.outcome.broke_isolation ? 1 : 0;
  if (request.cancelled) return;
  ++counters.queries;
  ++counters.similarity_count;
  counters.similarity_sum += text.read.empty() ? monitor::similarity_one
                                               : monitor::similarity(vectors_seed, tokens_of(text.meant), tokens_of(text.read));
  counters.polluted += is_wrong(request) ? 1 : 0;
}

bool rollout_watch::over() const {
  return !began_ || controller_.state() == monitor::rollout_state::rolled_back ||
         controller_.state() == monitor::rollout_state::promoted;
}

nanoseconds rollout_watch::next_look() const {
  if (!began_) return asked_.begins.front();
  const nanoseconds evaluation = controller_.next_evaluation();
  return over() && another_to_begin() ? std::min(evaluation, asked_.begins[next_rollout_]) : evaluation;
}

// The counters stand still while the monitor gets none.
const monitor::population_counters& rollout_watch::readable(nanoseconds now) {
  const bool blind =
      std::any_of(asked_.blind.begin(), asked_.blind.end(), [&](const auto& each) { return each.from < now && now <= each.to; });
  if (!blind) read_ = counters_;
  return read_;
}

rollout_watch::order rollout_watch::look(nanoseconds now) {
  if (over() && another_to_begin() && now >= asked_.begins[next_rollout_]) return begin(now);
  if (!began_ || !controller_.due(now)) return {};
  return follow(controller_.evaluate(now, readable(now)));
}

rollout_watch::order rollout_watch::isolation_violated(nanoseconds now) {
  if (over()) return {};
  return follow(controller_.evaluate(now, readable(now)));
}

rollout_watch::order rollout_watch::begin(nanoseconds now) {
  if (began_) close();
  ++next_rollout_;
  began_ = now;
  at_beginning_ = counters_;
  at_decision_.reset();
  controller_.begin(now, readable(now));
  if (!asked_.canary) return {.what = order::kind::route, .split = {.candidate = cache::traffic_split::whole}};
  return {.what = order::kind::route, .split = routed(controller_.split())};
}

rollout_watch::order rollout_watch::follow(monitor::decision decided) {
  if (!asked_.canary || decided == monitor::decision::hold) return {};
  if (decided != monitor::decision::next_step) at_decision_ = counters_;
  if (decided == monitor::decision::roll_back) return {.what = order::kind::roll_back};
  return {.what = order::kind::route, .split = routed(controller_.split())};
}

void rollout_watch::end_run() {
  if (began_) close();
  began_.reset();
}

void rollout_watch::close() {
  reports::rollout_facts& facts = facts_.emplace_back();
  facts.start_s = seconds(*began_);
  for (const monitor::evaluation& each : controller_.evaluations()) facts.points.push_back(describe(each));
  for (const monitor::alert_record& each : controller_.alerts()) facts.alerts.push_back(describe(each));
  switch (controller_.state()) {
    case monitor::rollout_state::promoted: facts.outcome = "promoted"; break;
    case monitor::rollout_state::rolled_back: facts.outcome = "rolled back"; break;
    default: facts.outcome = "held"; break;
  }
  if (const auto at = controller_.decided_at()) facts.decided_s = seconds(*at);
  facts.reason = controller_.reason();
  if (!asked_.canary) {
    facts.outcome = "promoted";
    facts.decided_s = facts.start_s;
    facts.reason = "The candidate got all requests at once; what the monitor says was not asked for.";
  }
  const monitor::population_counters whole = between(at_beginning_, counters_);
  facts.stable = describe(whole.stable);
  facts.candidate = describe(whole.candidate);
  facts.baseline = describe(whole.baseline);
  facts.until_decided = all_of(between(at_beginning_, at_decision_.value_or(counters_)));
}

void silent_release::count(nanoseconds now, const traffic_account::ended_request& request) {
  if (request.cancelled) return;
  for (span& each : spans_) {
    if (now < each.from || now > each.to) continue;
    ++each.served.served;
    each.served.wrong += is_wrong(request) ? 1 : 0;
  }
}

}  // namespace kvrace::scenarios
