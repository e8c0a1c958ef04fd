#include <ostream>

#include <nlohmann/json.hpp>

#include "reports/json_schema_version.h"
#include "reports/json_values.h"
#include "reports/report.h"
#include "reports/rollout_json.h"

namespace kvrace::reports {
namespace {

using json = nlohmann::ordered_json;  // members in the order in which they are written

json to_json(const source_site& site) { return {{"file", site.file}, {"line", site.line}}; }

json to_json(const trace_step& step) {
  json out = {{"step", count(step.step)}, {"task", step.task},   {"operation", count(step.operation)}, {"kind", step.kind},
              {"object", step.object},    {"value", step.value}, {"site", to_json(step.site)}};
  if (step.time_ns != 0) out["time_ns"] = count(step.time_ns);
  if (step.behind != 0) out["behind"] = count(step.behind);
  out["preempts"] = step.preempts;
  out["decisive"] = step.decisive;
  return out;
}

json to_json(const operation_record& operation) {
  return {{"task", operation.task},
          {"step_call", count(operation.step_call)},
          {"step_return", count(operation.step_return)},
          {"call", operation.call},
          {"returned", operation.returned}};
}

json to_json(const ledger_event& event) {
  return {{"step", count(event.step)},
          {"task", event.task},
          {"subject", event.subject},
          {"event", event.event},
          {"detail", event.detail}};
}

json to_json(const report& facts);

template <class T>
json list(const std::vector<T>& items) {
  json out = json::array();
  for (const T& item : items) out.push_back(to_json(item));
  return out;
}

json to_json(const finding& found, const std::string& replay_command) {
  return {{"oracle", found.oracle},
          {"message", found.message},
          {"subject", found.subject},
          {"sites", list(found.sites)},
          {"run", count(found.run)},
          {"step", count(found.step)},
          {"occurrences", count(found.occurrences)},
          {"schedule", found.schedule.to_string()},
          {"trace_digest", hex(found.trace_digest)},
          {"tasks", found.tasks},
          {"trace", list(found.trace)},
          {"operations", list(found.operations)},
          {"ledger", list(found.ledger)},
          {"replay", replay_command}};
}

json effort_of(const search_counts& counts) {
  return {{"schedules", count(counts.runs)},
          {"steps", count(counts.steps)},
          {"decisions", count(counts.decisions)},
          {"switches", count(counts.switches)},
          {"decisions_max", count(counts.decisions_max)}};
}

json to_json(const search_counts& counts) {
  json out = effort_varies(counts) ? json::object() : effort_of(counts);
  out["schedules_distinct"] = count(counts.schedules_distinct);
  out["violations"] = count(counts.violations);
  out["blocked"] = count(counts.blocked);
  out["tasks_max"] = count(counts.tasks_max);
  out["executions_distinct"] = count(counts.executions_distinct);
  out["states_distinct"] = count(counts.states_distinct);
  out["states_open"] = count(counts.states_open);
  return out;
}

json timing_of(const result& found) {
  json out = {{"time_s", real(found.time_s)}};
  if (effort_varies(found.counts)) out["effort"] = effort_of(found.counts);
  return out;
}

json to_json(const std::optional<graph_certificate>& certificate, const std::string& claim) {
  if (!certificate) return nullptr;
  return {{"claim", claim},
          {"memory_model", to_string(certificate->memory_model)},
          {"steps_max", count(certificate->steps_max)},
          {"yields_bound", certificate->yields_bound},
          {"complete", count(certificate->complete)},
          {"blocked", count(certificate->blocked)},
          {"duplicates", count(certificate->duplicates)},
          {"compared", count(certificate->compared)},
          {"digest", digest_text(*certificate)}};
}

json to_json(const rate& r) {
  const json value =
      r.denominator == 0 ? json(nullptr) : json(static_cast<double>(r.numerator) / static_cast<double>(r.denominator));
  return {{"numerator", count(r.numerator)}, {"denominator", count(r.denominator)}, {"value", value}};
}

json to_json(const std::vector<rate>& rates) {
  json out = json::object();
  for (const rate& r : rates) out[r.name] = to_json(r);
  return out;
}

json to_json(const traffic_window::level& level) { return {{"mean", real(level.mean)}, {"max", count(level.max)}}; }

json to_json(const traffic_window& window) {
  return {{"start_s", real(window.start_s)},
          {"length_s", real(window.length_s)},
          {"arrivals", count(window.arrivals)},
          {"completed", count(window.completed)},
          {"cancelled", count(window.cancelled)},
          {"invalidations", count(window.invalidations)},
          {"starved", count(window.starved)},
          {"qps_offered", real(window.qps_offered)},
          {"qps_reached", real(window.qps_reached)},
          {"in_flight", to_json(window.in_flight)},
          {"queued", to_json(window.queued)},
          {"latency_ms",
           {{"p50", real(window.latency_ms.p50)},
            {"p90", real(window.latency_ms.p90)},
            {"p99", real(window.latency_ms.p99)},
            {"max", real(window.latency_ms.max)}}},
          {"rates", to_json(window.rates)}};
}

json to_json(const std::optional<traffic_facts>& traffic) {
  if (!traffic) return nullptr;
  json windows = json::array();
  for (const traffic_window& window : traffic->windows) windows.push_back(to_json(window));
  return {{"total", to_json(traffic->total)}, {"windows", std::move(windows)}};
}

json to_json(const std::optional<shard_facts>& shard) {
  if (!shard) return nullptr;
  return {
      {"index", shard->index}, {"count", shard->count}, {"scenarios", count(shard->scenarios)}, {"command", hex(shard->command)}};
}

json to_json(const std::optional<passing_run>& run) {
  if (!run) return nullptr;
  return {{"schedule", run->schedule.to_string()}, {"tasks", run->tasks}, {"trace", list(run->trace)}};
}

json to_json(const report& facts) {
  const result& found = facts.result;
  json metrics = json::object();
  for (const auto& [name, value] : found.metrics) metrics[name] = count(value);
  json bounds = json::array();
  for (const bound& b : facts.bounds) bounds.push_back({{"name", b.name}, {"value", b.value}});
  json by_bound = json::array();
  for (const std::uint64_t executions : found.executions_by_bound) by_bound.push_back(count(executions));
  json rollouts = json::array();
  for (const rollout_facts& each : facts.rollouts) rollouts.push_back(rollout_to_json(each));
  json findings = json::array();
  for (std::size_t i = 0; i < found.findings.size(); ++i) {
    findings.push_back(to_json(found.findings[i], i < facts.replay_commands.size() ? facts.replay_commands[i] : std::string()));
  }
  return {{"schema_version", schema_version},
          {"mode", facts.mode},
          {"verdict", to_string(found.verdict)},
          {"claim", found.claim},
          {"scenario",
           {{"name", facts.scenario.name},
            {"path", facts.scenario.path},
            {"digest", hex(facts.scenario.digest)},
            {"text", facts.scenario.text}}},
          {"shard", to_json(facts.shard)},
          {"expectation",
           {{"expected", facts.expectation.expected},
            {"outcome", facts.expectation.outcome},
            {"met", facts.expectation.met},
            {"exit_code", facts.expectation.exit_code}}},
          {"strategy", found.strategy},
          {"seed", count(found.seed)},
          {"preemptions_bound", found.preemptions_bound},
          {"pct_bound", real(found.pct_bound)},
          {"interrupted", found.interrupted},
          {"bounds", std::move(bounds)},
          {"counts", to_json(found.counts)},
          {"executions_by_bound", std::move(by_bound)},
          {"certificate", to_json(found.certificate, found.claim)},
          {"metrics", std::move(metrics)},
          {"rates", to_json(facts.rates)},
          {"traffic", to_json(facts.traffic)},
          {"rollouts", std::move(rollouts)},
          {"findings", std::move(findings)},
          {"shrunk", list(facts.shrunk)},
          {"passing", to_json(facts.passing)},
          {"build",
           {{"project_version", facts.build.project_version},
            {"compiler", facts.build.compiler},
            {"build_type", facts.build.build_type},
            {"target", facts.build.target}}},
          {"timing", timing_of(found)}};
}

}  // namespace

void write_json(std::ostream& out, std::span<const report> reports, const presentation&) {
  json document;
  if (reports.size() == 1) {
    document = to_json(reports.front());
  } else {
    document = json::array();
    for (const report& facts : reports) document.push_back(to_json(facts));
  }
  out << document.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
}

}  // namespace kvrace::reports
