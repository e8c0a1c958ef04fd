#include "reports/page_data.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>

#include <nlohmann/json.hpp>

#include "reports/page_json.h"
#include "reports/page_trace.h"
#include "reports/plain_text.h"

namespace kvrace::reports {
namespace {

using json = nlohmann::json;

// Exactly, whatever JavaScript does to large numbers.
json number(std::uint64_t value) {
  constexpr std::uint64_t exact_max = std::uint64_t{1} << 53U;
  return value <= exact_max ? json(value) : json(std::to_string(value));
}
json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json pair_of(std::string_view name, json value) { return json::array({printable(name), std::move(value)}); }

json counts_of(const search_counts& counts) {
  json out = json::array();
  const auto add = [&out](std::string_view name, std::uint64_t value) {
    if (value != 0) out.push_back(pair_of(name, number(value)));
  };
  add("schedules executed", counts.runs);
  add("different ones", counts.schedules_distinct);
  add("steps", counts.steps);
  add("decisions", counts.decisions);
  add("switches", counts.switches);
  add("violations", counts.violations);
  add("blocked", counts.blocked);
  add("histories undecided", counts.undecided);
  add("most tasks in one run", counts.tasks_max);
  add("most decisions in one run", counts.decisions_max);
  add("different executions", counts.executions_distinct);
  add("states visited", counts.states_distinct);
  add("states left open", counts.states_open);
  return out;
}

json certificate_of(const graph_certificate& certificate) {
  return json::array({pair_of("memory model", to_string(certificate.memory_model)),
                      pair_of("steps of an execution, at most", number(certificate.steps_max)),
                      pair_of("yields of a waiting loop, at most", certificate.yields_bound),
                      pair_of("complete graphs", number(certificate.complete)),
                      pair_of("blocked graphs", number(certificate.blocked)),
                      pair_of("graphs compared", number(certificate.compared)),
                      pair_of("met twice", number(certificate.duplicates)), pair_of("digest", digest_text(certificate))});
}

json rates_of(const std::vector<rate>& rates) {
  json out = json::array();
  for (const rate& each : rates)
    out.push_back(json::array({printable(each.name), number(each.numerator), number(each.denominator)}));
  return out;
}

json window_of(const traffic_window& window) {
  return {{"start", number(window.start_s)},
          {"length", number(window.length_s)},
          {"arrivals", number(window.arrivals)},
          {"completed", number(window.completed)},
          {"cancelled", number(window.cancelled)},
          {"invalidations", number(window.invalidations)},
          {"starved", number(window.starved)},
          {"offered", number(window.qps_offered)},
          {"reached", number(window.qps_reached)},
          {"in_flight", json::array({number(window.in_flight.mean), number(window.in_flight.max)})},
          {"queued", json::array({number(window.queued.mean), number(window.queued.max)})},
          {"latency", json::array({number(window.latency_ms.p50), number(window.latency_ms.p90), number(window.latency_ms.p99),
                                   number(window.latency_ms.max)})},
          {"rates", rates_of(window.rates)}};
}

class page {
 public:
  page(std::span<const report> reports, std::span<const rule> rules, const page_limits& limits)
      : reports_(reports), rules_(rules), limits_(limits), traces_(limits) {}

  json build() {
    json out;
    json shown = json::array();
    for (const std::size_t index : reports_shown()) {
      number_of_report_[index] = shown.size();
      shown.push_back(report_of(reports_[index]));
    }
    add_findings();
    out["tally"] = tally();
    out["reports"] = std::move(shown);
    out["groups"] = groups_of();
    out["oracles"] = oracles();
    out["findings"] = std::move(findings_);
    out["strings"] = traces_.strings();
    return out;
  }

 private:
  struct group {
    const finding* first = nullptr;
    std::size_t findings = 0;
    std::uint64_t occurrences = 0;
    json listed = json::array();
  };

  [[nodiscard]] json tally() const {
    std::map<std::string, std::size_t> verdicts;
    std::size_t met = 0;
    std::size_t findings = 0;
    for (const report& facts : reports_) {
      ++verdicts[to_string(facts.result.verdict)];
      met += facts.expectation.met ? 1 : 0;
      findings += facts.result.findings.size();
    }
    return {{"verdicts", verdicts},
            {"reports", reports_.size()},
            {"met", met},
            {"findings", findings},
            {"signatures", group_of_.size()}};
  }

  [[nodiscard]] std::vector<std::size_t> reports_shown() const {
    std::vector<std::size_t> shown;
    for (const bool met : {false, true}) {
      for (std::size_t i = 0; i < reports_.size() && shown.size() < limits_.reports; ++i)
        if (reports_[i].expectation.met == met) shown.push_back(i);
    }
    std::ranges::sort(shown);
    return shown;
  }

  json scenario_text(const std::string& text) {
    if (text.size() > limits_.scenario_bytes - std::min(limits_.scenario_bytes, scenario_bytes_)) return nullptr;
    scenario_bytes_ += text.size();
    return printable_lines(text);
  }

