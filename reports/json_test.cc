#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "reports/report.h"
#include "reports/sample_reports.h"

namespace kvrace::reports {
namespace {

using nlohmann::json;

std::string written(const std::vector<report>& reports) {
  std::ostringstream out;
  write_json(out, reports);
  return out.str();
}

json schema_document() {
  std::ifstream file(KVRACE_REPORTS_FOLDER "/schema/report.schema.json");
  return json::parse(file);
}

// The first complaint of the published schema about `document`, or "".
std::string complaint(const json& document) {
  static const json schema_text = schema_document();
  static const valijson::Schema& schema = [] {
    static valijson::Schema parsed;
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_text), parsed);
    return std::ref(parsed);
  }();
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results)) return {};
  valijson::ValidationResults::Error error;
  if (!results.popError(error)) return "invalid";
  std::string place;
  for (const std::string& part : error.context) place += part;
  return place + ": " + error.description;
}

std::vector<report> all_samples() {
  return {sample::ghost_entry(), sample::proved(),  sample::certified(),    sample::long_trace(), sample::many_tasks(),
          sample::traffic(),     sample::hostile(), sample::shrunk_lease(), sample::rollouts()};
}

// Every object of the document with its place.
void collect_objects(const json& value, const json::json_pointer& at, std::vector<json::json_pointer>& out) {
  if (value.is_object()) out.push_back(at);
  if (value.is_structured()) {
    for (const auto& item : value.items()) {
      collect_objects(item.value(), value.is_object() ? at / item.key() : at / std::stoul(item.key()), out);
    }
  }
}

TEST_CASE("every sample report validates against the published schema, alone and in an array") {
  for (const report& facts : all_samples()) {
    const json document = json::parse(written({facts}));
    CHECK(document.is_object());
    CHECK(complaint(document) == "");
  }
  CHECK(json::parse(written(all_samples())).is_array());
  CHECK(complaint(json::parse(written(all_samples()))) == "");
  CHECK(complaint(json::parse(written({}))) == "");
}

TEST_CASE("the schema refuses a member it does not know, wherever it is, and a missing one") {
  const json document = json::parse(written({sample::ghost_entry()}));
  std::vector<json::json_pointer> objects;
  collect_objects(document, json::json_pointer(), objects);
  REQUIRE(objects.size() > 20);
  for (const json::json_pointer& at : objects) {
    if (at.to_string() == "/metrics" || at.to_string() == "/rates") continue;
    INFO(at.to_string());
    json with_more = document;
    with_more[at]["surprise"] = 1;
    CHECK(complaint(with_more) != "");
    json with_less = document;
    with_less[at].erase(with_less[at].begin());
    CHECK(complaint(with_less) != "");
  }
}

TEST_CASE("the schema describes every member") {
  const json schema = schema_document();
  std::vector<json::json_pointer> objects;
  collect_objects(schema, json::json_pointer(), objects);
  std::size_t described = 0;
  for (const json::json_pointer& at : objects) {
    if (at.empty() || at.parent_pointer().empty() || at.parent_pointer().back() != "properties") continue;
    INFO(at.to_string());
    CHECK(!schema[at].value("description", "").empty());
    ++described;
  }
  CHECK(described > 60);
}

TEST_CASE("a report that is written, read and written again keeps its bytes") {
  const std::string text = written(all_samples());
  const read_result read = read_json(text);
  REQUIRE(!read.error);
  REQUIRE(read.reports.size() == all_samples().size());
  CHECK(written(read.reports) == text);
}

