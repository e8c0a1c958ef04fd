#include <array>
#include <sstream>

#include "corpus/bug.h"
#include "corpus/models/models.h"

namespace kvrace::corpus {

std::span<const bug> bugs() {
  static const std::array all{b01, b02, b03, b06, b10, b11, b13, b22, b25, b26, b29, b34, b39,
                              b43, b46, b47, b51, b58, b59, b62, b70, b76, b78, b81, b82};
  return all;
}

study study_of(const bug& what) {
  study made;
  const result found = prove({.limits = what.limits}, what.flawed);
  made.flawed = found.verdict;
  made.preemptions = static_cast<unsigned>(found.executions_by_bound.size());
  if (!found.findings.empty()) made.oracle = found.findings.front().oracle;
  made.schedules = check({.seed = 1, .runs = schedules_max, .limits = what.limits}, what.flawed).counts.runs;
  const result repaired = prove({.limits = what.limits}, what.repaired);
  made.repaired = repaired.verdict;
  made.executions = repaired.counts.executions_distinct;
  return made;
}

std::vector<studied> study_all() {
  std::vector<studied> all;
  for (const bug& each : bugs()) all.push_back({&each, study_of(each)});
  return all;
}

std::string table_of(std::span<const studied> all) {
  std::ostringstream text;
  text << "| bug | what | reported in | oracle | fewest preemptions | schedules sampled | repaired |\n"
          "|---|---|---|---|---:|---:|---|\n";
  for (const auto& [what, found] : all)
    text << "| " << what->id << " | " << what->title << " | " << what->reports << " | " << found.oracle << " | "
         << found.preemptions << " | " << found.schedules << " | " << to_string(found.repaired) << ", " << found.executions
         << (found.executions == 1 ? " execution |\n" : " executions |\n");
  return text.str();
}

}  // namespace kvrace::corpus
