#include "proof/graph_sharing.h"

#include <algorithm>
#include <utility>

#include "runtime/stopwatch.h"

namespace kvrace::detail {

namespace {

using step = graph_walk::step;

constexpr unsigned parts_per_idle = 8;
constexpr int wait_idle_ms = 2;  // before a worker that had nothing to give is asked again
constexpr int wait_ms = 50;
constexpr double collect_s = 0.5;

}  // namespace

graph_sharing::graph_sharing(unsigned jobs, graph_walk& walk, graph_account nothing, const std::vector<std::string>& items)
    : walk_(walk),
      nothing_(std::move(nothing)),
      parts_(nothing_),
      workers_(jobs, [this](const graph_workers::line& line) { work(line); }),
      state_(jobs) {
  for (const std::string& item : items) parts_.append(item);
}

// ---- in a worker ----

void graph_sharing::work(const graph_workers::line& line) {
  bool go_on = true;
  while (go_on) {
    const std::optional<std::string> item = line.take();
    if (!item) return;
    explore(line, *item, &go_on);
  }
  (void)line.take();  // until it is ended
}

void graph_sharing::explore(const graph_workers::line& line, const std::string& item, bool* go_on) {
  graph_proof& proof = walk_.proof();
  proof.load(item);
  graph_report report(nothing_);
  for (;;) {
    if (const std::uint32_t asked = line.asked(); asked != graph_workers::nothing) [[unlikely]] {
      if (asked == graph_workers::stop) break;
      report.given = proof.give_away(asked - 1);
      report.rest = proof.save();
      line.send(report);
      report = graph_report(nothing_);
    }
    const step came = walk_.next(report.account);
    if (came == step::explored) break;
    if (came == step::complete || came == step::blocked || came == step::inconsistent) continue;
    report.what = graph_report::kind::event;
    report.rest = proof.save_executed();
    line.send(report);
    *go_on = false;
    return;
  }
  report.what = graph_report::kind::done;
  line.send(report);
}

// ---- in the process that has forked them ----

void graph_sharing::hand_out() {
  for (unsigned i = 0; i < workers_.size(); ++i) {
    worker& each = state_[i];
    if (each.at) {
      if (parts_.wanted(*each.at) || each.asked) continue;
      workers_.ask(i, graph_workers::stop);
      each.asked = true;
      continue;
    }
    if (each.retired && std::any_of(state_.begin(), state_.end(), [](const worker& other) { return !other.retired; })) continue;
    each.at = parts_.take();
    if (!each.at) return;
    if (each.retired) workers_.renew(i);
    workers_.give(i, (*each.at)->item);
    each.asked = each.retired = false;
    each.gave = true;
  }
}

// Those without work wait for a share of what others have.
void graph_sharing::ask_for_parts() {
  const auto idle = static_cast<std::uint32_t>(
      std::count_if(state_.begin(), state_.end(), [](const worker& each) { return !each.at && !each.retired; }));
  if (idle == 0) return;
  for (unsigned i = 0; i < workers_.size(); ++i) {
    worker& each = state_[i];
    if (!each.at || each.asked || !each.gave) continue;
    each.asked = true;
    workers_.ask(i, 1 + idle * parts_per_idle);
  }
}

void graph_sharing::ask_all() {
  for (unsigned i = 0; i < workers_.size(); ++i) {
    if (!state_[i].at || state_[i].asked) continue;
    state_[i].asked = true;
    workers_.ask(i, 1);
  }
}

void graph_sharing::hear(unsigned from) {
  worker& speaker = state_[from];
  graph_report report(nothing_);
  workers_.receive(from, report);
  speaker.asked = false;
  speaker.gave = !report.given.empty();
  const graph_parts::handle at = *speaker.at;
  if (report.what != graph_report::kind::goes_on) speaker.at.reset();
  speaker.retired = report.what == graph_report::kind::event;
  if (parts_.wanted(at))
    parts_.absorb(at, std::move(report));
  else if (!speaker.at)
    graph_parts::put_back(at);
}

// What the workers have done since they last said so.
void graph_sharing::collect() {
  ask_all();
  const double until_s = monotonic_time_s() + collect_s;
  const auto open = [](const worker& each) { return each.at && each.asked; };
  while (std::any_of(state_.begin(), state_.end(), open) && monotonic_time_s() < until_s)
    if (const unsigned from = workers_.wait(wait_ms); from < workers_.size()) hear(from);
}

graph_sharing::end graph_sharing::run(const std::function<bool()>& go_on, graph_account& sum) {
  for (;;) {
    if (std::optional<std::string> executed = parts_.settle(sum)) {
      executed_ = std::move(*executed);
      return end::event;
    }
    if (parts_.empty()) return end::explored;
    if (!go_on()) break;
    hand_out();
    ask_for_parts();
    const bool hungry = std::any_of(state_.begin(), state_.end(), [](const worker& each) { return !each.at && !each.retired; });
    if (const unsigned from = workers_.wait(hungry ? wait_idle_ms : wait_ms); from < workers_.size())
      hear(from);
    else
      for (worker& each : state_) each.gave = true;
  }
  collect();
  sum = parts_.total(sum);
  return end::cut;
}

}  // namespace kvrace::detail
