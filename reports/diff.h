// What is new, gone and changed between two runs of the same questions.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "reports/report.h"

namespace kvrace::reports {

struct difference {
  enum class kind : std::uint8_t {
    finding_new,
    finding_gone,
    finding_changed,   // the places, the message, or in how many runs
    verdict_weaker,    // less is shown, or the scenario is no longer as expected
    verdict_stronger,  // more is shown, or the scenario is as expected now
    scenario_new,
    scenario_gone,
  };
  kind what = kind::finding_new;
  std::string scenario;  // its id, see fingerprint.h
  std::string text;      // one line, printable
  // 0 if it is nothing worse; else 1: a finding that is not expected, 2: less is shown, 3: a verdict that means nothing any more.
  int exit_code = 0;
};

// In the order of `after`, then what has gone. Scenarios are told apart by id and mode, findings by fingerprint. A new finding is
// nothing worse where the scenario expects it.
[[nodiscard]] std::vector<difference> differences(std::span<const report> before, std::span<const report> after);

void write_differences(std::ostream&, std::span<const difference>, const presentation& = {});
void write_differences_json(std::ostream&, std::span<const difference>);

}  // namespace kvrace::reports
