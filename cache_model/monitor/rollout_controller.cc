#include "cache_model/monitor/rollout_controller.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace kvrace::monitor {

using std::chrono::nanoseconds;

namespace {

std::string seconds_text(nanoseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g s", static_cast<double>(time.count()) / 1e9);
  return text;
}

std::string failed_rules(const judged_window& judged) {
  std::string names;
  for (std::size_t each = 0; each < rule_count; ++each)
    if (judged.by_rule[each] == judgement::bad)
      names += (names.empty() ? "" : ", ") + std::string(to_string(static_cast<rule>(each)));
  return names;
}

}  // namespace

traffic_split split_for(unsigned candidate_permille) {
  const unsigned baseline = std::min(candidate_permille, 1000 - candidate_permille);
  return {.stable = 1000 - candidate_permille - baseline, .candidate = candidate_permille, .baseline = baseline};
}

const char* to_string(decision which) {
  switch (which) {
    case decision::hold: return "hold";
    case decision::next_step: return "next step";
    case decision::promote: return "promote";
    case decision::roll_back: return "roll back";
  }
  return "?";
}

const char* to_string(rollout_state which) {
  switch (which) {
    case rollout_state::none: return "none";
    case rollout_state::ramping: return "ramping";
    case rollout_state::promoted: return "promoted";
    case rollout_state::rolled_back: return "rolled back";
  }
  return "?";
}

rollout_controller::rollout_controller(rules by, std::vector<ramp_step> ramp) : rules_(by), ramp_(std::move(ramp)) {}

void rollout_controller::begin(nanoseconds now, const population_counters& read) {
  state_ = rollout_state::ramping;
  step_ = 0;
  start_ = last_ = now;
  next_ = now + rules_.interval;
  line_ = watched_ = healthy_ = {};
  data_at_ = std::nullopt;
  readings_.assign(1, {line_, read});
  last_baseline_ = {};
  tracked_ = {};
  decided_at_ = std::nullopt;
  reason_.clear();
  evaluations_.clear();
  alerts_.clear();
}

bool rollout_controller::due(nanoseconds now) const { return state_ != rollout_state::none && (now >= next_ || now < last_); }

traffic_split rollout_controller::split() const {
  switch (state_) {
    case rollout_state::ramping: return split_for(ramp_[step_].candidate_permille);
    case rollout_state::promoted: return split_for(1000);
    default: return split_for(0);
  }
}

decision rollout_controller::evaluate(nanoseconds now, const population_counters& read) {
  if (state_ == rollout_state::none) return decision::hold;
  pass(now);
  evaluation seen{.time = now, .split = split(), .window = window_of(read), .judged = {}};
  judge_window(seen);
  update_alerts(seen);
  seen.decision = decide(seen);
  evaluations_.push_back(seen);
  return seen.decision;
}

void rollout_controller::pass(nanoseconds now) {
  const nanoseconds passed = std::max(now - last_, nanoseconds{});
  elapsed_ = passed <= rules_.gap_max ? passed : nanoseconds{};
  line_ += passed;
  last_ = now;
  nanoseconds beyond = (now - start_) % rules_.interval;
  if (beyond < nanoseconds{}) beyond += rules_.interval;
  next_ = now + rules_.interval - beyond;
}

population_counters rollout_controller::window_of(const population_counters& read) {
  // The last reading that is a window old or older, else the oldest there is.
  auto from = readings_.begin();
  while (from + 1 != readings_.end() && (from + 1)->line <= line_ - rules_.window) ++from;
  const population_counters& then = from->read;
  const population_counters counted{.stable = between(then.stable, read.stable),
                                    .candidate = between(then.candidate, read.candidate),
                                    .baseline = between(then.baseline, read.baseline)};
  readings_.erase(readings_.begin(), from);
  readings_.push_back({line_, read});
  return counted;
}

