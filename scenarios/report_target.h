// Where a command's results go: the text to standard output, the report to a file or in its place.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reports/report.h"
#include "scenarios/outcome.h"

namespace kvrace::scenarios {

// How much of the text is wanted.
struct output_style {
  bool quiet = false;    // only what is not as expected
  bool verbose = false;  // nothing is folded or cut
};

// Throws usage_error if the name of the file promises a format other than those with these extensions.
void expect_extension(const std::string& path, const char* what, const std::vector<std::string>& extensions);

// Made before anything runs, so that a report that cannot be written is found out before the search, not after it. Leaves nothing
// behind if nothing is written.
class report_target {
 public:
  // An empty path: there is no report. "-": standard output, instead of the text. Throws usage_error, also if it is one of
  // `inputs`.
  // Nor can it be a format that this program cannot write. That is `named`, or what the path's extension names; JSON by default.
  report_target(std::string path, const std::vector<std::string>& inputs, output_style style = {},
                const reports::format* named = nullptr);
  report_target(const report_target&) = delete;
  report_target& operator=(const report_target&) = delete;
  ~report_target();

  [[nodiscard]] const std::string& path() const { return path_; }
  // False: the report has standard output to itself.
  [[nodiscard]] bool text_wanted() const { return path_ != "-"; }

  // In the order in which they will be written: findings are numbered through.
  void print(const reports::report&);
  // Several reports, after all of them were printed.
  void print_summary(std::span<const reports::report>) const;

  // The small scenario of a finding exists in the report only: it is repeated from there, if it is one that can be read.
  void name_replays_of_shrunk(std::vector<reports::report>&) const;

  // Says on standard error what went wrong.
  [[nodiscard]] exit_code write(std::span<const reports::report>) const;
  // The same for what is in its form already.
  [[nodiscard]] exit_code write(std::string text) const;

 private:
  void check_writable();
  [[nodiscard]] const reports::format& format() const;

  std::string path_;
  output_style style_;
  const reports::format* named_;
  std::uint64_t findings_printed_ = 0;
  int pipe_ = -1;  // kept open, or its reader would take the check for the end
};

}  // namespace kvrace::scenarios
