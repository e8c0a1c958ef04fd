// Each format is read again by a parser that is not the writer's. What other programs say about them: parsers_test.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "reports/fingerprint.h"
#include "reports/relations.h"
#include "reports/report.h"
#include "reports/sample_reports.h"

namespace kvrace::reports {
namespace {

using nlohmann::json;

std::string written(const char* format, const std::vector<report>& reports) {
  const std::vector<rule> rules = {{"ghost_entry", "an index entry leads to a block that holds something else"}};
  std::ostringstream out;
  find_format(format)->write(out, reports, {.rules = rules});
  return out.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

report unexpected(report facts) {
  facts.expectation = {.expected = "verdict proved", .outcome = "found violation", .met = false, .exit_code = 1};
  return facts;
}

std::vector<report> all_samples() {
  std::vector<report> all = {
      sample::ghost_entry(), sample::proved(),  sample::certified(),           unexpected(sample::long_trace()),
      sample::many_tasks(),  sample::traffic(), unexpected(sample::hostile()), sample::shrunk_lease(),
      sample::rollouts()};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) all.push_back(sample::scrambled(seed));
  return all;
}

TEST_CASE("every format is found by its name and by its extension, and writes the same bytes twice") {
  for (const format& each : formats()) {
    CHECK(find_format(each.name) == &each);
    CHECK(format_for_path("a/b" + std::string(each.extension)) == &each);
    const std::string name(each.name);
    CHECK(written(name.c_str(), all_samples()) == written(name.c_str(), all_samples()));
  }
}

TEST_CASE("no format lets control characters or invalid UTF-8 through") {
  for (const format& each : formats()) {
    INFO(each.name);
    for (const report& facts : all_samples()) {
      const std::string text = written(std::string(each.name).c_str(), {facts});
      for (const char c : text) REQUIRE_FALSE((static_cast<unsigned char>(c) < 0x20 && c != '\n'));
      REQUIRE_NOTHROW(json(text).dump());  // strict about UTF-8
    }
  }
}

// Run by parsers_test, which gives the files to programs that read them.
TEST_CASE("samples are written for other programs", "[.write]") {
  const char* const folder = std::getenv("KVRACE_SAMPLES");
  REQUIRE(folder != nullptr);
  for (const format& each : formats()) {
    std::ofstream(std::string(folder) + "/all" + std::string(each.extension))
        << written(std::string(each.name).c_str(), all_samples());
    std::ofstream(std::string(folder) + "/one" + std::string(each.extension))
        << written(std::string(each.name).c_str(), {unexpected(sample::ghost_entry())});
    std::ofstream(std::string(folder) + "/none" + std::string(each.extension)) << written(std::string(each.name).c_str(), {});
  }
}

// ---- SARIF ----

std::string sarif_complaint(const json& document) {
  static const json schema_text = json::parse(std::ifstream(KVRACE_SARIF_SCHEMA));
  static const valijson::Schema& schema = [] {
    static valijson::Schema parsed;
    valijson::SchemaParser(valijson::SchemaParser::kDraft4)
        .populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_text), parsed);
    return std::ref(parsed);
  }();
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results)) return {};
  std::string text;
  for (valijson::ValidationResults::Error error; results.popError(error);) {
    for (const std::string& part : error.context) text += part;
    text += ": " + error.description + "\n";
  }
  return text;
}

TEST_CASE("SARIF is valid against the schema of OASIS") {
  if (!std::filesystem::exists(KVRACE_SARIF_SCHEMA)) {
    WARN("not validated: there is no " KVRACE_SARIF_SCHEMA);
    return;
  }
  CHECK(sarif_complaint(json::parse(written("sarif", {}))) == "");
  CHECK(sarif_complaint(json::parse(written("sarif", all_samples()))) == "");
  json broken = json::parse(written("sarif", {sample::ghost_entry()}));
  broken["runs"][0]["results"][0]["level"] = "bad";
  CHECK(sarif_complaint(broken) != "");
}