void rollout_controller::judge_window(evaluation& seen) {
  seen.warming_up = line_ < rules_.warm_up;
  const bool baseline_gone = seen.split.baseline == 0;
  if (!baseline_gone && seen.window.baseline.queries >= rules_.queries_min) last_baseline_ = seen.window.baseline;
  if (seen.warming_up) return;
  seen.judged = judge(rules_, seen.window.candidate, baseline_gone ? last_baseline_ : seen.window.baseline, baseline_gone);
  if (seen.judged.overall == judgement::no_data) return;
  const nanoseconds unseen = line_ - data_at_.value_or(line_);
  if (unseen <= rules_.gap_max) watched_ += unseen;
  data_at_ = line_;
}

void rollout_controller::raise(std::size_t alert, nanoseconds now) {
  static constexpr std::array<const char*, 3> others = {"anomaly", "isolation", "outage"};
  tracked& its = tracked_[alert];
  if (its.open) return;
  its = {.open = alerts_.size(), .since = watched_};
  alerts_.push_back(
      {.name = alert < rule_count ? to_string(static_cast<rule>(alert)) : others[alert - rule_count], .pending_since = now});
}

void rollout_controller::resolve(std::size_t alert, nanoseconds now) {
  tracked& its = tracked_[alert];
  if (its.open) alerts_[*its.open].resolved_at = now;
  its.open = std::nullopt;
}

// `holds` is bad, does not hold good; without data nothing changes.
void rollout_controller::update(std::size_t alert, judgement state, nanoseconds now) {
  if (state == judgement::no_data) return;
  if (state != judgement::bad) return resolve(alert, now);
  raise(alert, now);
  alert_record& record = alerts_[*tracked_[alert].open];
  if (!record.firing_since && watched_ - tracked_[alert].since >= rules_.persistence) record.firing_since = now;
}

void rollout_controller::update_alerts(const evaluation& seen) {
  const counters& candidate = seen.window.candidate;
  if (candidate.isolation_violations != 0) {
    raise(isolation, seen.time);
    alert_record& record = alerts_[*tracked_[isolation].open];
    if (!record.firing_since) record.firing_since = seen.time;
  } else {
    resolve(isolation, seen.time);
  }
  if (state_ == rollout_state::rolled_back && candidate.queries == 0) {
    for (std::size_t each = 0; each < alert_count; ++each) resolve(each, seen.time);
    return;
  }
  judgement shared = seen.judged.overall == judgement::no_data ? judgement::no_data : judgement::good;
  for (std::size_t each = 0; each < rule_count; ++each) {
    const judgement one = seen.judged.by_rule[each].value_or(judgement::no_data);
    update(each, one, seen.time);
    if (one == judgement::both_bad) shared = judgement::bad;
  }
  update(anomaly, seen.judged.overall, seen.time);
  update(outage, shared, seen.time);
}

bool rollout_controller::firing(std::size_t alert) const {
  return tracked_[alert].open && alerts_[*tracked_[alert].open].firing_since;
}

decision rollout_controller::decide(const evaluation& seen) {
  if (state_ != rollout_state::ramping) return decision::hold;
  if (firing(isolation) || firing(anomaly)) {
    roll_back(seen);
    return decision::roll_back;
  }
  return go_on(seen);
}

void rollout_controller::roll_back(const evaluation& seen) {
  if (firing(isolation)) {
    reason_ = "the candidate violated isolation";
  } else {
    reason_ = "the candidate was bad from " + seconds_text(alerts_[*tracked_[anomaly].open].pending_since) + " to " +
              seconds_text(seen.time) + ": " + failed_rules(seen.judged);
  }
  state_ = rollout_state::rolled_back;
  decided_at_ = seen.time;
}

// A good evaluation speaks for the time since the one before it. Bad ones begin the hold anew; no data adds nothing to it.
decision rollout_controller::go_on(const evaluation& seen) {
  if (seen.judged.overall == judgement::no_data) return decision::hold;
  if (seen.judged.overall != judgement::good) {
    healthy_ = {};
    return decision::hold;
  }
  healthy_ += elapsed_;
  if (healthy_ < ramp_[step_].hold) return decision::hold;
  healthy_ = {};
  if (step_ + 1 < ramp_.size()) {
    ++step_;
    return decision::next_step;
  }
  state_ = rollout_state::promoted;
  decided_at_ = seen.time;
  reason_ = "the candidate was healthy through all " + std::to_string(ramp_.size()) + " steps";
  return decision::promote;
}

}  // namespace kvrace::monitor
