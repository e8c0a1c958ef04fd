#include "reports/page_trace.h"

#include <algorithm>

#include "reports/lock_holds.h"
#include "reports/plain_text.h"
#include "reports/relations.h"
#include "reports/step_text.h"

namespace kvrace::reports {

using nlohmann::json;

std::string page_traces::site_text(const source_site& site) {
  return site.file.empty() || site.line == 0 ? site.file : site.file + ':' + std::to_string(site.line);
}

std::size_t page_traces::text(std::string_view text) {
  const auto known = numbers_.find(text);
  if (known != numbers_.end()) return known->second;
  strings_.push_back(printable(text));
  return numbers_.emplace(text, strings_.size() - 1).first->second;
}

// [step, task, operation, kind, object, value, site, flags, time]; flags: 1 preempts, 2 decisive, 4 a stale load.
json page_traces::row_of(const trace_step& step) {
  const unsigned flags = (step.preempts ? 1U : 0U) | (step.decisive ? 2U : 0U) | (step.behind != 0 ? 4U : 0U);
  json row = json::array({step.step, step.task, step.operation, text(step.kind), text(step.object), text(step.value),
                          text(site_text(step.site)), flags});
  if (step.time_ns != 0) row.push_back(step.time_ns);
  return row;
}

// An end in a fold stands for the fold; what is within one fold is left out.
void page_traces::add_relations(json& out, const finding& found, const std::vector<std::size_t>& row_of_step) {
  json holds = json::array();
  for (const lock_hold& hold : lock_holds_of(found.trace)) {
    const std::size_t from = row_of_step[hold.from];
    const std::size_t to = hold.to ? row_of_step[*hold.to] : out["rows"].size();
    if (from == to) continue;
    holds.push_back(
        json::array({found.trace[hold.from].task, text(found.trace[hold.from].object), from, to, hold.shared ? 1 : 0}));
  }
  json arrows = json::array();
  for (const relation& each : relations_of(found)) {
    if (each.what == relation::kind::modification) continue;
    const std::size_t from = row_of_step[each.from];
    const std::size_t to = row_of_step[each.to];
    const auto folded = [&out](std::size_t row) { return out["rows"][row].is_number(); };
    if (from != to && !(folded(from) && folded(to)))
      arrows.push_back(json::array({each.what == relation::kind::reads_from ? 0 : 1, from, to}));
  }
  out["holds"] = std::move(holds);
  out["arrows"] = std::move(arrows);
}

json page_traces::ledger_of(const finding& found) {
  std::vector<const ledger_event*> events;
  for (const ledger_event& event : found.ledger) events.push_back(&event);
  if (events.size() > limits_.ledger_events && !found.subject.empty())
    std::erase_if(events, [&found](const ledger_event* event) { return event->subject != found.subject; });
  const std::size_t left_out = events.size() - std::min(events.size(), limits_.ledger_events);
  json out = json::array();
  for (std::size_t i = left_out; i < events.size(); ++i) {
    const ledger_event& event = *events[i];
    out.push_back(json::array({event.step, event.task, text(event.subject), text(event.event), text(event.detail)}));
  }
  return out;
}

json page_traces::add(const finding& found) {
  const std::vector<std::size_t> kept = telling_steps(found, limits_.rows_of_trace);
  if (kept.empty() || kept.size() > rows_left_) return nullptr;
  rows_left_ -= kept.size();
  json rows = json::array();
  std::vector<std::size_t> row_of_step(found.trace.size());
  std::size_t next = 0;
  const auto fold_up_to = [&](std::size_t end) {
    if (next == end) return;
    for (std::size_t i = next; i < end; ++i) row_of_step[i] = rows.size();
    rows.push_back(end - next);
  };
  int failed = -1;
  for (const std::size_t index : kept) {
    fold_up_to(index);
    row_of_step[index] = rows.size();
    if (failed_at(found, index)) failed = static_cast<int>(rows.size());
    rows.push_back(row_of(found.trace[index]));
    next = index + 1;
  }
  fold_up_to(found.trace.size());
  json tasks = json::array();
  for (unsigned task = 0; task < found.tasks.size(); ++task) tasks.push_back(text(task_name(found.tasks, task)));
  json calls = json::array();
  for (std::size_t i = 0; i < std::min(found.operations.size(), limits_.rows_of_trace); ++i) {
    const operation_record& call = found.operations[i];
    calls.push_back(json::array({call.task, call.step_call, call.step_return, text(call.call), text(call.returned)}));
  }
  json out{{"steps", found.trace.size()},
           {"tasks", std::move(tasks)},
           {"rows", std::move(rows)},
           {"calls", std::move(calls)},
           {"ledger", ledger_of(found)},
           {"events", found.ledger.size()},
           {"failed", failed},
           {"subject", text(found.subject)}};
  add_relations(out, found, row_of_step);
  return out;
}

json page_traces::add(const passing_run& run, const std::vector<std::string>& tasks) {
  finding quiet;
  quiet.schedule = run.schedule;
  quiet.tasks = run.tasks.empty() ? tasks : run.tasks;
  quiet.trace = run.trace;
  return add(quiet);
}

}  // namespace kvrace::reports
