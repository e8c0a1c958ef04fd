#include "reports/sample_reports.h"

#include <array>
#include <limits>
#include <string_view>

namespace kvrace::reports::sample {
namespace {

constexpr const char* locking = "cache_model/locking/mutex.cc";

kvrace::schedule schedule_of(const char* text) { return kvrace::schedule::parse(text).value(); }

trace_step step(std::uint64_t number, unsigned task, std::uint64_t operation, std::string kind, std::string object,
                unsigned line) {
  return {.step = number,
          .task = task,
          .operation = operation,
          .kind = std::move(kind),
          .object = std::move(object),
          .value = {},
          .site = {.file = locking, .line = line}};
}

trace_step decisive(trace_step s) {
  s.decisive = true;
  return s;
}

trace_step preempting(trace_step s) {
  s.preempts = true;
  s.decisive = true;
  return s;
}

report empty_report(std::string name) {
  report out;
  out.scenario = {.name = std::move(name), .path = "scenarios/01_ghost.json", .digest = 0x00c0ffee00c0ffee, .text = "{ }\n"};
  out.mode = "run";
  out.build = fixed_build();
  return out;
}

finding ghost_finding() {
  finding found;
  found.oracle = "ghost_entry";
  found.message = "block 1 is in the eviction order, but it is FREE and no key leads to it";
  found.subject = "block 1";
  found.sites = {{.file = locking, .line = 88}, {.file = locking, .line = 131}};
  found.run = 17;
  found.step = 12;
  found.occurrences = 9;
  found.schedule = schedule_of("1.3:2,2.5:1");
  found.trace_digest = 0xfeedfacecafebeef;
  found.tasks = {"body", "reader", "writer"};
  found.trace = {step(1, 0, 1, "start", "task 'reader'", 20),
                 step(2, 0, 2, "start", "task 'writer'", 21),
                 step(3, 1, 1, "lock", "mutex 'pool'", 71),
                 step(4, 1, 2, "unlock", "mutex 'pool'", 80),
                 step(4, 1, 0, "read", "var 'index'", 81),
                 preempting(step(5, 2, 1, "lock", "mutex 'pool'", 101)),
                 decisive(step(6, 2, 2, "store", "atomic 'block 1 state'", 110)),
                 step(7, 2, 3, "unlock", "mutex 'pool'", 120),
                 preempting(step(8, 1, 3, "lock", "mutex 'recency'", 86)),
                 decisive(step(9, 1, 4, "store", "atomic 'order head'", 88)),
                 step(10, 1, 5, "unlock", "mutex 'recency'", 90),
                 step(11, 2, 4, "lock", "mutex 'recency'", 130),
                 decisive(step(12, 2, 5, "load", "atomic 'order head'", 131))};
  found.trace[6].value = "FREE";
  found.trace[12].value = "block 1";
  found.operations = {{.task = 1, .step_call = 2, .step_return = 10, .call = "lookup(m, AAAA)", .returned = "hit 4 tokens"},
                      {.task = 2, .step_call = 4, .step_return = 0, .call = "serve(m, BBBB)", .returned = ""}};
  found.ledger = {{.step = 0, .task = 0, .subject = "block 0", .event = "allocate", .detail = "request 1"},
                  {.step = 0, .task = 0, .subject = "block 1", .event = "allocate", .detail = "request 1"},
                  {.step = 0, .task = 0, .subject = "block 1", .event = "publish", .detail = "m AAAA"},
                  {.step = 6, .task = 2, .subject = "block 1", .event = "evict", .detail = "for request 2"},
                  {.step = 9, .task = 1, .subject = "block 1", .event = "touch", .detail = "request 1, after the eviction"}};
  return found;
}

}  // namespace

build_fingerprint fixed_build() {
  return {.project_version = "0.1.0", .compiler = "Compiler 1.2.3", .build_type = "Release", .target = "Linux x86_64"};
}

report ghost_entry() {
  report out = empty_report("ghost entry: recency updated in a second critical section");
  out.result.verdict = verdict::violation;
  out.result.claim = "Oracle ghost_entry failed in 9 of 1000 schedules sampled under sequential consistency.";
  out.result.strategy = "random walk, switch probability 0.3";
  out.result.seed = 1;
  out.result.time_s = 0.25;
  out.result.counts = {.runs = 1000,
                       .schedules_distinct = 412,
                       .steps = 24'000,
                       .decisions = 11'000,
                       .switches = 3'300,
                       .violations = 9,
                       .tasks_max = 2,
                       .decisions_max = 14};
  out.result.metrics = {{"requests_completed", 2000}, {"requests_polluted", 0}, {"blocks_audited", 2000}, {"blocks_ghost", 9}};
  out.result.findings = {ghost_finding()};
  out.rates = {{.name = "pollution", .numerator = 0, .denominator = 2000},
               {.name = "ghost", .numerator = 9, .denominator = 2000},
               {.name = "stale", .numerator = 0, .denominator = 2000},
               {.name = "hit", .numerator = 0, .denominator = 0}};
  out.bounds = {{.name = "tasks", .value = "2"}, {.name = "memory model", .value = "sequential consistency"}};
  out.expectation = {.expected = "violation ghost_entry", .outcome = "found as expected", .met = true, .exit_code = 0};
  out.replay_commands = {"kvrace replay scenarios/01_ghost.json --schedule 1.3:2,2.5:1"};
  return out;
}

report proved() {
  report out = empty_report("no ghost entry: recency updated in the critical section of the hit");
  out.mode = "prove";
  out.result.verdict = verdict::proved;
  out.result.claim =
      "Every sequentially consistent execution of 2 tasks was explored, up to happens-before equivalence, and no oracle failed.";
  out.result.strategy = "preemption-bounded search";
  out.result.counts = {
      .runs = 84, .steps = 2'000, .decisions = 300, .switches = 90, .executions_distinct = 60, .states_distinct = 512};
  out.result.executions_by_bound = {2, 31, 60};
  out.expectation = {.expected = "verdict proved", .outcome = "as expected", .met = true, .exit_code = 0};
  return out;
}

report certified() {
  report out = proved();
  out.result.claim = "Every execution graph of this program under rc11 was visited once and none violates an oracle.";
  out.result.strategy = "execution graphs, rc11";
  out.result.memory_model = memory_model::rc11;
  out.result.executions_by_bound.clear();
  out.result.certificate = graph_certificate{.memory_model = memory_model::rc11,
                                             .steps_max = 100'000,
                                             .yields_bound = 3,
                                             .complete = 60'000,
                                             .blocked = 7,
                                             .duplicates = 0,
                                             .compared = 3'750,
                                             .digest = {0x0123456789abcdef, 0xfedcba9876543210}};
  return out;
}

report long_trace() {
  report out = ghost_entry();
  finding& found = out.result.findings.front();
  found.trace.clear();
  found.ledger.clear();
  found.operations = {{.task = 1, .step_call = 0, .step_return = 399, .call = "serve(m, AAAA)", .returned = "hit 0 tokens"},
                      {.task = 2, .step_call = 199, .step_return = 0, .call = "serve(m, BBBB)", .returned = ""}};
  for (std::uint64_t i = 1; i <= 400; ++i) {
    const unsigned task = i <= 200 || i > 300 ? 1 : 2;
    trace_step s = step(i, task, i, i % 2 == 1 ? "lock" : "unlock", "mutex 'pool'", 71);
    if (i == 201 || i == 301) s = preempting(s);
    if (i == 250 || i == 400) s = decisive(s);
    found.trace.push_back(s);
    found.ledger.push_back({.step = i, .task = task, .subject = "block 1", .event = "pin", .detail = ""});
  }
  found.step = 400;
  return out;
}

report many_tasks() {
  report out = ghost_entry();
  finding& found = out.result.findings.front();
  found.trace.clear();
  found.operations.clear();
  found.tasks = {"body"};
  for (unsigned task = 1; task <= 12; ++task) {
    found.tasks.push_back("client " + std::to_string(task));
    found.trace.push_back(step(task, task, 1, "lock", "shared_mutex 'a rather long name of a lock'", 71));
  }
  found.step = 12;
  return out;
}

report shrunk_lease() {
  report out = ghost_entry();
  out.shard = shard_facts{.index = 2, .count = 3, .scenarios = 7, .command = 0xabad1deaabad1dea};
  finding& found = out.result.findings.front();
  found.oracle = "expired_lease";
  for (std::size_t i = 0; i < found.trace.size(); ++i) found.trace[i].time_ns = i * 500'000;
  report small = out;
  small.mode = "shrink";
  small.shard.reset();
  small.scenario.path += " (shrunk)";
  small.result.claim =
      "Shrunk from 2 tasks, 6 operations and 2 preemptions to 2 tasks, 2 operations and 1 preemption, in 77 runs.";
  small.result.findings.front().step = 11;
  small.replay_commands = {"kvrace replay r.json --finding 2"};
  passing_run passing{
      .schedule = schedule_of("search/1.3:2"), .tasks = found.tasks, .trace = {found.trace.begin(), found.trace.begin() + 4}};
  passing.trace[1].behind = 2;
  small.passing = std::move(passing);
  out.shrunk = {std::move(small)};
  return out;
}

report traffic() {
  report out = empty_report("traffic: three waves");
  out.result.claim = "No violation in 1 sampled schedule.";
  out.result.strategy = "random walk, switch probability 0.3";
  out.result.seed = 1;
  out.result.counts = {.runs = 1, .steps = 90'000, .decisions = 70'000, .switches = 20'000, .tasks_max = 8};
  traffic_facts facts;
  for (unsigned i = 0; i < 30; ++i) {
    traffic_window window;
    window.start_s = i;
    window.length_s = 1;
    window.arrivals = 100 + i % 3 * 50;
    window.completed = window.arrivals - 1;
    window.cancelled = 1;
    window.qps_offered = static_cast<double>(window.arrivals);
    window.qps_reached = window.qps_offered;
    window.in_flight = {.mean = 2.5, .max = 8};
    window.queued = {.mean = 0.25, .max = i};
    window.latency_ms = {.p50 = 10, .p90 = 20, .p99 = 40.5, .max = 80};
    window.rates = {{.name = "pollution", .numerator = i, .denominator = window.completed},
                    {.name = "hit", .numerator = 0, .denominator = 0}};
    facts.windows.push_back(window);
  }
  facts.total = facts.windows.front();
  facts.total.length_s = 30;
  out.traffic = facts;
  out.expectation = {.expected = "verdict not_found", .outcome = "shown as expected", .met = true, .exit_code = 0};
  return out;
}

finding stale_load(std::uint64_t behind) {
  finding found;
  found.oracle = "requirement";
  found.tasks = {"body", "reader", "writer"};
  found.trace = {step(1, 2, 1, "store", "atomic 'x'", 10), step(2, 2, 2, "store", "atomic 'x'", 11),
                 step(3, 1, 1, "load", "atomic 'x'", 20), step(4, 1, 2, "unlock", "mutex 'pool'", 21),
                 step(5, 2, 3, "lock", "mutex 'pool'", 12)};
  found.trace[2].behind = behind;
  found.step = 5;
  return found;
}

report scrambled(std::uint64_t seed) {
  static constexpr std::array<std::string_view, 40> pieces = {"\"",
                                                              "'",
                                                              "<b>",
                                                              "</testcase>",
                                                              "&amp;",
                                                              "]]>",
                                                              "<!--",
                                                              "-->",
                                                              "%0A",
                                                              "%",
                                                              "::error::",
                                                              ",line=1",
                                                              "\n",
                                                              "\r",
                                                              "\t",
                                                              "\x1b[31m",
                                                              "\x7f",
                                                              "\\",
                                                              "\\n",
                                                              "{0}",
                                                              "]",
                                                              "[x](1)",
                                                              "(2)",
                                                              "|",
                                                              "```",
                                                              "**",
                                                              "\xf0\x9f\x98\x8a",
                                                              "\xe2\x80\xae",
                                                              "\xef\xbf\xbe",
                                                              "\xef\xbf\xbf",
                                                              "\xff",
                                                              "\xed\xa0\x80",
                                                              "\xc3",
                                                              "{a=\"b\"}",
                                                              "#",
                                                              "$(id)",
                                                              ";",
                                                              "/*",
                                                              "a b",
                                                              "\xc2\x85"};
  const auto next = [&seed] {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(seed >> 33U);
  };
  const auto text = [&next] {
    std::string out;
    for (std::size_t left = next() % 6; left > 0; --left) out += pieces[next() % pieces.size()];
    return next() % 8 == 0 ? out + std::string(1, '\0') : out;
  };
  report out = shrunk_lease();
  const auto scramble = [&](finding& found) {
    for (std::string* each : {&found.oracle, &found.message, &found.subject}) *each += text();
    for (source_site& site : found.sites) site.file += text();
    for (std::string& task : found.tasks) task = text();
    for (trace_step& each : found.trace) {
      for (std::string* part : {&each.kind, &each.object, &each.value, &each.site.file}) *part += text();
    }
    for (operation_record& each : found.operations) each.call = text(), each.returned = text();
    for (ledger_event& each : found.ledger) each.event = text(), each.detail = text();
  };
  for (std::string* each : {&out.scenario.name, &out.scenario.path, &out.result.claim, &out.expectation.outcome, &out.mode,
                            &out.result.strategy, &out.replay_commands.front()})
    *each += text();
  for (auto& [name, value] : out.result.metrics) name += text();
  for (rate& each : out.rates) each.name += text();
  scramble(out.result.findings.front());
  scramble(out.shrunk.front().result.findings.front());
  out.expectation.met = next() % 2 == 0;
  out.expectation.exit_code = static_cast<int>(next() % 4);
  return out;
}

report many_findings(std::size_t count) {
  report out = ghost_entry();
  out.expectation = {.expected = "verdict not_found", .outcome = "found violation", .met = false, .exit_code = 1};
  const finding one = out.result.findings.front();
  out.result.findings.assign(count, one);
  for (std::size_t i = 0; i < count; ++i) out.result.findings[i].sites.front().line = static_cast<unsigned>(i + 1);
  out.replay_commands.assign(count, out.replay_commands.front());
  return out;
}

report hostile() {
  report out = ghost_entry();
  out.scenario.name = "bell \a, escape \x1b[2J, newline \n, invalid \xff\xfe \xed\xa0\x80, quote \" and \\";
  out.result.seed = std::numeric_limits<std::uint64_t>::max();
  out.result.time_s = std::numeric_limits<double>::quiet_NaN();
  finding& found = out.result.findings.front();
  found.message = std::string("zero \0 inside", 13);
  found.tasks[1] = "\xf0\x9f\x98\x8a right to left \xe2\x80\xae";
  found.trace[0].object = "\xc3";
  found.ledger[4].detail = "\r\n\t\x7f";
  out.result.metrics = {{"a/b~c\xff", std::uint64_t{1} << 53U}, {"", (std::uint64_t{1} << 53U) + 1}};
  return out;
}

}  // namespace kvrace::reports::sample
