#include "reports/page_data.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "reports/sample_reports.h"

namespace kvrace::reports {
namespace {

using nlohmann::json;

json facts_of(const std::vector<report>& reports, const page_limits& limits = {}) {
  return json::parse(page_data(reports, {}, limits));
}

std::string text_of(const json& facts, const json& number) { return facts.at("strings").at(number.get<std::size_t>()); }

// `steps` of two tasks that take turns with a lock.
report long_run(std::uint64_t steps) {
  report out = sample::ghost_entry();
  finding& found = out.result.findings.front();
  found.operations.clear();
  found.ledger.clear();
  found.trace.clear();
  for (std::uint64_t i = 1; i <= steps; ++i) {
    trace_step step;
    step.step = i;
    step.task = 1 + static_cast<unsigned>((i - 1) / 2 % 2);
    step.operation = (i + 1) / 2;
    step.kind = i % 2 == 1 ? "lock" : "unlock";
    step.object = "mutex 'pool'";
    step.decisive = i % 1000 == 0;
    found.trace.push_back(std::move(step));
  }
  found.step = steps;
  return out;
}

TEST_CASE("the facts of a page are JSON that ends no element and starts no markup, whatever reports hold") {
  std::vector<report> reports = {sample::hostile(), sample::shrunk_lease(), sample::traffic(), sample::certified()};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) reports.push_back(sample::scrambled(seed));
  reports.front().result.claim = "</script><script>alert(1)</script><!-- \xe2\x80\xa8 \xe2\x80\xae & ]]>";
  const std::string text = page_data(reports, {});
  CHECK(std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '<' && c != '>' && c != '&'; }));
  const json facts = json::parse(text);
  CHECK(facts.at("reports").size() == reports.size());
  CHECK(facts.at("reports").at(0).at("claim") == "</script><script>alert(1)</script><!-- \\u{2028} \\u{202E} & ]]>");
}

TEST_CASE("a step is told by its numbers, and where the oracle failed by its row") {
  const json facts = facts_of({sample::ghost_entry()});
  const json& trace = facts.at("findings").at(0).at("trace");
  REQUIRE(trace.at("rows").size() == 13);
  CHECK(trace.at("failed") == 12);
  const json& row = trace.at("rows").at(5);
  CHECK(row.at(0) == 5);
  CHECK(row.at(1) == 2);
  CHECK(text_of(facts, row.at(3)) == "lock");
  CHECK(text_of(facts, row.at(4)) == "mutex 'pool'");
  CHECK(row.at(7) == 3);  // preempts, decisive
  CHECK(text_of(facts, trace.at("tasks").at(1)) == "reader");
  // The lock is handed over from row 3 to row 5; row 5 to row 7 is a hold.
  CHECK(std::ranges::count(trace.at("arrows"), json::array({1, 3, 5})) == 1);
  CHECK(std::ranges::count_if(trace.at("holds"), [](const json& hold) { return hold.at(2) == 5 && hold.at(3) == 7; }) == 1);
}

TEST_CASE("what a finding shrank to stands with the run nearby that passes") {
  const json facts = facts_of({sample::shrunk_lease()});
  const json& small = facts.at("findings").at(0).at("shrunk");
  CHECK(small.at("passing").at("schedule") == "search/1.3:2");
  CHECK(small.at("passing").at("trace").at("rows").size() == 4);
  CHECK(facts.at("findings").at(0).at("trace").at("rows").at(5).at(8) == 2'500'000);
}

TEST_CASE("a million steps become the few thousand that tell, and folds between them") {
  const std::string text = page_data(std::vector{long_run(1'000'000)}, {});
  CHECK(text.size() < 1'000'000);
  const json trace = json::parse(text).at("findings").at(0).at("trace");
  CHECK(trace.at("steps") == 1'000'000);
  std::uint64_t steps = 0;
  for (const json& row : trace.at("rows")) steps += row.is_number() ? row.get<std::uint64_t>() : 1;
  CHECK(steps == 1'000'000);
  for (const json& hold : trace.at("holds")) CHECK(hold.at(3).get<std::size_t>() <= trace.at("rows").size());
}

TEST_CASE("of a hundred thousand findings all are counted and some are told") {
  const std::string text = page_data(std::vector{sample::many_findings(100'000)}, {});
  CHECK(text.size() < 20'000'000);
  const json facts = json::parse(text);
  CHECK(facts.at("tally").at("findings") == 100'000);
  CHECK(facts.at("tally").at("signatures") == 100'000);
  CHECK(facts.at("reports").at(0).at("found") == 100'000);
  CHECK(facts.at("groups").size() == page_limits{}.groups);
  CHECK(facts.at("findings").size() == page_limits{}.groups);
}

TEST_CASE("what did not come out as expected is told first where not all can be") {
  report odd = sample::ghost_entry();
  odd.expectation.met = false;
  odd.scenario.name = "odd";
  const json facts = facts_of({sample::proved(), sample::proved(), odd}, {.reports = 2});
  REQUIRE(facts.at("reports").size() == 2);
  CHECK(facts.at("reports").at(1).at("name") == "odd");
  CHECK(facts.at("findings").at(0).at("report") == 1);
  CHECK(facts.at("tally").at("reports") == 3);
}

TEST_CASE("findings beyond the rows of a page are told without their steps") {
  const json facts = facts_of({sample::ghost_entry(), sample::ghost_entry()}, {.rows = 20});
  CHECK(facts.at("findings").at(0).at("trace").is_object());
  CHECK(facts.at("findings").at(1).at("trace").is_null());
  CHECK(facts.at("groups").size() == 1);
  CHECK(facts.at("groups").at(0).at("findings") == 2);
  CHECK(facts.at("groups").at(0).at("occurrences") == 18);
}

TEST_CASE("the page is one file that may load nothing, with the facts in an element of their own") {
  if (!html_missing().empty()) {
    WARN("no page: " << html_missing());
    return;
  }
  std::ostringstream out;
  write_html(out, std::vector{sample::hostile()});
  const std::string page = std::move(out).str();
  CHECK(page.find("Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-") != std::string::npos);
  const std::string open = "<script type=\"application/json\" id=\"facts\">";
  const std::size_t begin = page.find(open) + open.size();
  CHECK(page.substr(begin, page.find("</script>", begin) - begin) == page_data(std::vector{sample::hostile()}, {}));
  for (const char* elsewhere : {"src=", "http://", "https://"}) {
    const std::size_t at = page.find(elsewhere);
    INFO(page.substr(at == std::string::npos ? 0 : at, 80));
    CHECK((at == std::string::npos || page.compare(at, 21, "http://www.w3.org/200") == 0));
  }
}

}  // namespace
}  // namespace kvrace::reports
