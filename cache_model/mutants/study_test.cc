#include <catch2/catch.hpp>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cache_model/flaws/flaws.h"
#include "cache_model/flaws/mutations.h"
#include "cache_model/mutants/study.h"

namespace kvrace::cache::mutants {
namespace {

TEST_CASE("Each operator has a mutant, each mutant is killed or equivalent, whatever the locking, and docs/mutants.md says so") {
  const std::vector<row> all = study_all();
  std::set<unsigned> applied;
  std::set<std::string> judged;
  for (const row& each : all) {
    INFO("M" << each.operation << ", " << each.mutant << ", " << each.locking);
    CHECK(each.settled());
    CHECK(each.killed() == each.equivalent.empty());
    if (each.killed()) applied.insert(each.operation);
    for (const char* const locking : {"mutex", "rwlock", "epoch"})
      if (each.locking == "any" || each.locking == locking) judged.insert(std::to_string(each.operation) + locking);
  }
  CHECK(applied.size() == operators);
  CHECK(judged.size() == operators * std::size_t{3});
  std::ifstream file(KVRACE_MUTANTS_DOCUMENT);
  std::stringstream text;
  text << file.rdbuf();
  CHECK(text.str().find(table_of(all)) != std::string::npos);
}

TEST_CASE("Further mutations have names of their own") {
  for (const flaw& each : further_mutations()) {
    CHECK(find_flaw(each.description.name) == &each);
    for (const flaw& catalogued : all_flaws()) CHECK(catalogued.description.name != each.description.name);
  }
}

}  // namespace
}  // namespace kvrace::cache::mutants
