#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "corpus/classics/classics.h"

namespace kvrace::corpus {
namespace {

TEST_CASE("The bug of each classic program is found, and no execution of its repaired twin has it") {
  for (const classic& each : classics()) {
    INFO(each.name);
    if (!each.repaired) continue;  // SafeStack: seldom met, and not repaired
    CHECK(check({.strategy = portfolio(), .runs = 20'000}, each.flawed).verdict == verdict::violation);
    const result repaired = prove({.states_max = 30'000}, each.repaired);
    INFO(repaired);
    CHECK((repaired.verdict == verdict::proved || repaired.verdict == verdict::incomplete));
    CHECK(repaired.findings.empty());
  }
}

TEST_CASE("docs/strategies.md has the comparison", "[exhaustive]") {
  const std::vector<comparison> all = compare_all();
  std::ifstream file(KVRACE_STRATEGIES_DOCUMENT);
  std::stringstream text;
  text << file.rdbuf();
  CHECK(text.str().find(table_of(all)) != std::string::npos);
  for (const comparison& each : all) {
    INFO(each.what->name);
    const bool found = std::any_of(each.schedules.begin(), each.schedules.end(), [](const auto& some) { return !some.empty(); });
    CHECK((found || !each.what->repaired));
  }
}

}  // namespace
}  // namespace kvrace::corpus
