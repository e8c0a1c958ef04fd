#include "proof/graph_parts.h"

#include <utility>

namespace kvrace::detail {

void graph_parts::append(std::string item) { parts_.push_back({.item = std::move(item), .account = nothing_}); }

std::optional<graph_parts::handle> graph_parts::take() {
  for (auto at = parts_.begin(); at != parts_.end() && at->now != part::state::event; ++at) {
    if (at->now != part::state::waits) continue;
    at->now = part::state::in_work;
    return at;
  }
  return std::nullopt;
}

bool graph_parts::wanted(handle at) const {
  for (auto each = parts_.begin(); each != parts_.end(); ++each) {
    if (each == std::list<part>::const_iterator(at)) return true;
    if (each->now == part::state::event) return false;
  }
  return false;
}

void graph_parts::absorb(handle at, graph_report report) {
  if (report.what == graph_report::kind::event) {
    at->now = part::state::event;
    at->executed = std::move(report.rest);
    at->before_event = std::move(report.account);
    return;
  }
  at->account.add(report.account);
  at->item = std::move(report.rest);
  if (report.what == graph_report::kind::done) at->now = part::state::done;
  auto after = std::next(at);
  for (std::string& each : report.given) parts_.insert(after, {.item = std::move(each), .account = nothing_});
}

std::optional<std::string> graph_parts::settle(graph_account& sum) {
  while (!parts_.empty() && parts_.front().now == part::state::done) {
    sum.add(parts_.front().account);
    parts_.pop_front();
  }
  if (parts_.empty() || parts_.front().now != part::state::event) return std::nullopt;
  part event = std::move(parts_.front());
  parts_.clear();
  sum.add(event.account);
  sum.add(*event.before_event);
  return std::move(event.executed);
}

graph_account graph_parts::total(const graph_account& sum) const {
  graph_account all = sum;
  for (const part& each : parts_) all.add(each.account);
  return all;
}

std::vector<std::string> graph_parts::items() const {
  std::vector<std::string> left;
  for (const part& each : parts_)
    if (each.now != part::state::done) left.push_back(each.item);
  return left;
}

std::uint64_t graph_parts::executions() const {
  std::uint64_t sum = 0;
  for (const part& each : parts_) sum += each.account.tally.executions;
  return sum;
}

}  // namespace kvrace::detail
