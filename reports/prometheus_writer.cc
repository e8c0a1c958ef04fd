// The text format of Prometheus, for a textfile collector or a push gateway. All are gauges: each is about one command.
// https://prometheus.io/docs/instrumenting/exposition_formats/
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <ostream>
#include <utility>

#include "reports/fingerprint.h"
#include "reports/plain_text.h"
#include "reports/report.h"

namespace kvrace::reports {
namespace {

using labels = std::vector<std::pair<const char*, std::string>>;

std::string label_value(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

// The shortest digits that are read back as the same number.
std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[32];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  return text;
}
std::string number(std::uint64_t value) { return std::to_string(value); }

class metrics {
 public:
  // A family is described once, and its samples stand together.
  template <class Value>
  void add(const std::string& name, const char* help, const labels& of, Value value) {
    family& all = families_[name];
    all.help = help;
    std::string line;
    for (const auto& [key, text] : of) line += (line.empty() ? "" : ",") + std::string(key) + "=\"" + label_value(text) + '"';
    all.samples.push_back(name + '{' + line + "} " + number(value));
  }
  void write(std::ostream& out) const {
    for (const auto& [name, all] : families_) {
      out << "# HELP " << name << ' ' << all.help << "\n# TYPE " << name << " gauge\n";
      for (const std::string& sample : all.samples) out << sample << '\n';
    }
  }

 private:
  struct family {
    const char* help = "";
    std::vector<std::string> samples;
  };
  std::map<std::string, family> families_;
};

labels with(labels of, const char* key, const std::string& value) {
  of.emplace_back(key, value);
  return of;
}

void add_counts(metrics& all, const labels& of, const result& found) {
  const search_counts& counts = found.counts;
  all.add("kvrace_schedules", "Schedules executed.", of, counts.runs);
  all.add("kvrace_schedules_distinct", "Different schedules among those executed; 0 if they were not counted.", of,
          counts.schedules_distinct);
  all.add("kvrace_steps", "Visible operations executed.", of, counts.steps);
  all.add("kvrace_decisions", "Decisions of the strategy.", of, counts.decisions);
  all.add("kvrace_switches", "Switches between tasks.", of, counts.switches);
  all.add("kvrace_runs_violating", "Runs that ended in a violation.", of, counts.violations);
  all.add("kvrace_executions_distinct", "Complete executions that differ; 0 if they were not counted.", of,
          counts.executions_distinct);
  all.add("kvrace_states_distinct", "Happens-before states visited by a bounded search.", of, counts.states_distinct);
  all.add("kvrace_search_seconds", "How long the search took, by the clock.", of, found.time_s);
  all.add("kvrace_findings", "Different ways in which oracles failed.", of, std::uint64_t{found.findings.size()});
}

void add_rate(metrics& all, const labels& of, const rate& r) {
  const labels named = with(of, "rate", r.name);
  all.add("kvrace_rate_hits", "What a rate counts.", named, r.numerator);
  all.add("kvrace_rate_of", "Out of how many. 0: there is no data.", named, r.denominator);
}

void add_traffic(metrics& all, const labels& of, const traffic_window& total) {
  all.add("kvrace_traffic_requests_arrived", "Requests that arrived, invalidations among them.", of, total.arrivals);
  all.add("kvrace_traffic_requests_completed", "Requests that were served.", of, total.completed);
  all.add("kvrace_traffic_requests_cancelled", "Requests whose client gave up.", of, total.cancelled);
  all.add("kvrace_traffic_requests_starved", "Requests that went on without a block that could not be had.", of, total.starved);
  all.add("kvrace_traffic_offered_per_second", "Arrivals in a second of virtual time.", of, total.qps_offered);
  all.add("kvrace_traffic_reached_per_second", "Ends in a second of virtual time.", of, total.qps_reached);
  for (const auto& [percentile, value] : {std::pair("50", total.latency_ms.p50), std::pair("90", total.latency_ms.p90),
                                          std::pair("99", total.latency_ms.p99), std::pair("100", total.latency_ms.max)})
    all.add("kvrace_traffic_latency_seconds", "From arrival to end, of completed requests, in virtual time.",
            with(of, "percentile", percentile), value / 1000);
}

void add_report(metrics& all, const labels& of, const report& facts) {
  all.add("kvrace_verdict", "The verdict of a scenario; always 1.", with(of, "verdict", to_string(facts.result.verdict)),
          std::uint64_t{1});
  all.add("kvrace_as_expected", "1 if the scenario came out as it expects.", of, std::uint64_t{facts.expectation.met ? 1U : 0U});
  add_counts(all, of, facts.result);
  std::map<std::string, std::uint64_t> by_oracle;
  for (const finding& found : facts.result.findings) by_oracle[found.oracle] += found.occurrences;
  for (const auto& [oracle, runs] : by_oracle)
    all.add("kvrace_runs_violating_oracle", "Runs in which this oracle failed.", with(of, "oracle", oracle), runs);
  for (const auto& [name, value] : facts.result.metrics)
    all.add("kvrace_events", "What the program counts, summed over the runs.", with(of, "event", name), value);
  for (const rate& r : facts.rates) add_rate(all, of, r);
  if (facts.traffic) add_traffic(all, of, facts.traffic->total);
}

}  // namespace

void write_prometheus(std::ostream& out, std::span<const report> reports, const presentation&) {
  metrics all;
  std::map<std::pair<std::string, std::string>, unsigned> times;
  for (const report& facts : reports) {
    const std::string id = scenario_id(facts.scenario);
    labels of = {{"scenario", id}, {"mode", facts.mode}};
    // A series must be there once.
    if (const unsigned count = ++times[{label_value(id), facts.mode}]; count > 1) of.emplace_back("entry", std::to_string(count));
    add_report(all, of, facts);
  }
  all.write(out);
}

}  // namespace kvrace::reports