TEST_CASE("what is read equals what was written, number by number") {
  const report before = sample::ghost_entry();
  const read_result read = read_json(written({before}));
  REQUIRE(!read.error);
  const report& after = read.reports.at(0);
  CHECK(after.scenario.text == before.scenario.text);
  CHECK(after.scenario.digest == before.scenario.digest);
  CHECK(after.build == before.build);
  CHECK(after.replay_commands == before.replay_commands);
  CHECK(after.result.verdict == before.result.verdict);
  CHECK(after.result.time_s == before.result.time_s);
  CHECK(after.result.counts.decisions_max == 14);
  CHECK(after.result.metrics == before.result.metrics);
  const finding& found = after.result.findings.at(0);
  CHECK(found.schedule == before.result.findings[0].schedule);
  CHECK(found.trace_digest == before.result.findings[0].trace_digest);
  CHECK(found.sites == before.result.findings[0].sites);
  CHECK(found.trace.at(8).preempts);
  CHECK(found.trace.at(6).value == "FREE");
  CHECK(found.operations.at(0).step_return == 10);
  CHECK(found.ledger.at(4).event == "touch");
}

TEST_CASE("two reports of one scenario differ in their timing block alone") {
  report slow = sample::ghost_entry();
  slow.result.time_s = 99;
  json first = json::parse(written({sample::ghost_entry()}));
  json second = json::parse(written({slow}));
  CHECK(first != second);
  first.erase("timing");
  second.erase("timing");
  CHECK(first == second);
}

TEST_CASE("numbers above 2^53 are hexadecimal strings and come back whole") {
  const std::string text = written({sample::hostile()});
  const json document = json::parse(text);
  CHECK(document["seed"] == "0xffffffffffffffff");
  CHECK(document["metrics"][""] == "0x0020000000000001");
  CHECK(document["findings"][0]["trace_digest"] == "0xfeedfacecafebeef");
  CHECK(read_json(text).reports.at(0).result.seed == 0xffffffffffffffff);
}

TEST_CASE("invalid UTF-8 becomes U+FFFD and control characters are escaped") {
  const std::string text = written({sample::hostile()});
  for (const char c : text) CHECK_FALSE((static_cast<unsigned char>(c) < 0x20 && c != '\n'));
  const json document = json::parse(text);
  CHECK(document["findings"][0]["trace"][0]["object"] == "\xEF\xBF\xBD");
  CHECK(document["findings"][0]["message"] == std::string("zero \0 inside", 13));
}

// What a reader says about `text`, as if it were in r.json.
std::string refusal(std::string_view text) {
  const read_result read = read_json(text);
  if (!read.error) return "accepted";
  CHECK(read.reports.empty());
  return read.error->to_line("r.json");
}

TEST_CASE("a report cut off at any byte is refused in one line") {
  const std::string text = written({sample::ghost_entry()});
  for (std::size_t size = 0; size + 2 < text.size(); size += 97) {
    const std::string line = refusal(text.substr(0, size));
    CHECK(line.starts_with("r.json: "));
    CHECK(line.find(": expected ") != std::string::npos);
    CHECK(line.find('\n') == std::string::npos);
  }
}

TEST_CASE("foreign documents are refused with what was expected") {
  CHECK(refusal("{}") == "r.json: (root): expected a kvrace report with schema_version 1 to 7");
  CHECK(refusal("[1]") == "r.json: /0: expected a kvrace report with schema_version 1 to 7");
  CHECK(refusal("null") == "r.json: (root): expected a kvrace report with schema_version 1 to 7");
  CHECK(refusal("{\"a\" 1}") == "r.json: 1:6: expected JSON: unexpected number literal; expected ':'");
}

TEST_CASE("the report of a sweep is refused by its name") {
  CHECK(refusal(R"({"schema_version": 1, "mode": "sweep"})") ==
        "r.json: (root): expected a report of 'kvrace run', 'prove', 'replay' or 'shrink', not of 'kvrace sweep'");
}

TEST_CASE("the schema_version is from 1 to the present one") {
  for (const char* version : {"0", "8", "-1", "1.5", "null", "[]"})
    CHECK(refusal(R"({"schema_version": )" + std::string(version) + "}").starts_with("r.json: /schema_version: expected "));
}

TEST_CASE("a report of schema_version 1 is read, with traffic or without; one of version 2 has it") {
  json document = json::parse(written({sample::traffic()}));
  document["schema_version"] = 1;
  CHECK(read_json(document.dump()).reports.at(0).traffic);
  document.erase("traffic");
  CHECK(refusal(document.dump()) == "accepted");
  CHECK_FALSE(read_json(document.dump()).reports.at(0).traffic);
  document["schema_version"] = 2;
  CHECK(refusal(document.dump()) == "r.json: (root): expected a member \"traffic\"");
}

