// Reads exactly what the writer writes: a missing, misplaced or unknown member is an error that names its place.
#include <array>

#include <nlohmann/json.hpp>

#include "reports/json_node.h"
#include "reports/json_schema_version.h"
#include "reports/json_text.h"
#include "reports/report.h"
#include "reports/rollout_json.h"

namespace kvrace::reports {
namespace {

using json = nlohmann::ordered_json;

source_site read_site(const node& at) {
  at.expect_members({"file", "line"});
  return {.file = at.member("file").text(), .line = at.member("line").small_count()};
}

trace_step read_step(const node& at) {
  at.expect_members({"step", "task", "operation", "kind", "object", "value", "site", "preempts", "decisive"},
                    {"time_ns", "behind"});
  return {.step = at.member("step").count(),
          .task = at.member("task").small_count(),
          .operation = at.member("operation").count(),
          .kind = at.member("kind").text(),
          .object = at.member("object").text(),
          .value = at.member("value").text(),
          .site = read_site(at.member("site")),
          .time_ns = at.has("time_ns") ? at.member("time_ns").count() : 0,
          .behind = at.has("behind") ? at.member("behind").count() : 0,
          .preempts = at.member("preempts").boolean(),
          .decisive = at.member("decisive").boolean()};
}

operation_record read_operation(const node& at) {
  at.expect_members({"task", "step_call", "step_return", "call", "returned"});
  return {.task = at.member("task").small_count(),
          .step_call = at.member("step_call").count(),
          .step_return = at.member("step_return").count(),
          .call = at.member("call").text(),
          .returned = at.member("returned").text()};
}

ledger_event read_event(const node& at) {
  at.expect_members({"step", "task", "subject", "event", "detail"});
  return {.step = at.member("step").count(),
          .task = at.member("task").small_count(),
          .subject = at.member("subject").text(),
          .event = at.member("event").text(),
          .detail = at.member("detail").text()};
}

schedule read_schedule(const node& at) {
  std::string error;
  std::optional<schedule> parsed = schedule::parse(at.text(), &error);
  if (!parsed) refuse(at.pointer(), "a schedule: " + error);
  return *std::move(parsed);
}

// Also the reader's promise that `task` is an index into `tasks`.
template <class T>
void expect_tasks(const node& at, const std::vector<T>& items, std::size_t tasks) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].task >= tasks) refuse(at.pointer() + '/' + std::to_string(i) + "/task", "an index into /tasks of the finding");
  }
}

finding read_finding(const node& at) {
  at.expect_members({"oracle", "message", "subject", "sites", "run", "step", "occurrences", "schedule", "trace_digest", "tasks",
                     "trace", "operations", "ledger", "replay"});
  finding out;
  out.oracle = at.member("oracle").text();
  out.message = at.member("message").text();
  out.subject = at.member("subject").text();
  out.sites = at.member("sites").list(read_site);
  out.run = at.member("run").count();
  out.step = at.member("step").count();
  out.occurrences = at.member("occurrences").count();
  out.schedule = read_schedule(at.member("schedule"));
  out.trace_digest = at.member("trace_digest").hex();
  out.tasks = at.member("tasks").list([](const node& name) { return name.text(); });
  out.trace = at.member("trace").list(read_step);
  out.operations = at.member("operations").list(read_operation);
  out.ledger = at.member("ledger").list(read_event);
  expect_tasks(at.member("trace"), out.trace, out.tasks.size());
  expect_tasks(at.member("operations"), out.operations, out.tasks.size());
  expect_tasks(at.member("ledger"), out.ledger, out.tasks.size());
  return out;
}

constexpr std::initializer_list<const char*> effort_members{"schedules", "steps", "decisions", "switches", "decisions_max"};

void read_effort(const node& at, search_counts& counts) {
  counts.runs = at.member("schedules").count();
  counts.steps = at.member("steps").count();
  counts.decisions = at.member("decisions").count();
  counts.switches = at.member("switches").count();
  counts.decisions_max = at.member("decisions_max").count();
}

// Up to version 4 all of it stands in "counts".
search_counts read_counts(const node& at, const node& timing) {
  at.expect_members(
      {"schedules_distinct", "violations", "blocked", "tasks_max", "executions_distinct", "states_distinct", "states_open"},
      effort_members);
  timing.expect_members({"time_s"}, {"effort"});
  search_counts counts{.schedules_distinct = at.member("schedules_distinct").count(),
                       .violations = at.member("violations").count(),
                       .blocked = at.member("blocked").count(),
                       .tasks_max = at.member("tasks_max").count(),
                       .executions_distinct = at.member("executions_distinct").count(),
                       .states_distinct = at.member("states_distinct").count(),
                       .states_open = at.member("states_open").count()};
  if (!timing.has("effort")) {
    read_effort(at, counts);
    return counts;
  }
  const node effort = timing.member("effort");
  effort.expect_members(effort_members);
  read_effort(effort, counts);
  return counts;
}

