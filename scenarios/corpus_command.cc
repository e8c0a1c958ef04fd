#include <algorithm>
#include <iostream>

#include "cache_model/mutants/study.h"
#include "corpus/bug.h"
#include "corpus/classics/classics.h"
#include "scenarios/commands.h"
#include "scenarios/outcome.h"

namespace kvrace::scenarios {

int run_corpus() {
  const std::vector<corpus::studied> all = corpus::study_all();
  std::cout << corpus::table_of(all);
  std::cout.flush();
  const bool as_reported =
      std::all_of(all.begin(), all.end(), [](const corpus::studied& each) { return each.found.as_reported(*each.what); });
  return as_reported ? exit_as_expected : exit_not_shown;
}

int run_mutants() {
  const std::vector<cache::mutants::row> all = cache::mutants::study_all();
  std::cout << cache::mutants::table_of(all);
  std::cout.flush();
  const bool settled = std::all_of(all.begin(), all.end(), [](const cache::mutants::row& each) { return each.settled(); });
  return settled ? exit_as_expected : exit_not_shown;
}

int run_comparison() {
  std::cout << corpus::table_of(corpus::compare_all());
  std::cout.flush();
  return exit_as_expected;
}

}  // namespace kvrace::scenarios