TEST_CASE("what a finding shrinks to is read again; reports before schema_version 3 have none") {
  report found = sample::ghost_entry();
  found.shrunk = {sample::ghost_entry()};
  const std::string text = written({found});
  REQUIRE(read_json(text).reports.at(0).shrunk.size() == 1);
  CHECK(written(read_json(text).reports) == text);
  json document = json::parse(text);
  document.erase("shrunk");
  CHECK(refusal(document.dump()) == "r.json: (root): expected a member \"shrunk\"");
  document["schema_version"] = 2;
  CHECK(read_json(document.dump()).reports.at(0).shrunk.empty());
}

TEST_CASE("a certificate is read again; reports before schema_version 4 have none") {
  const std::string text = written({sample::certified()});
  REQUIRE(read_json(text).reports.at(0).result.certificate == sample::certified().result.certificate);
  json document = json::parse(text);
  document["certificate"]["claim"] = "another";
  CHECK(refusal(document.dump()) == "r.json: /certificate/claim: expected the claim of the report");
  document.erase("certificate");
  CHECK(refusal(document.dump()) == "r.json: (root): expected a member \"certificate\"");
  document["schema_version"] = 3;
  CHECK_FALSE(read_json(document.dump()).reports.at(0).result.certificate);
}

TEST_CASE("a report up to schema_version 4 has the effort of a proof among its counts; later ones beside the time") {
  const std::string text = written({sample::proved()});
  json document = json::parse(text);
  REQUIRE_FALSE(document["counts"].contains("schedules"));
  const json effort = document["timing"]["effort"];
  document["timing"].erase("effort");
  CHECK(refusal(document.dump()) == "r.json: /counts: expected a member \"schedules\"");
  document["counts"].update(effort);
  document["schema_version"] = 4;
  CHECK(refusal(document.dump()) == "accepted");
  CHECK(written(read_json(document.dump()).reports) == text);
}

TEST_CASE("shards, passing runs and virtual times are read again; reports before schema_version 6 have none") {
  const std::string text = written({sample::shrunk_lease()});
  const report read = read_json(text).reports.at(0);
  CHECK(read.shard == sample::shrunk_lease().shard);
  CHECK(read.result.findings[0].trace[5].time_ns == 2'500'000);
  CHECK(read.shrunk.at(0).passing->trace.at(1).behind == 2);
  CHECK(written({read}) == text);
  json document = json::parse(text);
  document["shard"]["index"] = 4;
  CHECK(refusal(document.dump()) == "r.json: /shard/index: expected an integer from 1 to 3");
  for (const char* member : {"shard", "passing"}) {
    document = json::parse(text);
    document["shrunk"] = json::array();
    document.erase(member);
    CHECK(refusal(document.dump()) == "r.json: (root): expected a member \"" + std::string(member) + '"');
    document["schema_version"] = 5;
    CHECK(refusal(document.dump()) == "accepted");
  }
}

TEST_CASE("rollouts are read again; reports before schema_version 7 have none") {
  const std::string text = written({sample::rollouts()});
  const report read = read_json(text).reports.at(0);
  REQUIRE(read.rollouts.size() == 2);
  CHECK(read.rollouts[0].decided_s == 35);
  CHECK(read.rollouts[0].points.at(1).failed == std::vector<std::string>{"similarity"});
  CHECK_FALSE(read.rollouts[1].without_canary);
  CHECK(written({read}) == text);
  json document = json::parse(text);
  document.erase("rollouts");
  CHECK(refusal(document.dump()) == "r.json: (root): expected a member \"rollouts\"");
  document["schema_version"] = 6;
  CHECK(read_json(document.dump()).reports.at(0).rollouts.empty());
}

