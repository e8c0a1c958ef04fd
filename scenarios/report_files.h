// The files and streams the commands share: scenarios to read, reports to write, findings to take out of reports.
#pragma once

#include <string>
#include <vector>

#include <kvrace/result.h>

#include "reports/report.h"
#include "scenarios/scenario.h"

namespace kvrace::scenarios {

// All of these throw usage_error for what the user can put right.

[[nodiscard]] scenario load(const std::string& path_or_name);

// A report that cannot be written is found out before the search, not after it. Leaves nothing behind. Empty path: no report.
void check_writable(const std::string& path);
void write_report(const std::string& path, const std::vector<reports::report>& reports);

void print_report(const reports::report& report);

// A finding in a report file, and the scenario it was found in.
struct stored_finding {
  scenarios::scenario scenario;
  kvrace::finding finding;
  reports::build_fingerprint build;
};
// `number` counts the findings of the file from 1.
[[nodiscard]] stored_finding read_finding(const std::string& file, std::uint64_t number);

}  // namespace kvrace::scenarios
