// SARIF 2.1.0, for code scanning: https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os.html
#include <algorithm>
#include <map>
#include <ostream>

#include "reports/fingerprint.h"
#include "reports/json_pieces.h"
#include "reports/plain_text.h"
#include "reports/report.h"
#include "reports/step_text.h"

namespace kvrace::reports {
namespace {

// Of each report; the others stand without their steps. Viewers refuse files of more than 10 MB or so.
constexpr std::size_t findings_with_steps = 50;
constexpr std::size_t steps_of_a_finding = 300;
constexpr std::size_t related_places = 10;

// Of the whole file: first results are written without steps, then only counted. GitHub takes 25,000 results a run.
constexpr std::size_t bytes_with_steps = 8'000'000;
constexpr std::size_t bytes_max = 15'000'000;
constexpr std::size_t results_max = 25'000;

// "{0}" would be a placeholder and "[x](1)" a link (sections 3.11.5 and 3.11.6).
std::string message_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '(' && out.ends_with(']')) out += ' ';
    out += c;
    if (c == '{' || c == '}') out += c;
  }
  return out;
}

ordered_json message(std::string_view text) { return {{"text", message_text(text)}}; }

// RFC 3986, section 2.3.
std::string percent_encoded(std::string_view path) {
  static constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (plain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
    }
  }
  return out;
}

ordered_json physical(const source_site& site) {
  ordered_json place = {{"artifactLocation", {{"uri", percent_encoded(site.file)}}}};
  if (!site.file.starts_with('/')) place["artifactLocation"]["uriBaseId"] = "SRCROOT";
  if (site.line != 0) place["region"] = {{"startLine", site.line}};
  return place;
}

ordered_json location(const source_site& site, std::string_view text) {
  ordered_json place = ordered_json::object();
  if (!site.file.empty()) place["physicalLocation"] = physical(site);
  if (!text.empty()) place["message"] = message(text);
  return place;
}

void add_once(std::vector<source_site>& places, const source_site& place) {
  if (!place.file.empty() && std::ranges::find(places, place) == places.end()) places.push_back(place);
}

// Where the program did it: the places of the finding if its steps are there, else the decisive step that came last; where an
// oracle looked at the outcome is the last resort.
std::vector<source_site> places_of(const finding& found) {
  std::vector<source_site> places;
  for (const source_site& site : found.sites)
    if (std::ranges::find(found.trace, site, &trace_step::site) != found.trace.end()) add_once(places, site);
  for (auto step = found.trace.rbegin(); places.empty() && step != found.trace.rend(); ++step)
    if (step->decisive) add_once(places, step->site);
  for (const source_site& site : found.sites)
    if (places.empty()) add_once(places, site);
  return places;
}

class writer {
 public:
  writer(std::ostream& out, std::span<const report> reports, const presentation& how) : out_(out), reports_(reports), how_(how) {
    for (const report& facts : reports_)
      for (const finding& found : facts.result.findings) rule_indices_.emplace(printable(found.oracle), 0);
    std::size_t next = 0;
    for (auto& [oracle, index] : rule_indices_) index = next++;
  }

  void write() {
    out_ << "{\"$schema\": \"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json\",\n"
            "\"version\": \"2.1.0\",\n\"runs\": [{\n\"tool\": "
         << dumped({{"driver", driver()}}) << ",\n\"columnKind\": \"unicodeCodePoints\",\n\"originalUriBaseIds\": "
         << dumped({{"SRCROOT", {{"description", message("The folder of the sources")}}}}) << ",\n\"results\": [";
    write_results();
    out_ << "]";
    write_left_out();
    out_ << "}]}\n";
  }

 private:
  ordered_json driver() const {
    ordered_json rules = ordered_json::array();
    for (const auto& [oracle, index] : rule_indices_) rules.push_back(rule_of(oracle));
    const std::string version = reports_.empty() ? this_build().project_version : reports_.front().build.project_version;
    return {{"name", "kvrace"}, {"semanticVersion", version}, {"rules", std::move(rules)}};
  }

  ordered_json rule_of(const std::string& oracle) const {
    const auto known = std::ranges::find(how_.rules, oracle, &rule::name);
    const std::string what = known == how_.rules.end() ? "the oracle " + oracle + " failed" : known->summary;
    return {
        {"id", oracle},
        {"shortDescription", message(what)},
        {"fullDescription", message(what)},
        {"help",
         message(
             what +
             ". A scheduler owned every interleaving of the run: the flow of each task lists its steps, numbered in the order in "
             "which they were executed, and the line under properties/replay repeats the run.")},
        {"defaultConfiguration", {{"level", "error"}}},
        {"properties", {{"tags", {"concurrency", "correctness"}}, {"precision", "very-high"}}}};
  }

