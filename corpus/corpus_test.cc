#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "corpus/bug.h"

namespace kvrace::corpus {
namespace {

TEST_CASE("Each bug is caught by its oracle, its repair is proved, and docs/corpus.md says so") {
  const std::vector<studied> all = study_all();
  CHECK(all.size() == 25);
  for (const auto& [what, found] : all) {
    INFO(what->id << ": " << to_string(found.flawed) << " by " << found.oracle << ", repaired " << to_string(found.repaired));
    CHECK(found.as_reported(*what));
    CHECK(found.schedules < schedules_max);
  }
  std::ifstream file(KVRACE_CORPUS_DOCUMENT);
  std::stringstream text;
  text << file.rdbuf();
  CHECK(text.str().find(table_of(all)) != std::string::npos);
}

TEST_CASE("Each finding of the corpus can be replayed, and fails no repair") {
  for (const bug& each : bugs()) {
    INFO(each.id);
    const result found = check({.seed = 1, .runs = schedules_max}, each.flawed);
    REQUIRE(found.verdict == verdict::violation);
    const schedule failing = found.findings.front().schedule;
    const result again = replay({}, failing, each.flawed);
    REQUIRE(again.verdict == verdict::violation);
    CHECK(again.findings.front().oracle == each.oracle);
    CHECK(replay({}, failing, each.repaired).verdict != verdict::violation);
  }
}

}  // namespace
}  // namespace kvrace::corpus
