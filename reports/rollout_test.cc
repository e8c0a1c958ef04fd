// The forms of a rollout for a person: text, and a picture.
#include <catch2/catch.hpp>

#include <sstream>

#include "reports/plain_text.h"
#include "reports/report.h"
#include "reports/rollout_table.h"
#include "reports/sample_reports.h"

namespace kvrace::reports {
namespace {

std::string table_of(const rollout_facts& facts, const presentation& how = {}) {
  std::ostringstream out;
  write_rollout_table(out, facts, 1, how);
  return std::move(out).str();
}
std::string picture_of(const std::vector<report>& reports) {
  std::ostringstream out;
  write_svg(out, reports);
  return std::move(out).str();
}
std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

TEST_CASE("the text of a rollout says what came of it, when and why, what it cost and what it saved") {
  const std::string text = table_of(sample::rollouts().rollouts[0]);
  CHECK(text.find("Rollout 1, begun at 0 s: rolled back at 35 s: the candidate was bad from 5 s to 35 s: similarity\n") == 0);
  CHECK(text.find("served wrong until then: 350 of 28000 (1.25%); without a canary: 7000 of 28000 (25%)") != std::string::npos);
  CHECK(text.find("alert anomaly: pending from 5 s, firing from 35 s, resolved at 45 s") != std::string::npos);
  CHECK(count_of(text, "roll back") == 1);
}

TEST_CASE("evaluations that are alike are folded, and none that differs is") {
  const std::string text = table_of(sample::rollouts().rollouts[1]);
  CHECK(count_of(text, "next step") == 2);
  CHECK(count_of(text, "promote") == 2);  // with the head
  CHECK(count_of(text, "9 alike") == 3);
  CHECK(count_of(table_of(sample::rollouts().rollouts[1], {.everything = true}), "\n") == 36 + 3);
}

TEST_CASE("the text of a rollout keeps to its width, and has no data for 0 of 0") {
  for (const unsigned columns : {60U, 80U, 130U}) {
    for (const rollout_facts& each : sample::rollouts().rollouts) {
      std::istringstream lines(table_of(each, {.columns = columns}));
      for (std::string line; std::getline(lines, line);) {
        INFO(line);
        CHECK(width(line) <= columns);
      }
    }
  }
  CHECK(percent_of(0, 0) == "-");
  CHECK(percent_of(0, 1) == "0%");
}

TEST_CASE("a flapping rollout is cut, and the number of what is left out is told") {
  rollout_facts flapping = sample::rollouts().rollouts[0];
  flapping.points.clear();
  for (int i = 0; i < 1'000; ++i) {
    flapping.points.push_back(sample::rollouts().rollouts[0].points.front());
    flapping.points.back().judgement = i % 2 == 0 ? "good" : "bad";
  }
  flapping.alerts.assign(50, flapping.alerts.front());
  const std::string text = table_of(flapping);
  CHECK(text.find("... 940 more\n") != std::string::npos);
  CHECK(text.find("... 30 more alerts\n") != std::string::npos);
}

TEST_CASE("the picture of rollouts is well-formed, whatever names it holds, and has both schemes of colours") {
  report hostile = sample::rollouts();
  hostile.scenario.name = "<script>&\"\x1b";
  hostile.rollouts[0].alerts[0].name = "<b>";
  const std::string picture = picture_of({hostile});
  CHECK(picture.find("<script>") == std::string::npos);
  CHECK(picture.find("&lt;script&gt;&amp;&quot;") != std::string::npos);
  CHECK(picture.find("<b>") == std::string::npos);
  CHECK(picture.find('\x1b') == std::string::npos);
  CHECK(picture.find("prefers-color-scheme:dark") != std::string::npos);
  for (const std::string element : {"svg", "g", "text", "title", "rect", "style"}) {
    INFO(element);
    CHECK(count_of(picture, "<" + element + ">") + count_of(picture, "<" + element + " ") ==
          count_of(picture, "</" + element + ">"));
  }
  // Each rollout has a share; the candidate's and the baseline's curves end where nobody is served by them.
  CHECK(count_of(picture, "class=\"share\"") == 2);
  CHECK(count_of(picture, "class=\"candidate\" points") == 4);
}

TEST_CASE("a picture without rollouts, or of one without evaluations, is one too") {
  CHECK(picture_of({}).find("No rollout") != std::string::npos);
  report empty = sample::rollouts();
  for (rollout_facts& each : empty.rollouts) each.points.clear();
  const std::string picture = picture_of({empty});
  CHECK(picture.find("nan") == std::string::npos);
  CHECK(picture.find("inf") == std::string::npos);
}

TEST_CASE("more rollouts than a picture shows are counted") {
  report many = sample::rollouts();
  many.rollouts.assign(20, many.rollouts.front());
  const std::string picture = picture_of({many});
  CHECK(count_of(picture, "<g ") == 12);
  CHECK(picture.find("... 8 more rollouts") != std::string::npos);
}

}  // namespace
}  // namespace kvrace::reports