  // What nobody expects comes first: if there is too much, it is not that which is left out.
  void write_results() {
    json_items results(out_);
    std::size_t bytes = 0;
    std::size_t written = 0;
    for (const bool expected : {false, true}) {
      for (const report& facts : reports_) {
        if (facts.expectation.met != expected) continue;
        const std::vector<std::string> prints = fingerprints(facts);
        for (std::size_t i = 0; i < facts.result.findings.size(); ++i) {
          const bool full = !left_out_.empty() || written == results_max;
          const ordered_json result =
              full ? ordered_json() : result_of(facts, i, prints[i], i < findings_with_steps && bytes < bytes_with_steps);
          const std::size_t size = full ? 0 : dumped(result).size();
          if (full || bytes + size > bytes_max) {
            ++left_out_[printable(facts.result.findings[i].oracle)];
            continue;
          }
          results.add(result);
          bytes += size;
          ++written;
        }
      }
    }
  }

  void write_left_out() {
    if (left_out_.empty()) return;
    std::size_t total = 0;
    for (const auto& [oracle, count] : left_out_) total += count;
    const std::string text =
        std::to_string(total) + " further findings are not in this file, to keep it readable: they are in the JSON report";
    out_ << ",\n\"invocations\": "
         << dumped(ordered_json::array(
                {{{"executionSuccessful", true},
                  {"toolExecutionNotifications", ordered_json::array({{{"level", "warning"}, {"message", message(text)}}})}}}))
         << ",\n\"properties\": " << dumped({{"findingsLeftOut", total}, {"findingsLeftOutByRule", left_out_}});
  }

  ordered_json result_of(const report& facts, std::size_t index, const std::string& print, bool with_steps) const {
    const finding& found = facts.result.findings[index];
    const finding& shown = shown_finding(facts, index);
    std::string text = scenario_id(facts.scenario) + ": " + found.message;
    const std::string replay = index < facts.replay_commands.size() ? facts.replay_commands[index] : "";
    if (!replay.empty()) text += ". Replay: " + replay;
    ordered_json out = {{"ruleId", printable(found.oracle)},
                        {"ruleIndex", rule_indices_.at(printable(found.oracle))},
                        {"level", facts.expectation.met ? "note" : "error"},
                        {"message", message(text)},
                        {"locations", ordered_json::array()},
                        {"partialFingerprints", {{"kvraceFinding/v1", print}}},
                        {"occurrenceCount", std::max<std::uint64_t>(found.occurrences, 1)}};
    const std::vector<source_site> places = places_of(shown);
    for (const source_site& place : places) out["locations"].push_back(location(place, ""));
    if (ordered_json related = related_of(shown, places); !related.empty()) out["relatedLocations"] = std::move(related);
    if (with_steps && !shown.trace.empty()) out["codeFlows"] = ordered_json::array({code_flow(shown)});
    out["properties"] = {{"scenario", facts.scenario.name},
                         {"path", facts.scenario.path},
                         {"expected", facts.expectation.met},
                         {"subject", found.subject},
                         {"run", found.run},
                         {"step", found.step},
                         {"schedule", found.schedule.to_string()},
                         {"replay", replay}};
    return out;
  }

  static ordered_json related_of(const finding& found, const std::vector<source_site>& places) {
    std::vector<source_site> seen = places;
    ordered_json related = ordered_json::array();
    const auto add = [&](const source_site& place, const std::string& text) {
      const std::size_t before = seen.size();
      add_once(seen, place);
      if (seen.size() == before || related.size() == related_places) return;
      ordered_json more = location(place, text);
      more["id"] = related.size() + 1;
      related.push_back(std::move(more));
    };
    for (const source_site& site : found.sites) add(site, "The oracle failed here");
    for (const trace_step& step : found.trace)
      if (step.decisive) add(step.site, "Step " + std::to_string(step.step) + ": " + step_text(step));
    return related;
  }

  // One thread flow a task; executionOrder interleaves them.
  static ordered_json code_flow(const finding& found) {
    std::map<unsigned, ordered_json> flows;
    for (const std::size_t index : telling_steps(found, steps_of_a_finding)) {
      const trace_step& step = found.trace[index];
      ordered_json& steps = flows.try_emplace(step.task, ordered_json::array()).first->second;
      const bool essential = step.decisive || step.preempts || failed_at(found, index);
      steps.push_back({{"location", location(step.site, "Step " + std::to_string(step.step) + ": " + step_text(step) +
                                                            (failed_at(found, index) ? ", where the oracle failed" : ""))},
                       {"executionOrder", index + 1},
                       {"importance", essential ? "essential" : "important"}});
    }
    ordered_json threads = ordered_json::array();
    for (auto& [task, steps] : flows) {
      const std::string name = task_name(found.tasks, task);
      threads.push_back({{"id", std::to_string(task)}, {"message", message("Task " + name)}, {"locations", std::move(steps)}});
    }
    return {{"message", message(found.message)}, {"threadFlows", std::move(threads)}};
  }

  std::ostream& out_;
  std::span<const report> reports_;
  const presentation& how_;
  std::map<std::string, std::size_t> rule_indices_;
  std::map<std::string, std::size_t> left_out_;  // results by their rule
};

}  // namespace

void write_sarif(std::ostream& out, std::span<const report> reports, const presentation& how) {
  writer(out, reports, how).write();
}

}  // namespace kvrace::reports