  json report_of(const report& facts) {
    const result& found = facts.result;
    json bounds = json::array();
    for (const bound& each : facts.bounds) bounds.push_back(pair_of(each.name, printable(each.value)));
    json metrics = json::array();
    for (const auto& [name, value] : found.metrics) metrics.push_back(pair_of(name, number(value)));
    json by_bound = json::array();
    for (const std::uint64_t executions : found.executions_by_bound) by_bound.push_back(number(executions));
    json out{{"name", printable(facts.scenario.name)},
             {"path", printable(facts.scenario.path)},
             {"text", scenario_text(facts.scenario.text)},
             {"mode", printable(facts.mode)},
             {"verdict", to_string(found.verdict)},
             {"claim", printable(found.claim)},
             {"expected", printable(facts.expectation.expected)},
             {"outcome", printable(facts.expectation.outcome)},
             {"met", facts.expectation.met},
             {"strategy", printable(found.strategy)},
             {"seed", number(found.seed)},
             {"time_s", number(found.time_s)},
             {"bounds", std::move(bounds)},
             {"counts", counts_of(found.counts)},
             {"by_bound", std::move(by_bound)},
             {"metrics", std::move(metrics)},
             {"rates", rates_of(facts.rates)},
             {"found", found.findings.size()},
             {"findings", json::array()},
             {"build", printable("kvrace " + facts.build.project_version + ", " + facts.build.compiler + ", " +
                                 facts.build.build_type + ", " + facts.build.target)}};
    if (found.certificate) out["certificate"] = certificate_of(*found.certificate);
    if (facts.traffic) out["traffic"] = traffic_of(*facts.traffic);
    return out;
  }

  [[nodiscard]] json traffic_of(const traffic_facts& traffic) const {
    json windows = json::array();
    for (std::size_t i = 0; i < std::min(traffic.windows.size(), limits_.windows); ++i)
      windows.push_back(window_of(traffic.windows[i]));
    return {{"total", window_of(traffic.total)}, {"windows", std::move(windows)}, {"of", traffic.windows.size()}};
  }

  void add_findings() {
    for (std::size_t i = 0; i < reports_.size(); ++i) {
      const report& facts = reports_[i];
      for (std::size_t j = 0; j < facts.result.findings.size(); ++j) add_finding(i, j);
    }
  }

  void add_finding(std::size_t of_report, std::size_t index) {
    const report& facts = reports_[of_report];
    const finding& found = facts.result.findings[index];
    const auto [known, is_new] = group_of_.emplace(found.signature(), groups_.size());
    if (is_new && groups_.size() < limits_.groups) groups_.push_back({.first = &found});
    if (known->second >= groups_.size()) return;
    group& its = groups_[known->second];
    ++its.findings;
    its.occurrences += found.occurrences;
    const auto report_number = number_of_report_.find(of_report);
    if (report_number == number_of_report_.end() || findings_.size() >= limits_.findings) return;
    its.listed.push_back(findings_.size());
    const report* const small = index == 0 && !facts.shrunk.empty() ? &facts.shrunk.front() : nullptr;
    json out = finding_of(found, index < facts.replay_commands.size() ? facts.replay_commands[index] : std::string());
    out["report"] = report_number->second;
    out["number"] = index + 1;
    if (small != nullptr && !small->result.findings.empty()) out["shrunk"] = shrunk_of(*small);
    findings_.push_back(std::move(out));
  }

  json finding_of(const finding& found, const std::string& replay) {
    json sites = json::array();
    for (const source_site& site : found.sites) sites.push_back(traces_.text(page_traces::site_text(site)));
    return {{"oracle", printable(found.oracle)},
            {"message", printable(found.message)},
            {"subject", printable(found.subject)},
            {"sites", std::move(sites)},
            {"run", number(found.run)},
            {"step", number(found.step)},
            {"occurrences", number(found.occurrences)},
            {"schedule", printable(found.schedule.to_string())},
            {"replay", printable(replay)},
            {"trace", traces_.add(found)}};
  }

  json shrunk_of(const report& small) {
    json out = finding_of(small.result.findings.front(), small.replay_commands.empty() ? "" : small.replay_commands.front());
    out["claim"] = printable(small.result.claim);
    out["text"] = scenario_text(small.scenario.text);
    if (small.passing) {
      out["passing"] = {{"schedule", printable(small.passing->schedule.to_string())},
                        {"trace", traces_.add(*small.passing, small.result.findings.front().tasks)}};
    }
    return out;
  }

  // What is said about those that failed.
  [[nodiscard]] json oracles() const {
    json out = json::object();
    for (const rule& each : rules_) {
      const auto named = [&each](const group& g) { return g.first->oracle == each.name; };
      if (std::ranges::any_of(groups_, named)) out[printable(each.name)] = printable(each.summary);
    }
    return out;
  }

  [[nodiscard]] json groups_of() const {
    json out = json::array();
    for (const group& each : groups_)
      out.push_back({{"oracle", printable(each.first->oracle)},
                     {"findings", each.findings},
                     {"occurrences", number(each.occurrences)},
                     {"listed", each.listed}});
    return out;
  }

  std::span<const report> reports_;
  std::span<const rule> rules_;
  page_limits limits_;
  page_traces traces_;
  std::size_t scenario_bytes_ = 0;
  std::map<std::size_t, std::size_t> number_of_report_;
  std::map<std::string, std::size_t> group_of_;  // a number of groups_ or, beyond the limit, its size
  std::vector<group> groups_;
  json findings_ = json::array();
};

}  // namespace

std::string page_data(std::span<const report> reports, std::span<const rule> rules, const page_limits& limits) {
  return element_text(page(reports, rules, limits).build());
}

}  // namespace kvrace::reports
