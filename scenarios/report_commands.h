// Commands about stored reports: they run nothing.
#pragma once

#include <string>
#include <vector>

#include "scenarios/report_target.h"

namespace kvrace::scenarios {

// Each returns an exit code, see outcome.h, and throws usage_error.

struct convert_command {
  std::vector<std::string> files;  // JSON reports
  std::string format;              // empty: what the extension of `out` names, else text
  std::string out;                 // empty or "-": standard output
  bool merge = false;              // the files are the parts of one command, see reports/shards.h
  bool exit_code = false;          // exit as the commands that wrote the reports did, the worst of them
  output_style style;
};
int run_report(const convert_command&);

struct diff_command {
  std::string before;
  std::string after;
  bool json = false;
};
// See reports/diff.h for the exit code.
int run_diff(const diff_command&);

}  // namespace kvrace::scenarios