TEST_CASE("nesting in a report is bounded before it is parsed") {
  for (const std::string_view open : {"[", "{\"a\":"}) {
    std::string deep;
    for (int depth = 0; depth < 100'000; ++depth) deep += open;
    CHECK(refusal(deep).ends_with(": expected at most 64 nested arrays and objects"));
    std::string text = written({sample::ghost_entry()});
    const std::string_view mode = R"("mode": "run")";
    text.replace(text.find(mode), mode.size(), R"("mode": )" + deep);
    CHECK(refusal(text).ends_with(": expected at most 64 nested arrays and objects"));
  }
}

TEST_CASE("what follows a NUL in a report is not overlooked") {
  const std::string text = written({sample::ghost_entry()});
  CHECK(refusal(text + std::string(1, '\0')).ends_with(": expected JSON, not a NUL byte"));
  CHECK(refusal(text + std::string("\0 and more", 10)).ends_with(": expected JSON, not a NUL byte"));
}

TEST_CASE("every key of a report is there once") {
  std::string text = written({sample::ghost_entry()});
  const std::string_view seed = R"("seed": 1,)";
  text.insert(text.find(seed), R"("seed": 2, )");
  CHECK(refusal(text) == "r.json: /seed: expected this key once");
}

// Replaces every value in turn. Returns how many there are.
std::size_t check_wrong_values(const report& facts) {
  const json document = json::parse(written({facts}));
  const json wrong = json::array({json::array({"not this"})});  // nothing is an array of arrays
  const json flat = document.flatten();
  std::size_t places = 0;
  for (const auto& [place, value] : flat.items()) {
    if (place == "/schema_version") continue;
    json changed = document;
    changed[json::json_pointer(place)] = wrong;
    const read_result read = read_json(changed.dump());
    INFO(place);
    REQUIRE(read.error);
    CHECK((read.error->where == place || read.error->where == place + "/0"));  // the latter: an empty array
    ++places;
  }
  return places;
}

TEST_CASE("every wrong value in a report is refused where it stands") {
  CHECK(check_wrong_values(sample::ghost_entry()) > 150);
  CHECK(check_wrong_values(sample::traffic()) > 500);
  CHECK(check_wrong_values(sample::rollouts()) > 500);
  CHECK(check_wrong_values(sample::certified()) > 45);
  CHECK(check_wrong_values(sample::shrunk_lease()) > 400);
}

TEST_CASE("a missing or unknown member, a bad schedule and a task out of range are named") {
  const json document = json::parse(written({sample::ghost_entry()}));
  const auto refusal_of = [&document](const char* place, const json& value) {
    json changed = document;
    changed[json::json_pointer(place)] = value;
    return refusal(changed.dump());
  };
  CHECK(refusal_of("/findings/0/a~1b", 1) == "r.json: /findings/0/a~1b: expected no such member");
  CHECK(refusal_of("/timing", json::object()) == "r.json: /timing: expected a member \"time_s\"");
  CHECK(refusal_of("/findings/0/schedule", "1.x").starts_with("r.json: /findings/0/schedule: expected a schedule: "));
  CHECK(refusal_of("/findings/0/trace/3/task", 3) ==
        "r.json: /findings/0/trace/3/task: expected an index into /tasks of the finding");
  CHECK(refusal_of("/seed", -1) == "r.json: /seed: expected an integer that is not negative");
  CHECK(refusal_of("/seed", 1.5) == "r.json: /seed: expected an integer that is not negative");
  CHECK(refusal_of("/preemptions_bound", 4294967296) == "r.json: /preemptions_bound: expected an integer below 2^32");
  CHECK(refusal_of("/verdict", "MAYBE") ==
        "r.json: /verdict: expected one of PROVED, EXHAUSTED, NOT_FOUND, VIOLATION, INCOMPLETE, UNSOUND");
}

TEST_CASE("formats are found by name and by extension") {
  CHECK(find_format("json")->write == write_json);
  CHECK(find_format("text")->write == write_text);
  CHECK(find_format("xml") == nullptr);
  CHECK(format_for_path("a/b.json")->name == "json");
  CHECK(format_for_path("a.txt")->name == "text");
  CHECK(format_for_path("json") == nullptr);
}

}  // namespace
}  // namespace kvrace::reports
