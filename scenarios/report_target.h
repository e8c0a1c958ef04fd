// Where a command's results go: the text to standard output, the report to a file or in its place.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/report.h"
#include "scenarios/outcome.h"

namespace kvrace::scenarios {

// Made before anything runs, so that a report that cannot be written is found out before the search, not after it. Leaves nothing
// behind if nothing is written.
class report_target {
 public:
  // An empty path: there is no report. "-": standard output, instead of the text. Throws usage_error, also if it is one of
  // `inputs`.
  report_target(std::string path, const std::vector<std::string>& inputs);
  report_target(const report_target&) = delete;
  report_target& operator=(const report_target&) = delete;
  ~report_target();

  [[nodiscard]] const std::string& path() const { return path_; }
  // False: the report has standard output to itself.
  [[nodiscard]] bool text_wanted() const { return path_ != "-"; }

  void print(const reports::report&) const;
  // JSON, or text if the path ends in .txt. Says on standard error what went wrong.
  [[nodiscard]] exit_code write(std::span<const reports::report>) const;
  // The same for what is in its form already.
  [[nodiscard]] exit_code write(std::string text) const;

 private:
  void check_writable();

  std::string path_;
  int pipe_ = -1;  // kept open, or its reader would take the check for the end
};

}  // namespace kvrace::scenarios
