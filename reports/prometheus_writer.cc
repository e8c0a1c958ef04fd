// The text format of Prometheus, for a textfile collector or a push gateway. All are gauges, as each is about one command, but
// for what rollouts counted. https://prometheus.io/docs/instrumenting/exposition_formats/
//
// Those counters have the names under which serving systems export the same, so that rules and dashboards can be tried on them:
// https://docs.vllm.ai/en/stable/usage/metrics/, and docs/references/production_metrics of SGLang. Their colons are reserved for
// recording rules elsewhere, which `promtool check metrics` notes.
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
  void add(const std::string& name, const char* help, const labels& of, Value value, const char* type = "gauge") {
    family& all = families_[name];
    all.help = help;
    all.type = type;
    std::string line;
    for (const auto& [key, text] : of) line += (line.empty() ? "" : ",") + std::string(key) + "=\"" + label_value(text) + '"';
    all.samples.push_back(name + '{' + line + "} " + number(value));
  }
  void write(std::ostream& out) const {
    for (const auto& [name, all] : families_) {
      out << "# HELP " << name << ' ' << all.help << "\n# TYPE " << name << ' ' << all.type << '\n';
      for (const std::string& sample : all.samples) out << sample << '\n';
    }
  }

 private:
  struct family {
    const char* help = "";
    const char* type = "";
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

void add_population(metrics& all, const labels& of, const rollout_population& counted) {
  const auto counter = [&](const char* name, const char* help, std::uint64_t value) {
    all.add(name, help, of, value, "counter");
  };
  counter("vllm:prefix_cache_queries_total", "Prefix cache queries, in tokens.", counted.tokens_queried);
  counter("vllm:prefix_cache_hits_total", "Prefix cache hits, in tokens.", counted.tokens_hit);
  counter("sglang:prompt_tokens_total", "Tokens of prompts.", counted.tokens_queried);
  counter("sglang:cached_tokens_total", "Tokens of prompts that came from the cache.", counted.tokens_hit);
  counter("sglang:num_requests_total", "Requests answered.", counted.queries);
  // Without data there is no rate, and so no sample.
  if (counted.tokens_queried != 0)
    all.add("sglang:cache_hit_rate", "Hits in queried tokens.", of,
            static_cast<double>(counted.tokens_hit) / static_cast<double>(counted.tokens_queried));
  counter("kvrace_rollout_requests_triggering_total", "Requests in which a pattern of the sanitiser matches.",
          counted.queries_triggering);
  counter("kvrace_rollout_isolation_violations_total", "Violations of isolation.", counted.isolation_violations);
  counter("kvrace_rollout_requests_polluted_total", "Requests served wrong.", counted.polluted);
  if (counted.similarity_count != 0)
    all.add("kvrace_rollout_similarity", "Mean similarity of answers, in the form of BERTScore.", of, counted.similarity_mean);
}

void add_rollout(metrics& all, const labels& of, const rollout_facts& facts) {
  for (const auto& [name, counted] :
       {std::pair("stable", &facts.stable), std::pair("candidate", &facts.candidate), std::pair("baseline", &facts.baseline)})
    add_population(all, with(of, "model_name", name), *counted);
  all.add("kvrace_rollout_outcome", "How a rollout ended; always 1.", with(of, "outcome", facts.outcome), std::uint64_t{1});
  if (facts.decided_s)
    all.add("kvrace_rollout_decided_seconds", "When it was promoted or rolled back, in virtual time.", of, *facts.decided_s);
  std::map<std::string, std::uint64_t> fired;
  for (const rollout_alert& alert : facts.alerts) fired[label_value(alert.name)] += alert.firing_s ? 1 : 0;
  for (const auto& [name, times] : fired)
    all.add("kvrace_rollout_alerts_fired", "How often an alert fired.", with(of, "alert", name), times);
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
  for (std::size_t i = 0; i < facts.rollouts.size(); ++i)
    add_rollout(all, with(of, "rollout", std::to_string(i + 1)), facts.rollouts[i]);
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
