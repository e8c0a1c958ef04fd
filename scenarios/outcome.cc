#include "scenarios/outcome.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "reports/plain_text.h"

namespace kvrace::scenarios {
namespace {

// How much a verdict shows of the absence of violations; 0: nothing.
int strength(kvrace::verdict verdict) {
  switch (verdict) {
    case kvrace::verdict::proved: return 3;
    case kvrace::verdict::exhausted: return 2;
    case kvrace::verdict::not_found: return 1;
    default: return 0;
  }
}

std::string lower(std::string text) {
  for (char& character : text)
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
  return text;
}

std::string wanted(const expectation& expected) {
  if (expected.violation) return "violation " + *expected.violation;
  return "verdict " + lower(kvrace::to_string(*expected.verdict));
}

const kvrace::finding* other_than(const std::optional<std::string>& oracle, const kvrace::result& result) {
  const auto other = std::find_if(result.findings.begin(), result.findings.end(),
                                  [&](const kvrace::finding& each) { return !oracle || each.oracle != *oracle; });
  return other == result.findings.end() ? nullptr : &*other;
}

reports::expectation_facts judge_violations(const std::string& expected, const scenario& scenario, const kvrace::result& result) {
  if (const kvrace::finding* const other = other_than(scenario.expect.violation, result))
    return {.expected = expected,
            .outcome = "found violation " + other->oracle + ", which is not expected",
            .met = false,
            .exit_code = exit_violation};
  return {.expected = expected, .outcome = "found as expected", .met = true, .exit_code = exit_as_expected};
}

// Requires a result without findings.
bool shows(const scenario& scenario, const kvrace::result& result, std::string_view mode) {
  if (mode == "replay") return true;
  const kvrace::verdict asked = *scenario.expect.verdict;
  if (strength(result.verdict) < strength(asked)) return false;
  const bool too_few_preemptions = asked == kvrace::verdict::exhausted && result.verdict == kvrace::verdict::exhausted &&
                                   result.preemptions_bound < scenario.search.preemptions_max.value_or(0);
  return !too_few_preemptions;
}

std::uint64_t metric(const kvrace::result& result, std::string_view name) {
  for (const auto& [metric_name, value] : result.metrics)
    if (metric_name == name) return value;
  return 0;
}

// Glossary: "Rates".
std::vector<reports::rate> rates_of(const kvrace::result& result) {
  struct quotient {
    const char* name;
    const char* numerator;
    const char* denominator;
  };
  static constexpr std::array<quotient, 4> quotients = {{{"pollution", "requests_polluted", "requests_completed"},
                                                         {"ghost", "blocks_ghost", "blocks_audited"},
                                                         {"stale", "requests_stale", "requests_completed"},
                                                         {"hit", "tokens_hit", "tokens_queried"}}};
  std::vector<reports::rate> rates;
  for (const quotient& each : quotients)
    rates.push_back({each.name, metric(result, each.numerator), metric(result, each.denominator)});
  // Where prompts came as text.
  if (const std::uint64_t inputs = metric(result, "inputs"); inputs != 0)
    rates.push_back({"trigger", metric(result, "inputs_triggering"), inputs});
  return rates;
}

// "2.5 s"
std::string seconds_text(std::chrono::nanoseconds duration) {
  std::string fraction = std::to_string(1'000'000'000 + duration.count() % 1'000'000'000).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return std::to_string(duration.count() / 1'000'000'000) + (fraction.empty() ? "" : "." + fraction) + " s";
}

// Through printf, so that the line can be printed and still says the same to a shell.
std::string spelled_out(std::string_view argument) {
  std::string format;
  for (const char character : argument) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte >= 0x7F || character == '\'' || character == '\\' || character == '%') {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(byte));
      format += octal;
    } else {
      format += character;
    }
  }
  return "\"$(printf '" + format + "')\"";
}

// A schedule this long fits no command line. The same search finds it again.
constexpr std::size_t schedule_argument_bytes_max = 4'000;

std::string repeat_command(const scenario& scenario, const kvrace::result& result, std::size_t index, std::string_view mode) {
  const std::string path = shell_quoted(scenario.source.path);
  if (result.findings[index].schedule.set_up == kvrace::schedule::setting::graph)
    return "kvrace prove " + path + " --memory-model " + to_string(scenario.search.memory_model);
  const std::string schedule = result.findings[index].schedule.to_string();
  if (schedule.size() <= schedule_argument_bytes_max)
    return "kvrace replay " + path + " --schedule " + shell_quoted(schedule) + trace_argument(scenario);
  if (!scenario.search.sampling()) return "kvrace " + std::string(mode) + " " + path;
  return "kvrace run " + path + " --seed " + std::to_string(result.seed) + " --runs " + std::to_string(result.counts.runs) +
         trace_argument(scenario);
}