kvrace::memory_model read_memory_model(const node& at) {
  const std::string name = at.text();
  for (const auto candidate : {kvrace::memory_model::sc, kvrace::memory_model::rc11, kvrace::memory_model::rc11_genmc})
    if (name == to_string(candidate)) return candidate;
  refuse(at.pointer(), "one of sc, rc11, rc11 as in GenMC");
}

std::array<std::uint64_t, 2> read_digest(const node& at) {
  const std::string digits = at.text();
  if (digits.size() != 32 || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
    refuse(at.pointer(), "32 hexadecimal digits");
  return {std::stoull(digits.substr(0, 16), nullptr, 16), std::stoull(digits.substr(16), nullptr, 16)};
}

// Its claim is that of the report. Versions before 4 have none.
std::optional<graph_certificate> read_certificate(const node& report, std::uint64_t version) {
  if (version < 4 && !report.has("certificate")) return std::nullopt;
  const node at = report.member("certificate");
  if (at.is_null()) return std::nullopt;
  at.expect_members(
      {"claim", "memory_model", "steps_max", "yields_bound", "complete", "blocked", "duplicates", "compared", "digest"});
  if (at.member("claim").text() != report.member("claim").text()) refuse(at.pointer() + "/claim", "the claim of the report");
  return graph_certificate{.memory_model = read_memory_model(at.member("memory_model")),
                           .steps_max = at.member("steps_max").count(),
                           .yields_bound = at.member("yields_bound").small_count(),
                           .complete = at.member("complete").count(),
                           .blocked = at.member("blocked").count(),
                           .duplicates = at.member("duplicates").count(),
                           .compared = at.member("compared").count(),
                           .digest = read_digest(at.member("digest"))};
}

kvrace::verdict read_verdict(const node& at) {
  constexpr std::array all{kvrace::verdict::proved,    kvrace::verdict::exhausted,  kvrace::verdict::not_found,
                           kvrace::verdict::violation, kvrace::verdict::incomplete, kvrace::verdict::unsound};
  const std::string name = at.text();
  std::string names;
  for (const kvrace::verdict candidate : all) {
    if (name == to_string(candidate)) return candidate;
    names += names.empty() ? "one of " : ", ";
    names += to_string(candidate);
  }
  refuse(at.pointer(), names);
}

result read_found(const node& at, std::uint64_t version) {
  const node findings = at.member("findings");
  const node timing = at.member("timing");
  result out;
  out.verdict = read_verdict(at.member("verdict"));
  out.claim = at.member("claim").text();
  out.strategy = at.member("strategy").text();
  out.seed = at.member("seed").count();
  out.preemptions_bound = at.member("preemptions_bound").small_count();
  out.pct_bound = at.member("pct_bound").real();
  out.interrupted = at.member("interrupted").boolean();
  out.time_s = timing.member("time_s").real();
  out.counts = read_counts(at.member("counts"), timing);
  out.certificate = read_certificate(at, version);
  out.executions_by_bound = at.member("executions_by_bound").list([](const node& n) { return n.count(); });
  out.metrics =
      at.member("metrics").named_list([](const std::string& name, const node& n) { return std::pair(name, n.count()); });
  out.findings = findings.list(read_finding);
  return out;
}

rate read_rate(const std::string& name, const node& at) {
  at.expect_members({"numerator", "denominator", "value"});
  static_cast<void>(at.member("value").real());
  return {.name = name, .numerator = at.member("numerator").count(), .denominator = at.member("denominator").count()};
}

traffic_window::level read_level(const node& at) {
  at.expect_members({"mean", "max"});
  return {.mean = at.member("mean").real(), .max = at.member("max").count()};
}

traffic_window::latency read_latency(const node& at) {
  at.expect_members({"p50", "p90", "p99", "max"});
  return {.p50 = at.member("p50").real(),
          .p90 = at.member("p90").real(),
          .p99 = at.member("p99").real(),
          .max = at.member("max").real()};
}

traffic_window read_window(const node& at) {
  at.expect_members({"start_s", "length_s", "arrivals", "completed", "cancelled", "invalidations", "starved", "qps_offered",
                     "qps_reached", "in_flight", "queued", "latency_ms", "rates"});
  return {.start_s = at.member("start_s").real(),
          .length_s = at.member("length_s").real(),
          .arrivals = at.member("arrivals").count(),
          .completed = at.member("completed").count(),
          .cancelled = at.member("cancelled").count(),
          .invalidations = at.member("invalidations").count(),
          .starved = at.member("starved").count(),
          .qps_offered = at.member("qps_offered").real(),
          .qps_reached = at.member("qps_reached").real(),
          .in_flight = read_level(at.member("in_flight")),
          .queued = read_level(at.member("queued")),
          .latency_ms = read_latency(at.member("latency_ms")),
          .rates = at.member("rates").named_list(read_rate)};
}

std::optional<traffic_facts> read_traffic(const node& at) {
  if (at.is_null()) return std::nullopt;
  at.expect_members({"total", "windows"});
  return traffic_facts{.total = read_window(at.member("total")), .windows = at.member("windows").list(read_window)};
}

bound read_bound(const node& at) {
  at.expect_members({"name", "value"});
  return {.name = at.member("name").text(), .value = at.member("value").text()};
}

scenario_facts read_scenario(const node& at) {
  at.expect_members({"name", "path", "digest", "text"});
  return {.name = at.member("name").text(),
          .path = at.member("path").text(),
          .digest = at.member("digest").hex(),
          .text = at.member("text").text()};
}

expectation_facts read_expectation(const node& at) {
  at.expect_members({"expected", "outcome", "met", "exit_code"});
  return {.expected = at.member("expected").text(),
          .outcome = at.member("outcome").text(),
          .met = at.member("met").boolean(),
          .exit_code = at.member("exit_code").exit_code()};
}

build_fingerprint read_build(const node& at) {
  at.expect_members({"project_version", "compiler", "build_type", "target"});
  return {.project_version = at.member("project_version").text(),
          .compiler = at.member("compiler").text(),
          .build_type = at.member("build_type").text(),
          .target = at.member("target").text()};
}

// Version 1 has no traffic.
std::optional<traffic_facts> read_traffic(const node& at, std::uint64_t version) {
  if (version == 1 && !at.has("traffic")) return std::nullopt;
  return read_traffic(at.member("traffic"));
}

// None before version 7.
std::vector<rollout_facts> read_rollouts(const node& report, std::uint64_t version) {
  if (version < 7 && !report.has("rollouts")) return {};
  return report.member("rollouts").list(rollout_from_json);
}

report read_report(const node& at);

// Versions 1 and 2 have none.
std::vector<report> read_shrunk(const node& at, std::uint64_t version) {
  if (version < 3 && !at.has("shrunk")) return {};
  return at.member("shrunk").list(read_report);
}

// None before version 6.
std::optional<shard_facts> read_shard(const node& report, std::uint64_t version) {
  if (version < 6 && !report.has("shard")) return std::nullopt;
  const node at = report.member("shard");
  if (at.is_null()) return std::nullopt;
  at.expect_members({"index", "count", "scenarios", "command"});
  const shard_facts read{.index = at.member("index").small_count(),
                         .count = at.member("count").small_count(),
                         .scenarios = at.member("scenarios").count(),
                         .command = at.member("command").hex()};
  if (read.index < 1 || read.index > read.count)
    refuse(at.pointer() + "/index", "an integer from 1 to " + std::to_string(read.count));
  return read;
}

// None before version 6.
std::optional<passing_run> read_passing(const node& report, std::uint64_t version) {
  if (version < 6 && !report.has("passing")) return std::nullopt;
  const node at = report.member("passing");
  if (at.is_null()) return std::nullopt;
  at.expect_members({"schedule", "tasks", "trace"});
  return passing_run{.schedule = read_schedule(at.member("schedule")),
                     .tasks = at.member("tasks").list([](const node& name) { return name.text(); }),
                     .trace = at.member("trace").list(read_step)};
}

report read_report(const node& at) {
  const std::string versions = "1 to " + std::to_string(schema_version);
  if (!at.is_object() || !at.has("schema_version")) refuse(at.pointer(), "a kvrace report with schema_version " + versions);
  const std::uint64_t version = at.member("schema_version").count();
  if (version < 1 || version > schema_version) refuse(at.pointer() + "/schema_version", versions);
  if (at.has("mode") && at.member("mode").text() == "sweep")
    refuse(at.pointer(), "a report of 'kvrace run', 'prove', 'replay' or 'shrink', not of 'kvrace sweep'");
  at.expect_members(
      {"schema_version", "mode", "verdict", "claim", "scenario", "expectation", "strategy", "seed", "preemptions_bound",
       "pct_bound", "interrupted", "bounds", "counts", "executions_by_bound", "metrics", "rates", "findings", "build", "timing"},
      {"traffic", "rollouts", "shrunk", "certificate", "shard", "passing"});
  return {.scenario = read_scenario(at.member("scenario")),
          .shard = read_shard(at, version),
          .mode = at.member("mode").text(),
          .result = read_found(at, version),
          .rates = at.member("rates").named_list(read_rate),
          .traffic = read_traffic(at, version),
          .rollouts = read_rollouts(at, version),
          .bounds = at.member("bounds").list(read_bound),
          .expectation = read_expectation(at.member("expectation")),
          .replay_commands = at.member("findings").list([](const node& found) { return found.member("replay").text(); }),
          .shrunk = read_shrunk(at, version),
          .passing = read_passing(at, version),
          .build = read_build(at.member("build"))};
}

}  // namespace

read_result read_json(std::string_view text) {
  read_result out;
  try {
    std::variant<json, input_error> parsed = parse_json<json>(text);
    if (input_error* const error = std::get_if<input_error>(&parsed)) throw std::move(*error);
    const json& document = std::get<json>(parsed);
    if (document.is_array()) {
      for (std::size_t i = 0; i < document.size(); ++i) {
        out.reports.push_back(read_report(node(document[i], '/' + std::to_string(i))));
      }
    } else {
      out.reports.push_back(read_report(node(document, "")));
    }
  } catch (const input_error& error) {
    out.reports.clear();
    out.error = error;
  }
  return out;
}

}  // namespace kvrace::reports