TEST_CASE("SARIF has one result a finding, a rule with help per oracle, and a flow per task with a common order") {
  const json run =
      json::parse(written("sarif", {unexpected(sample::ghost_entry()), sample::proved(), sample::shrunk_lease()}))["runs"][0];
  REQUIRE(run["results"].size() == 2);
  const json& rules = run["tool"]["driver"]["rules"];
  REQUIRE(rules.size() == 2);
  const json& first = run["results"][0];
  CHECK(first["ruleId"] == "ghost_entry");
  CHECK(first["level"] == "error");
  CHECK(run["results"][1]["level"] == "note");  // the scenario expects it
  const json& rule_of_first = rules[first["ruleIndex"].get<std::size_t>()];
  CHECK(rule_of_first["id"] == "ghost_entry");
  CHECK(rule_of_first["shortDescription"]["text"] == "an index entry leads to a block that holds something else");
  // Where the program did it.
  CHECK(first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "cache_model/locking/mutex.cc");
  CHECK(first["locations"][0]["physicalLocation"]["region"]["startLine"] == 88);
  std::set<std::uint64_t> orders;
  const json& flows = first["codeFlows"][0]["threadFlows"];
  REQUIRE(flows.size() == 3);
  for (const json& flow : flows)
    for (const json& location : flow["locations"]) orders.insert(location["executionOrder"].get<std::uint64_t>());
  CHECK(orders.size() == sample::ghost_entry().result.findings[0].trace.size());
  CHECK(flows[2]["message"]["text"] == "Task writer");
}

TEST_CASE("placeholders and links in a message mean themselves") {
  report facts = sample::ghost_entry();
  facts.result.findings[0].message = "{0} [x](1)";
  const json run = json::parse(written("sarif", {facts}))["runs"][0];
  CHECK(run["results"][0]["message"]["text"].get<std::string>().find(": {{0}} [x] (1)") != std::string::npos);
}

TEST_CASE("a fingerprint stays when lines, seeds, schedules and numbers change, and tells findings apart") {
  report facts = sample::ghost_entry();
  const std::string before = fingerprints(facts).at(0);
  finding& found = facts.result.findings[0];
  found.sites[0].line = 1000;
  found.subject = "block 17";
  found.run = 3;
  found.schedule = *schedule::parse("baseline");
  facts.result.seed = 7;
  facts.scenario.path = "/elsewhere/01_ghost.json (shrunk)";
  CHECK(fingerprints(facts).at(0) == before);
  found.oracle = "deadlock";
  CHECK(fingerprints(facts).at(0) != before);
  facts.result.findings.push_back(found);
  CHECK(fingerprints(facts).at(1) == fingerprints(facts).at(0) + "-2");
}

// ---- JUnit XML ----

// Complains about XML that is not well-formed, of the few forms that are written.
std::string xml_complaint(std::string text) {
  static const std::regex declaration(R"(^<\?xml version="1\.0" encoding="UTF-8"\?>\n)");
  if (!std::regex_search(text, declaration)) return "no declaration";
  text = std::regex_replace(text, declaration, "");
  static const std::regex tag(R"(^<(/?)([a-z-]+)((?: [a-z]+="[^"<&]*(?:&(?:amp|lt|gt|quot);[^"<&]*)*")*)(/?)>)");
  static const std::regex entity("^&(amp|lt|gt|quot);");
  std::vector<std::string> open;
  for (std::string_view rest = text; !rest.empty();) {
    std::cmatch match;
    if (rest.front() == '<') {
      const std::size_t end = rest.find('>');
      if (end == std::string_view::npos || !std::regex_search(rest.data(), rest.data() + end + 1, match, tag))
        return "no tag: " + std::string(rest.substr(0, 200));
      if (match[1].length() != 0) {
        if (open.empty() || open.back() != match[2].str()) return "closes nothing: " + match[2].str();
        open.pop_back();
      } else if (match[4].length() == 0) {
        open.push_back(match[2].str());
      }
      rest.remove_prefix(static_cast<std::size_t>(match.length()));
      continue;
    }
    if (rest.front() == '&' &&
        !std::regex_search(rest.data(), rest.data() + std::min<std::size_t>(rest.size(), 6), match, entity))
      return "no entity: " + std::string(rest.substr(0, 20));
    rest.remove_prefix(1);
  }
  return open.empty() ? "" : "stays open: " + open.back();
}