// Which trace it was, and what was not taken as it stands.
void add_trace_bounds(const recorded_trace& trace, std::vector<reports::bound>& bounds) {
  const trace_facts& facts = trace.facts();
  char digest[32];
  std::snprintf(digest, sizeof digest, "0x%016llx", static_cast<unsigned long long>(facts.digest));
  bounds.push_back(
      {"trace", std::to_string(facts.requests) + " requests and " + std::to_string(facts.blocks) + " blocks, digest " + digest});
  std::string repairs;
  for (const std::string& each : repairs_of(facts)) repairs += (repairs.empty() ? "" : ", ") + each;
  if (!repairs.empty()) bounds.push_back({"in the trace", repairs});
}

std::vector<reports::bound> bounds_of(const scenario& scenario, const kvrace::result& result, std::string_view mode) {
  const cache::configuration& cache = scenario.cache.configuration;
  std::vector<reports::bound> bounds;
  if (scenario.traffic) {
    bounds = {{"workers", std::to_string(scenario.traffic->workers)}};
    if (scenario.traffic->requests) bounds.push_back({"requests", std::to_string(*scenario.traffic->requests)});
    if (scenario.traffic->trace) add_trace_bounds(*scenario.traffic->trace, bounds);
    if (scenario.traffic->duration) bounds.push_back({"duration", seconds_text(*scenario.traffic->duration)});
  } else {
    std::size_t operations = 0;
    for (const task& each : scenario.tasks) operations = std::max(operations, each.operations.size());
    bounds = {{"tasks", std::to_string(scenario.tasks.size())}, {"operations per task", std::to_string(operations)}};
  }
  const char* const rc11 = scenario.search.sampling() ? "RC11, by stale reads" : "RC11";
  bounds.insert(bounds.end(),
                {{"blocks", std::to_string(cache.capacity_blocks)},
                 {"tokens per block", std::to_string(cache.tokens_per_block)},
                 {"steps per run", std::to_string(scenario.steps_max)},
                 {"memory model", result.memory_model == kvrace::memory_model::sc ? "sequential consistency" : rc11}});
  if (scenario.call_steps_max != 0) bounds.push_back({"steps per call", std::to_string(scenario.call_steps_max)});
  if (scenario.cancellations != 0) bounds.push_back({"cancellations per task", std::to_string(scenario.cancellations)});
  if (mode != "replay" && !scenario.search.sampling() && scenario.search.preemptions_max)
    bounds.push_back({"preemptions", std::to_string(*scenario.search.preemptions_max)});
  if (result.verdict == kvrace::verdict::incomplete && scenario.search.states_max > 0)
    bounds.push_back({"states", std::to_string(scenario.search.states_max)});
  return bounds;
}

}  // namespace

int worse(int left, int right) {
  static constexpr std::array<int, 6> by_severity = {exit_as_expected, exit_output_lost, exit_not_shown,
                                                     exit_violation,   exit_unsound,     exit_internal};
  const auto rank = [](int code) { return std::find(by_severity.begin(), by_severity.end(), code); };
  return rank(left) < rank(right) ? right : left;
}

reports::expectation_facts judge(const scenario& scenario, const kvrace::result& result, std::string_view mode) {
  const std::string expected = wanted(scenario.expect);
  const std::string verdict = kvrace::to_string(result.verdict);
  if (result.verdict == kvrace::verdict::unsound)
    return {.expected = expected, .outcome = "nothing can be said: " + verdict, .met = false, .exit_code = exit_unsound};
  if (!result.findings.empty()) return judge_violations(expected, scenario, result);
  if (!scenario.expect.violation && shows(scenario, result, mode))
    return {.expected = expected,
            .outcome = mode == "replay" ? "no violation here, as expected of every schedule" : "shown as expected",
            .met = true,
            .exit_code = exit_as_expected};
  return {
      .expected = expected, .outcome = "expected " + expected + ", got " + verdict, .met = false, .exit_code = exit_not_shown};
}

std::string shell_quoted(std::string_view argument) {
  static constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:,=@%+";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string_view::npos) return std::string(argument);
  if (reports::printable(argument) != argument) return spelled_out(argument);
  std::string quoted = "'";
  for (const char character : argument) {
    if (character == '\'')
      quoted += "'\\''";
    else
      quoted += character;
  }
  return quoted + "'";
}

std::string trace_argument(const scenario& scenario) {
  return scenario.source.trace_file.empty() ? "" : " --trace " + shell_quoted(scenario.source.trace_file);
}

reports::report make_report(const scenario& scenario, kvrace::result result, std::string_view mode) {
  reports::report report;
  report.scenario = {
      .name = scenario.name, .path = scenario.source.path, .digest = scenario.source.digest, .text = scenario.source.text};
  report.mode = mode;
  report.rates = rates_of(result);
  report.bounds = bounds_of(scenario, result, mode);
  report.expectation = judge(scenario, result, mode);
  for (std::size_t index = 0; index < result.findings.size(); ++index)
    report.replay_commands.push_back(repeat_command(scenario, result, index, mode));
  report.result = std::move(result);
  return report;
}

}  // namespace kvrace::scenarios
