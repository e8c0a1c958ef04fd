#include <algorithm>
#include <iostream>

#include "corpus/bug.h"
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

}  // namespace kvrace::scenarios