std::size_t count_of(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST_CASE("JUnit XML is well-formed and has one test case a scenario") {
  CHECK(xml_complaint(written("junit", {})) == "");
  for (const report& facts : all_samples()) {
    const std::string text = written("junit", {facts});
    CHECK(xml_complaint(text) == "");
    CHECK(count_of(text, "<testcase ") == 1);
  }
}

TEST_CASE("a scenario that is not as expected fails, one that means nothing is an error, one that was not run is skipped") {
  CHECK(count_of(written("junit", {sample::ghost_entry()}), "<failure") == 0);
  const std::string failed = written("junit", {unexpected(sample::ghost_entry())});
  CHECK(failed.find("<failure type=\"ghost_entry\" message=\"VIOLATION: found violation\">VIOLATION") != std::string::npos);
  CHECK(failed.find(" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\"") != std::string::npos);
  report unsound = unexpected(sample::proved());
  unsound.expectation.exit_code = 3;
  CHECK(count_of(written("junit", {unsound}), "<error type=") == 1);
  report not_run = unexpected(sample::proved());
  not_run.result.verdict = verdict::incomplete;
  not_run.result.counts.runs = 0;
  not_run.result.interrupted = true;
  CHECK(count_of(written("junit", {not_run}), "<skipped message=") == 1);
  // Their names tell two entries of one scenario apart.
  CHECK(written("junit", {sample::proved(), sample::proved()}).find("name=\"01_ghost #2\"") != std::string::npos);
}

// ---- GitHub ----

TEST_CASE("every annotation is one line, and its values cannot end it") {
  const std::regex line(R"(::error (file=[^:,]*(,line=[0-9]+)?,)?title=[^:,]*::[^\r]*)");
  for (const report& facts : all_samples()) {
    const std::vector<std::string> lines = lines_of(written("github", {facts}));
    CHECK(lines.size() == (facts.expectation.met ? 0 : std::max<std::size_t>(facts.result.findings.size(), 1)));
    for (const std::string& each : lines) {
      INFO(each);
      CHECK(std::regex_match(each, line));
    }
  }
  CHECK(written("github", {unexpected(sample::ghost_entry())})
            .starts_with("::error file=cache_model/locking/mutex.cc,line=88,title=ghost_entry in 01_ghost::block 1 is in the "
                         "eviction order"));
}

TEST_CASE("of more annotations than a step shows, the last one counts the others") {
  const std::vector<std::string> lines = lines_of(written("github", {sample::many_findings(25)}));
  REQUIRE(lines.size() == 10);
  CHECK(lines.back() == "::error title=kvrace::16 more are in the report: a step shows 10");
}

// ---- Markdown ----

TEST_CASE("a summary has a row a scenario, and markup in names means itself") {
  for (const report& facts : all_samples()) {
    const std::vector<std::string> lines = lines_of(written("markdown", {facts}));
    REQUIRE(lines.size() >= 5);
    // Cells are divided where the writer divides them, and nowhere else.
    CHECK(std::count(lines[4].begin(), lines[4].end(), '|') - static_cast<std::ptrdiff_t>(count_of(lines[4], "\\|")) == 7);
    CHECK(lines[4].find('<') == std::string::npos);
    std::string fence;
    for (const std::string& line : lines) {
      if (line.starts_with("```") && fence.empty()) {
        fence = line.substr(0, line.find("text"));
      } else if (line == fence) {
        fence.clear();
      } else if (fence.empty()) {
        for (std::size_t at = line.find('<'); at != std::string::npos; at = line.find('<', at + 1))
          CHECK(std::regex_search(line.substr(at), std::regex("^</?(details|summary)>")));
      }
    }
    CHECK(fence.empty());
  }
}

TEST_CASE("a summary stays below what a step takes") {
  std::vector<report> many(3'000, unexpected(sample::ghost_entry()));
  const std::string text = written("markdown", many);
  CHECK(text.size() < 1'000'000);
  CHECK(text.find("2000 more, as expected or not, are in the report.") != std::string::npos);
  CHECK(text.find(" more are described in the report.") != std::string::npos);
}

// ---- Prometheus ----

TEST_CASE("Prometheus text has families that are described once and series that are there once") {
  const std::regex sample_line(
      R"x(((?:vllm:|sglang:)?[a-z_]+)(\{[a-z_]+="([^"\\]|\\["\\n])*"(,[a-z_]+="([^"\\]|\\["\\n])*")*\}) (NaN|[+-]Inf|[0-9.e+-]+))x");
  std::set<std::string> described;
  std::set<std::string> series;
  std::string family;
  for (const std::string& line : lines_of(written("prometheus", all_samples()))) {
    INFO(line);
    if (line.starts_with("# HELP ")) {
      family = line.substr(7, line.find(' ', 7) - 7);
      CHECK(described.insert(family).second);
    } else if (line.starts_with("# TYPE ")) {
      CHECK(line == "# TYPE " + family + (family.ends_with("_total") ? " counter" : " gauge"));
    } else {
      std::smatch match;
      REQUIRE(std::regex_match(line, match, sample_line));
      CHECK(match[1].str() == family);
      CHECK(series.insert(match[1].str() + match[2].str()).second);
    }
  }
  CHECK(series.contains(R"(kvrace_verdict{scenario="01_ghost",mode="run",verdict="VIOLATION"})"));
}

TEST_CASE("Prometheus text has the counters of each population of a rollout under the names of serving systems") {
  const std::string text = written("prometheus", {sample::rollouts()});
  const std::string of = R"({scenario="01_ghost",mode="run",rollout="1",model_name="candidate"} )";
  CHECK(text.find("\nvllm:prefix_cache_queries_total" + of + "14000\n") != std::string::npos);
  CHECK(text.find("\nvllm:prefix_cache_hits_total" + of + "12600\n") != std::string::npos);
  CHECK(text.find("\nsglang:cached_tokens_total" + of + "12600\n") != std::string::npos);
  CHECK(text.find("\nsglang:cache_hit_rate" + of + "0.9\n") != std::string::npos);
  report nobody = sample::rollouts();
  for (rollout_facts& each : nobody.rollouts) each.stable = each.candidate = each.baseline = {};
  CHECK(written("prometheus", {nobody}).find("sglang:cache_hit_rate") == std::string::npos);
}

// ---- Trace events ----

TEST_CASE("a trace is JSON with a track a task, slices that nest, and arrows with two ends") {
  for (const report& facts : all_samples()) {
    const json document = json::parse(written("trace", {facts}));
    std::map<std::pair<unsigned, unsigned>, std::set<std::string>> names;
    std::map<std::uint64_t, int> arrows;
    for (const json& event : document["traceEvents"]) {
      const std::string phase = event["ph"];
      if (phase == "M")
        names[{event["pid"], event["tid"]}].insert(event["name"].get<std::string>());
      else
        CHECK(event["ts"].get<double>() >= 0);
      if (phase == "X") CHECK(event["dur"].get<double>() > 0);
      if (phase == "s") ++arrows[event["id"]];
      if (phase == "f") CHECK(--arrows[event["id"]] == 0);
    }
    for (const auto& [id, balance] : arrows) CHECK(balance == 0);
    if (!facts.result.findings.empty()) CHECK(names.at({1, 1}).contains("thread_name"));
  }
}

TEST_CASE("virtual time has a process of its own where it passes") {
  const auto processes = [](const report& facts) {
    std::set<std::string> names;
    const json document = json::parse(written("trace", {facts}));
    for (const json& event : document["traceEvents"])
      if (event["name"] == "process_name") names.insert(event["args"]["name"].get<std::string>());
    return names;
  };
  CHECK(processes(sample::ghost_entry()) == std::set<std::string>{"01_ghost: ghost_entry in run 17, in steps"});
  CHECK(processes(sample::shrunk_lease()).contains("01_ghost: expired_lease in run 17, in virtual time"));
}

// ---- DOT and what it draws ----

TEST_CASE("a load reads the last store, or the one it is behind; a lock comes from who had it") {
  using kind = relation::kind;
  const auto relations = [](std::uint64_t behind) { return relations_of(sample::stale_load(behind)); };
  CHECK(relations(0) == std::vector<relation>{{kind::modification, 0, 1}, {kind::reads_from, 1, 2}, {kind::hand_over, 3, 4}});
  CHECK(relations(1)[1] == relation{kind::reads_from, 0, 2});
  // The initial value was written by nobody.
  CHECK(relations(2) == std::vector<relation>{{kind::modification, 0, 1}, {kind::hand_over, 3, 4}});
  // Along a graph with stale loads the order of the trace is not that of modification.
  finding graph = sample::stale_load(0);
  graph.trace[2].value = "stale 0";
  graph.schedule.set_up = schedule::setting::graph;
  CHECK(relations_of(graph) == std::vector<relation>{{kind::hand_over, 3, 4}});
}

TEST_CASE("every line of a graph is a statement, and strings in it cannot end early") {
  const std::regex string(R"x("([^"\\]|\\["\\])*")x");
  const std::regex statement(
      R"(\s*(digraph kvrace \{|subgraph cluster_[0-9_]+ \{|\}|label="";|(node|edge) \[[a-z=", ]*\];|f[0-9]+_([0-9]+|more)( -> f[0-9]+_[0-9]+)? \[[a-z0-9=", ]*\];|//.*))");
  for (const report& facts : all_samples())
    for (const std::string& line : lines_of(written("dot", {facts}))) {
      INFO(line);
      CHECK(std::regex_match(std::regex_replace(line, string, "\"\""), statement));
    }
}

TEST_CASE("100,000 findings and traces of 1,000,000 steps stay readable in the formats that are shown to people") {
  const report many = sample::many_findings(100'000);
  for (const char* format : {"text", "junit", "github", "markdown", "trace", "dot"}) {
    INFO(format);
    CHECK(written(format, {many}).size() < 1'000'000);
  }
  report one = unexpected(sample::long_trace());
  std::vector<trace_step>& trace = one.result.findings[0].trace;
  while (trace.size() < 1'000'000) {
    trace.push_back(trace[trace.size() - 400]);
    trace.back().step = trace.size();
  }
  one.result.findings[0].step = trace.size();
  for (const char* format : {"text", "sarif", "junit", "github", "markdown", "dot"}) {
    INFO(format);
    CHECK(written(format, {one}).size() < 200'000);
  }
  CHECK(written("trace", {one}).size() < 20'000'000);
}

// Its own bound: code scanning takes 25,000 results.
TEST_CASE("SARIF holds what fits and counts the rest, what is not expected first") {
  report expected = sample::many_findings(60'000);
  expected.expectation.met = true;
  const report unexpected_one = unexpected(sample::ghost_entry());
  const std::string text = written("sarif", {expected, unexpected_one, unexpected(sample::many_findings(40'000))});
  CHECK(text.size() < 16'000'000);
  const json document = json::parse(text);
  if (std::filesystem::exists(KVRACE_SARIF_SCHEMA)) CHECK(sarif_complaint(document) == "");
  const json& run = document["runs"][0];
  const std::size_t shown = run["results"].size();
  CHECK(shown > 5'000);
  CHECK(shown <= 25'000);
  CHECK(run["results"][0]["message"]["text"].get<std::string>().find(unexpected_one.result.findings[0].message) !=
        std::string::npos);
  for (const json& result : run["results"]) REQUIRE(result["level"] == "error");
  CHECK(run["properties"]["findingsLeftOut"] == 100'001 - shown);
  std::size_t by_rule = 0;
  for (const json& count : run["properties"]["findingsLeftOutByRule"]) by_rule += count.get<std::size_t>();
  CHECK(by_rule == 100'001 - shown);
  CHECK(run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].get<std::string>().starts_with(
      std::to_string(100'001 - shown) + " further findings"));
}

TEST_CASE("SARIF of many reports with long traces drops the steps before the findings") {
  const json run = json::parse(written("sarif", std::vector<report>(3'000, unexpected(sample::ghost_entry()))))["runs"][0];
  CHECK(run["results"].size() == 3'000);
  CHECK(run["results"][0].contains("codeFlows"));
  CHECK_FALSE(run["results"][2'999].contains("codeFlows"));
  CHECK_FALSE(run.contains("properties"));
}

}  // namespace
}  // namespace kvrace::reports
