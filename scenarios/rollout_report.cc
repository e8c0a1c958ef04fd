#include "scenarios/rollout_report.h"

#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "scenarios/outcome.h"
#include "scenarios/program.h"

namespace kvrace::scenarios {
namespace {

using std::chrono::nanoseconds;

nanoseconds time_of(double seconds) { return nanoseconds(std::llround(seconds * 1e9)); }

std::string text_of(nanoseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", static_cast<double>(time.count()) / 1e9);
  return text;
}

std::string about(const rollout::answer& answer) {
  std::string text = answer.outcome;
  if (answer.at) text += " at " + text_of(*answer.at);
  if (answer.after_bad) text += ", " + text_of(*answer.after_bad) + " after the first bad evaluation";
  if (!answer.reason.empty()) text += ", reason '" + answer.reason + "'";
  return text;
}

// Of the anomaly that led to the decision.
std::optional<nanoseconds> first_bad(const reports::rollout_facts& facts) {
  for (auto alert = facts.alerts.rbegin(); alert != facts.alerts.rend(); ++alert)
    if (alert->name == "anomaly" && alert->firing_s) return time_of(alert->pending_s);
  return std::nullopt;
}

bool meets(const reports::rollout_facts& facts, const rollout::answer& answer) {
  if (facts.outcome != answer.outcome || facts.reason.find(answer.reason) == std::string::npos) return false;
  const std::optional<nanoseconds> at = facts.decided_s ? std::optional(time_of(*facts.decided_s)) : std::nullopt;
  if (answer.at && at != answer.at) return false;
  if (!answer.after_bad) return true;
  const std::optional<nanoseconds> bad = first_bad(facts);
  return at && bad && *at - *bad == *answer.after_bad;
}

std::string told(const reports::rollout_facts& facts) {
  std::string text = facts.outcome;
  if (facts.decided_s) text += " at " + text_of(time_of(*facts.decided_s));
  if (const auto bad = first_bad(facts)) text += ", bad since " + text_of(*bad);
  return facts.reason.empty() ? text : text + ": " + facts.reason;
}

}  // namespace

void add_silent_release(const scenario& from, std::vector<reports::rollout_facts>& rollouts, kvrace::search_observer* observer) {
  if (!from.rollout->canary || rollouts.empty()) return;
  std::vector<silent_release::span> spans;
  for (const reports::rollout_facts& each : rollouts)
    spans.push_back({.from = time_of(each.start_s), .to = each.decided_s ? time_of(*each.decided_s) : nanoseconds::max()});
  released_traffic router(from, std::move(spans));
  const kvrace::result result = search_for_violations(from, observer, nullptr, 1, {}, &router);
  if (result.interrupted || !result.findings.empty()) return;
  for (std::size_t at = 0; at < rollouts.size(); ++at) rollouts[at].without_canary = router.served().spans()[at].served;
}

void judge_rollouts(const scenario& from, const std::vector<reports::rollout_facts>& rollouts,
                    reports::expectation_facts& expectation) {
  const std::vector<rollout::answer>& answers = from.rollout->answers;
  for (std::size_t at = 0; at < answers.size(); ++at) expectation.expected += (at == 0 ? "; " : ", then ") + about(answers[at]);
  if (!expectation.met) return;
  for (std::size_t at = 0; at < answers.size(); ++at) {
    if (at < rollouts.size() && meets(rollouts[at], answers[at])) continue;
    const std::string which = "rollout " + std::to_string(at + 1) + ": ";
    expectation.outcome = which + (at < rollouts.size() ? told(rollouts[at]) : "has not begun");
    expectation.met = false;
    expectation.exit_code = exit_not_shown;
    return;
  }
}

}  // namespace kvrace::scenarios
