#include "scenarios/outcome.h"

#include <catch2/catch.hpp>

using namespace kvrace;
using namespace kvrace::scenarios;

namespace {

scenario expecting_violation(const std::string& oracle) {
  scenario asked;
  asked.expect.violation = oracle;
  return asked;
}

scenario expecting(kvrace::verdict verdict) {
  scenario asked;
  asked.search.strategy = search::kind::bounded;
  asked.search.preemptions_max = 2;
  asked.expect.verdict = verdict;
  return asked;
}

kvrace::result with(kvrace::verdict verdict, const std::vector<std::string>& oracles = {}, unsigned preemptions = 0) {
  kvrace::result result;
  result.verdict = verdict;
  result.preemptions_bound = preemptions;
  for (const std::string& oracle : oracles) result.findings.emplace_back().oracle = oracle;
  return result;
}

int code(const scenario& asked, const kvrace::result& result, std::string_view mode = "run") {
  return judge(asked, result, mode).exit_code;
}

}  // namespace

TEST_CASE("an expected violation is 0, another 1, none 2") {
  const scenario asked = expecting_violation("ghost_entry");
  CHECK(code(asked, with(verdict::violation, {"ghost_entry"})) == 0);
  CHECK(code(asked, with(verdict::violation, {"ghost_entry", "ghost_entry"})) == 0);
  CHECK(code(asked, with(verdict::violation, {"deadlock"})) == 1);
  CHECK(code(asked, with(verdict::violation, {"ghost_entry", "pollution"})) == 1);
  CHECK(code(asked, with(verdict::not_found)) == 2);
  CHECK(code(asked, with(verdict::proved)) == 2);
  CHECK(code(asked, with(verdict::incomplete)) == 2);
  CHECK(code(asked, with(verdict::unsound, {"ghost_entry"})) == 3);
}

TEST_CASE("a stronger verdict satisfies a weaker question, never the other way round") {
  CHECK(code(expecting(verdict::proved), with(verdict::proved)) == 0);
  CHECK(code(expecting(verdict::proved), with(verdict::exhausted, {}, 9)) == 2);
  CHECK(code(expecting(verdict::proved), with(verdict::not_found)) == 2);
  CHECK(code(expecting(verdict::exhausted), with(verdict::proved)) == 0);
  CHECK(code(expecting(verdict::exhausted), with(verdict::exhausted, {}, 2)) == 0);
  CHECK(code(expecting(verdict::exhausted), with(verdict::exhausted, {}, 1)) == 2);
  CHECK(code(expecting(verdict::exhausted), with(verdict::not_found)) == 2);
  CHECK(code(expecting(verdict::not_found), with(verdict::not_found)) == 0);
  CHECK(code(expecting(verdict::not_found), with(verdict::proved)) == 0);
  CHECK(code(expecting(verdict::not_found), with(verdict::incomplete)) == 2);
  CHECK(code(expecting(verdict::not_found), with(verdict::violation, {"leak"})) == 1);
  CHECK(code(expecting(verdict::proved), with(verdict::unsound)) == 3);
}

TEST_CASE("a replay is asked only whether a violation shows") {
  CHECK(code(expecting(verdict::proved), with(verdict::not_found), "replay") == 0);
  CHECK(code(expecting(verdict::proved), with(verdict::violation, {"leak"}), "replay") == 1);
  CHECK(code(expecting_violation("leak"), with(verdict::violation, {"leak"}), "replay") == 0);
  CHECK(code(expecting_violation("leak"), with(verdict::not_found), "replay") == 2);
  CHECK(code(expecting_violation("leak"), with(verdict::unsound), "replay") == 3);
  CHECK(judge(expecting(verdict::proved), with(verdict::not_found), "replay").outcome ==
        "no violation here, as expected of every schedule");
}

TEST_CASE("of several codes a violation outweighs what was not shown") {
  CHECK(worse(0, 2) == 2);
  CHECK(worse(1, 2) == 1);
  CHECK(worse(2, 1) == 1);
  CHECK(worse(1, 3) == 3);
  CHECK(worse(70, 3) == 70);
  CHECK(worse(0, 74) == 74);
  CHECK(worse(74, 2) == 2);
  CHECK(worse(64, 74) == 64);
}

TEST_CASE("a replay command survives the shell") {
  CHECK(shell_quoted("a/b-1.json") == "a/b-1.json");
  CHECK(shell_quoted("it's $x") == "'it'\\''s $x'");
  CHECK(shell_quoted("") == "''");
  CHECK(shell_quoted("gr\xC3\xBC\xC3\x9F e") == "'gr\xC3\xBC\xC3\x9F e'");
  CHECK(shell_quoted("a\x1b'%\\b \xFF") == "\"$(printf 'a\\033\\047\\045\\134b \\377')\"");
  scenario asked = expecting_violation("leak");
  asked.source.path = "my file.json";
  kvrace::result found = with(verdict::violation, {"leak"});
  found.findings[0].schedule = *schedule::parse("1.3:2");
  const reports::report report = make_report(asked, found, "run");
  REQUIRE(report.replay_commands.size() == 1);
  CHECK(report.replay_commands[0] == "kvrace replay 'my file.json' --schedule 1.3:2");
}

TEST_CASE("where a schedule is too long for a command line, the same search finds it again") {
  scenario asked = expecting_violation("leak");
  asked.source.path = "s.json";
  kvrace::result found = with(verdict::violation, {"leak"});
  found.seed = 7;
  found.counts.runs = 9;
  std::string schedule;
  for (int i = 1; i <= 1'000; ++i) schedule += (i == 1 ? "1." : ",1.") + std::to_string(i) + ":2";
  found.findings[0].schedule = *kvrace::schedule::parse(schedule);
  CHECK(make_report(asked, found, "run").replay_commands[0] == "kvrace run s.json --seed 7 --runs 9");
  asked.search.strategy = search::kind::bounded;
  CHECK(make_report(asked, found, "prove").replay_commands[0] == "kvrace prove s.json");
}

TEST_CASE("a budget of states is a bound of what it ended, and of nothing else") {
  scenario asked = expecting(verdict::proved);
  asked.search.states_max = 12;
  const auto last_bound = [&asked](kvrace::verdict verdict) { return make_report(asked, with(verdict), "prove").bounds.back(); };
  CHECK(last_bound(verdict::incomplete).name == "states");
  CHECK(last_bound(verdict::incomplete).value == "12");
  CHECK(last_bound(verdict::proved).name != "states");
}

TEST_CASE("rates are quotients of the cache's metrics") {
  kvrace::result counted = with(verdict::not_found);
  counted.metrics = {{"requests_completed", 50}, {"requests_polluted", 6}, {"requests_stale", 2}, {"tokens_queried", 100},
                     {"tokens_hit", 95},         {"blocks_audited", 20},   {"blocks_ghost", 1}};
  const reports::report report = make_report(expecting(verdict::not_found), counted, "run");
  REQUIRE(report.rates.size() == 4);
  const auto is = [&](std::size_t index, const char* name, std::uint64_t numerator, std::uint64_t denominator) {
    CHECK(report.rates[index].name == name);
    CHECK(report.rates[index].numerator == numerator);
    CHECK(report.rates[index].denominator == denominator);
  };
  is(0, "pollution", 6, 50);
  is(1, "ghost", 1, 20);
  is(2, "stale", 2, 50);
  is(3, "hit", 95, 100);
}
