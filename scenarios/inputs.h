// What the commands read: scenarios, and findings out of reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <kvrace/result.h>

#include "reports/report.h"
#include "scenarios/scenario.h"

namespace kvrace::scenarios {

// All of these throw usage_error for what the user can put right.

// `trace_file` takes the place of the file of its trace.
[[nodiscard]] scenario load(const std::string& path_or_name, const std::string& trace_file = {});

// A finding in a report file, and the scenario it was found in.
struct stored_finding {
  scenarios::scenario scenario;
  kvrace::finding finding;
  std::optional<kvrace::schedule> passing;  // a run nearby that passes
  reports::build_fingerprint build;
};
// `number` counts the findings of the file from 1; what one shrinks to follows those of its report.
[[nodiscard]] stored_finding read_finding(const std::string& file, std::uint64_t number, const std::string& trace_file = {});

// The reports in a file. Their scenarios are not looked at.
[[nodiscard]] std::vector<reports::report> read_reports(const std::string& file);

// What a proof was left with; its content is judged by who goes on with it.
[[nodiscard]] std::string read_checkpoint(const std::string& file);

}  // namespace kvrace::scenarios
