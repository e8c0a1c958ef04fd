// The forms of a sweep: JSON after its schema, text within its width, a picture that is well-formed.
#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "reports/plain_text.h"
#include "reports/sweep.h"
#include "reports/sweep_axes.h"

namespace kvrace::reports {
namespace {

using nlohmann::json;

sweep_point point(double qps, std::uint64_t polluted) {
  sweep_point made;
  made.qps = qps;
  made.runs = 2;
  made.completed = 2'000;
  made.polluted = polluted;
  made.ways = {{"ghost_entry", polluted / 2}, {"stolen_block", polluted - polluted / 2}, {"wrong_key", 0}, {"foreign_rows", 0}};
  made.mean = static_cast<double>(polluted) / 2'000;
  made.low = made.mean / 2;
  made.high = std::min(made.mean * 1.5, 1.0);
  made.qps_reached = qps;
  made.in_flight = 3.5;
  made.p50_ms = 20;
  made.p99_ms = 80.25;
  made.hit = {"hit", 500, 1'000};
  return made;
}

sweep_facts sample(const std::string& name) {
  sweep_facts facts;
  facts.scenario = {.name = name, .path = "curve.json", .digest = 7, .text = "{}"};
  facts.seed_first = 1;
  facts.seed_count = 2;
  facts.requests = 1'000;
  facts.interval = "95 %";
  facts.curves = {{"mutex", name, {"a_flaw", "another"}, {point(100, 6), point(550, 240), point(2'000, 2'000)}},
                  {"mutex", "none", {}, {point(100, 0), point(550, 0), point(2'000, 0)}},
                  {"epoch", "none", {}, {point(100, 0), point(550, 0), point(2'000, 0)}}};
  facts.answers = {{"0 % polluted", "0 %", true}};
  facts.expectation = {.expected = "1 answers of the scenario", .outcome = "all as expected", .met = true, .exit_code = 0};
  facts.command = "kvrace sweep curve.json";
  facts.time_s = 1.5;
  return facts;
}

std::string text_of(const sweep_facts& facts, unsigned columns) {
  std::ostringstream out;
  write_sweep_text(out, facts, {.columns = columns});
  return std::move(out).str();
}
std::string picture_of(const sweep_facts& facts) {
  std::ostringstream out;
  write_sweep_svg(out, facts);
  return std::move(out).str();
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

TEST_CASE("the JSON of a sweep validates against the published schema") {
  std::ifstream file(KVRACE_REPORTS_FOLDER "/schema/sweep.schema.json");
  const json schema_text = json::parse(file);
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_text), schema);
  std::ostringstream out;
  write_sweep_json(out, sample("curve"));
  json document = json::parse(out.str());
  const auto valid = [&] {
    valijson::Validator validator;
    return validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
  };
  CHECK(valid());
  CHECK(document["curves"][0]["points"][1]["pollution"]["mean"] == 0.12);
  document["curves"][0]["points"][1]["unknown"] = 1;
  CHECK_FALSE(valid());
}

TEST_CASE("the text of a sweep keeps to its width, but for the line to type") {
  for (const unsigned columns : {60U, 80U, 130U}) {
    std::istringstream lines(text_of(sample("curve"), columns));
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK((width(line) <= columns || line.starts_with("again")));
    }
  }
}

TEST_CASE("the picture in the text has a row for zero and one for each power of ten") {
  const std::string text = text_of(sample("curve"), 80);
  CHECK(text.find("     0.1 % |") != std::string::npos);
  CHECK(text.find("     100 % |") != std::string::npos);
  CHECK(text.find("         0 |B") != std::string::npos);
  CHECK(text.find("0 polluted of 6000 requests, at all 3 loads.") != std::string::npos);
}

TEST_CASE("the picture of a sweep is well-formed, whatever names it holds") {
  const std::string picture = picture_of(sample("<script>&\"\x1b"));
  CHECK(picture.find("<script>") == std::string::npos);
  CHECK(picture.find("&lt;script&gt;&amp;&quot;") != std::string::npos);
  CHECK(picture.find('\x1b') == std::string::npos);
  for (const std::string element : {"svg", "g", "text", "title", "circle", "desc"})
    CHECK(count_of(picture, "<" + element + ">") + count_of(picture, "<" + element + " ") ==
          count_of(picture, "</" + element + ">"));
  CHECK(count_of(picture, "<polyline") == 3);
}

TEST_CASE("a sweep of one load, polluted or not, has a picture too") {
  sweep_facts facts = sample("curve");
  for (sweep_curve& each : facts.curves) each.points.resize(1);
  CHECK(text_of(facts, 80).find("100") != std::string::npos);
  CHECK(picture_of(facts).find("nan") == std::string::npos);
}

}  // namespace
}  // namespace kvrace::reports
