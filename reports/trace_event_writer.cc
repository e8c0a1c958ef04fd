// Trace Event JSON, which ui.perfetto.dev and chrome://tracing open: a process a finding, a track a task. A step lasts one
// microsecond there, so that each can be seen. Where virtual time passes, a second process shows it.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
#include <algorithm>
#include <map>
#include <ostream>

#include "reports/fingerprint.h"
#include "reports/json_pieces.h"
#include "reports/plain_text.h"
#include "reports/relations.h"
#include "reports/report.h"
#include "reports/step_text.h"

namespace kvrace::reports {
namespace {

// Of all reports together: findings, and of their steps the last ones. A step, its arrows and its moment take up to 750 bytes.
constexpr std::size_t findings_max = 20;
constexpr std::size_t steps_max = 25'000;

class writer {
 public:
  explicit writer(std::ostream& out) : events_(out) {}

  void write(const finding& found, const std::string& name) {
    found_ = &found;
    const std::size_t shown = std::min(found.trace.size(), steps_left_);
    steps_left_ -= shown;
    first_ = found.trace.size() - shown;
    left_out_ += first_;
    ++process_;
    describe(name + ", in steps");
    write_calls();
    for (std::size_t i = first_; i < found.trace.size(); ++i) write_step(i);
    for (const relation& each : relations_of(found)) write_arrow(each);
    for (const ledger_event& event : found.ledger)
      if (event.step >= first_step()) write_ledger(event);
    if (shown == 0 || found.trace.back().time_ns == found.trace.front().time_ns) return;
    ++process_;
    describe(name + ", in virtual time");
    for (std::size_t i = first_; i < found.trace.size(); ++i) write_moment(found.trace[i]);
  }

  [[nodiscard]] std::size_t steps_left_out() const { return left_out_; }

 private:
  // What ended before it is not shown either.
  [[nodiscard]] std::uint64_t first_step() const {
    return first_ == 0 ? 0 : first_ < found_->trace.size() ? found_->trace[first_].step : found_->step;
  }

  ordered_json event(const char* phase, unsigned task, double at) const {
    return {{"ph", phase}, {"pid", process_}, {"tid", task}, {"ts", at}};
  }

  void describe(const std::string& name) {
    const auto told = [this](const char* what, ordered_json arguments, unsigned task) {
      events_.add({{"ph", "M"}, {"pid", process_}, {"tid", task}, {"name", what}, {"args", std::move(arguments)}});
    };
    told("process_name", {{"name", printable(name)}}, 0);
    told("process_sort_index", {{"sort_index", process_}}, 0);
    for (unsigned task = 0; task < found_->tasks.size(); ++task) {
      told("thread_name", {{"name", task_name(found_->tasks, task)}}, task);
      told("thread_sort_index", {{"sort_index", task}}, task);
    }
  }

  // Around the steps of the call, from the one after `step_call`. One that has not returned lasts until the end.
  void write_calls() {
    const std::uint64_t last = found_->trace.empty() ? found_->step : found_->trace.back().step;
    for (const operation_record& call : found_->operations) {
      const std::uint64_t end = call.step_return == 0 ? last : call.step_return;
      if (end <= call.step_call || end < first_step()) continue;
      ordered_json slice = event("X", call.task, static_cast<double>(call.step_call + 1));
      slice["dur"] = end - call.step_call;
      slice["cat"] = "call";
      slice["name"] = printable(call.call);
      slice["args"] = {{"returned", printable(call.returned)}};
      events_.add(slice);
    }
  }

  // Accesses to plain data carry the number of the step before them: they share its microsecond.
  void write_step(std::size_t index) {
    const trace_step& step = found_->trace[index];
    if (index == first_ || found_->trace[index - 1].step != step.step) {
      entry_ = 0;
      entries_ = 1;
      while (index + entries_ < found_->trace.size() && found_->trace[index + entries_].step == step.step) ++entries_;
    }
    const double length = 1.0 / static_cast<double>(entries_);
    const double start = static_cast<double>(step.step) + length * static_cast<double>(entry_++);
    ordered_json slice = event("X", step.task, start);
    slice["dur"] = length;
    slice["cat"] = failed_at(*found_, index) ? "failed" : step.decisive ? "decisive" : "step";
    slice["name"] = step_text(step) + (failed_at(*found_, index) ? " (the oracle failed)" : "");
    slice["args"] = {{"step", step.step}, {"site", site_text(step.site)}, {"preempts", step.preempts}};
    events_.add(slice);
    middles_[index] = start + length / 2;
  }

  void write_arrow(const relation& each) {
    if (each.what == relation::kind::modification || each.from < first_) return;
    const char* const name = each.what == relation::kind::reads_from ? "reads from" : "handed over";
    ++arrow_;
    for (const bool start : {true, false}) {
      const std::size_t at = start ? each.from : each.to;
      ordered_json end = event(start ? "s" : "f", found_->trace[at].task, middles_.at(at));
      end["id"] = arrow_;
      end["cat"] = "relation";
      end["name"] = name;
      if (!start) end["bp"] = "e";
      events_.add(end);
    }
  }

  void write_ledger(const ledger_event& event_of) {
    ordered_json mark = event("i", event_of.task, static_cast<double>(event_of.step) + 0.5);
    mark["s"] = "t";
    mark["cat"] = "ledger";
    mark["name"] = printable(event_of.event + ' ' + event_of.subject);
    mark["args"] = {{"detail", printable(event_of.detail)}};
    events_.add(mark);
  }

  void write_moment(const trace_step& step) {
    ordered_json mark = event("i", step.task, static_cast<double>(step.time_ns) / 1000.0);
    mark["s"] = "t";
    mark["cat"] = step.decisive ? "decisive" : "step";
    mark["name"] = step_text(step);
    mark["args"] = {{"step", step.step}};
    events_.add(mark);
  }

  json_items events_;
  const finding* found_ = nullptr;
  std::size_t first_ = 0;  // index of the first step that is shown
  std::size_t steps_left_ = steps_max;
  std::size_t left_out_ = 0;
  std::size_t entry_ = 0;
  std::size_t entries_ = 1;
  std::map<std::size_t, double> middles_;
  unsigned process_ = 0;
  std::uint64_t arrow_ = 0;
};

}  // namespace

void write_trace_events(std::ostream& out, std::span<const report> reports, const presentation&) {
  out << "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
  writer events(out);
  std::size_t written = 0;
  std::size_t total = 0;
  for (const report& facts : reports) {
    total += facts.result.findings.size();
    for (std::size_t i = 0; i < facts.result.findings.size() && written < findings_max; ++i, ++written) {
      const finding& found = facts.result.findings[i];
      events.write(shown_finding(facts, i),
                   scenario_id(facts.scenario) + ": " + found.oracle + " in run " + std::to_string(found.run));
    }
  }
  out << "],\n\"otherData\": "
      << dumped({{"findings", std::to_string(total)},
                 {"left out", std::to_string(total - written)},
                 {"steps left out", std::to_string(events.steps_left_out())}})
      << "}\n";
}

}  // namespace kvrace::reports
