// What a result means for the scenario that asked, and the facts a report needs.
#pragma once

#include <string>
#include <string_view>

#include "reports/report.h"
#include "scenarios/scenario.h"

namespace kvrace::scenarios {

// The table in ARCHITECTURE.md, "Verdicts and exit codes".
enum exit_code : int {
  exit_as_expected = 0,
  exit_violation = 1,   // that the scenario does not expect
  exit_not_shown = 2,   // the expected violation or verdict
  exit_unsound = 3,
  exit_bad_input = 64,
  exit_output_lost = 74,  // standard output or the report could not be written; else it would be 0
  exit_internal = 70,
};

// Of two: internal before unsound, violation, not shown, output lost, as expected.
[[nodiscard]] int worse(int left, int right);

// `mode` is "run", "prove" or "replay". A replay follows one schedule, so it is asked only for a violation or for none.
[[nodiscard]] reports::expectation_facts judge(const scenario&, const kvrace::result&, std::string_view mode);

[[nodiscard]] reports::report make_report(const scenario&, kvrace::result, std::string_view mode);

// The argument as a POSIX shell reads it back.
// " --trace FILE" if the command line named a trace, else empty.
[[nodiscard]] std::string trace_argument(const scenario& scenario);

[[nodiscard]] std::string shell_quoted(std::string_view argument);

}  // namespace kvrace::scenarios
