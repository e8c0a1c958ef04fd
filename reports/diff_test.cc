#include "reports/diff.h"

#include <catch2/catch.hpp>

#include <sstream>

#include "reports/sample_reports.h"
#include "reports/shards.h"

namespace kvrace::reports {
namespace {

using kind = difference::kind;

std::vector<std::pair<kind, int>> kinds(const std::vector<report>& before, const std::vector<report>& after) {
  std::vector<std::pair<kind, int>> all;
  for (const difference& each : differences(before, after)) all.emplace_back(each.what, each.exit_code);
  return all;
}
using expected = std::vector<std::pair<kind, int>>;

report with_verdict(verdict of, bool met, int exit_code) {
  report facts = sample::proved();
  facts.mode = "run";
  facts.result.verdict = of;
  facts.expectation.met = met;
  facts.expectation.exit_code = exit_code;
  return facts;
}

report unexpected(report facts) {
  facts.expectation.met = false;
  facts.expectation.exit_code = 1;
  return facts;
}

TEST_CASE("a report does not differ from itself, nor from one with other times, schedules and lines above its places") {
  CHECK(kinds({sample::ghost_entry()}, {sample::ghost_entry()}).empty());
  report later = sample::ghost_entry();
  later.result.time_s = 9;
  later.result.findings[0].schedule = *schedule::parse("baseline");
  CHECK(kinds({sample::ghost_entry()}, {later}).empty());
}

TEST_CASE("a finding that its scenario does not expect is worse, one that has gone is not") {
  const report clean = with_verdict(verdict::not_found, true, 0);
  const report found = unexpected(sample::ghost_entry());
  CHECK(kinds({clean}, {found}) == expected{{kind::verdict_weaker, 1}, {kind::finding_new, 1}});
  CHECK(kinds({found}, {clean}) == expected{{kind::verdict_stronger, 0}, {kind::finding_gone, 0}});
  // An expected one more is nothing worse.
  report more = sample::ghost_entry();
  more.result.findings.push_back(more.result.findings[0]);
  CHECK(kinds({sample::ghost_entry()}, {more}) == expected{{kind::finding_new, 0}});
}

TEST_CASE("a finding with other places, another message or in other runs has changed, and says how") {
  report moved = sample::ghost_entry();
  moved.result.findings[0].sites[0].line = 90;
  moved.result.findings[0].occurrences = 3;
  CHECK(kinds({sample::ghost_entry()}, {moved}) == expected{{kind::finding_changed, 0}});
  CHECK(differences(std::vector{sample::ghost_entry()}, std::vector{moved})[0].text ==
        "ghost_entry: places mutex.cc:88, mutex.cc:131 -> mutex.cc:90, mutex.cc:131; runs 9 -> 3");
}

TEST_CASE("less that is shown is worse: 2, or 3 where nothing can be said any more") {
  const report proved = with_verdict(verdict::proved, true, 0);
  CHECK(kinds({proved}, {with_verdict(verdict::exhausted, true, 0)}) == expected{{kind::verdict_weaker, 2}});
  CHECK(kinds({proved}, {with_verdict(verdict::incomplete, false, 2)}) == expected{{kind::verdict_weaker, 2}});
  CHECK(kinds({proved}, {with_verdict(verdict::unsound, false, 3)}) == expected{{kind::verdict_weaker, 3}});
  CHECK(kinds({with_verdict(verdict::exhausted, true, 0)}, {proved}) == expected{{kind::verdict_stronger, 0}});
  CHECK(kinds({proved}, {}) == expected{{kind::scenario_gone, 2}});
  CHECK(kinds({}, {proved}) == expected{{kind::scenario_new, 0}});
  CHECK(kinds({}, {unexpected(sample::ghost_entry())}) == expected{{kind::scenario_new, 1}});
}

TEST_CASE("differences are printable and no wider than the terminal") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::vector<report> before = {sample::scrambled(seed)};
    const std::vector<report> after = {sample::scrambled(seed + 1)};
    std::ostringstream text;
    write_differences(text, differences(before, after), {.columns = 60});
    for (const char c : text.str()) CHECK_FALSE((static_cast<unsigned char>(c) < 0x20 && c != '\n'));
  }
}

// ---- Parts of one command ----

part part_of(unsigned index, unsigned count, std::uint64_t scenarios) {
  part made{.path = "part" + std::to_string(index) + ".json", .reports = {}};
  for (std::uint64_t i = index - 1; i < scenarios; i += count) {
    made.reports.push_back(sample::proved());
    made.reports.back().scenario.name = std::to_string(i);
    made.reports.back().shard = shard_facts{.index = index, .count = count, .scenarios = scenarios, .command = 7};
  }
  return made;
}

std::string outcome(std::vector<part> parts) {
  const auto merged_parts = merged(std::move(parts));
  if (const std::string* const refusal = std::get_if<std::string>(&merged_parts)) return *refusal;
  std::string names;
  for (const report& facts : std::get<std::vector<report>>(merged_parts)) {
    CHECK_FALSE(facts.shard);
    names += facts.scenario.name;
  }
  return names;
}

TEST_CASE("parts come to the whole in its order, in whatever order they are given") {
  CHECK(outcome({part_of(1, 3, 7), part_of(2, 3, 7), part_of(3, 3, 7)}) == "0123456");
  CHECK(outcome({part_of(3, 3, 7), part_of(1, 3, 7), part_of(2, 3, 7)}) == "0123456");
  CHECK(outcome({part_of(1, 1, 2)}) == "01");
}

TEST_CASE("what does not belong together is refused in one line") {
  CHECK(outcome({}) == "expected the parts of a divided command");
  CHECK(outcome({part_of(1, 2, 4)}) == "part1.json: expected the other parts too, and 2/2 is missing");
  CHECK(outcome({part_of(2, 2, 4)}) == "part2.json: expected the other parts too, and 1/2 is missing");
  CHECK(outcome({part_of(1, 2, 4), part_of(1, 2, 4)}) == "part1.json: expected each part once, and 1/2 is in 'part1.json' too");
  CHECK(outcome({part_of(1, 2, 4), part_of(2, 3, 4)}) == "part2.json: expected a part of the same command as 'part1.json'");
  part fewer = part_of(2, 2, 4);
  fewer.reports.pop_back();
  CHECK(outcome({part_of(1, 2, 4), fewer}) == "part2.json: expected 2 scenarios in part 2/2, not 1");
  part whole = part_of(2, 2, 4);
  for (report& facts : whole.reports) facts.shard.reset();
  CHECK(outcome({part_of(1, 2, 4), whole}).starts_with("part2.json: expected a part of a divided command"));
  part other_build = part_of(2, 2, 4);
  other_build.reports[0].build.compiler = "another";
  CHECK(outcome({part_of(1, 2, 4), other_build}) == "part2.json: expected a report of the same build as 'part1.json'");
}

}  // namespace
}  // namespace kvrace::reports
